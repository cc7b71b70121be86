<%= banner %>
// Ends the library's static objects when it is unloaded, as GCC's own start files do. Without it,
// they are ended when the process exits: by code that is gone by then.

extern "C" {
extern void* __dso_handle;
void __cxa_finalize(void* library);
}

__attribute__((destructor)) static void EndStaticObjects() { __cxa_finalize(&__dso_handle); }
