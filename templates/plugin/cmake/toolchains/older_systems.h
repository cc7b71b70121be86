<%= banner %>
// Included first in every file: functions that got a new version of late are called in the old one,
// which every newer system has as well.

#if defined(__x86_64__)
#define EP_OLDEST "GLIBC_2.2.5"
#else
#define EP_OLDEST "GLIBC_2.17"
#endif

__asm__(".symver exp,exp@" EP_OLDEST);
__asm__(".symver exp2,exp2@" EP_OLDEST);
__asm__(".symver log,log@" EP_OLDEST);
__asm__(".symver log2,log2@" EP_OLDEST);
__asm__(".symver pow,pow@" EP_OLDEST);
// std::condition_variable::wait(std::unique_lock<std::mutex>&)
__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,"
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

#undef EP_OLDEST
