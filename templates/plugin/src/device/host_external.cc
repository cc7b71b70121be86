<%= banner %>
#include "device/host_external.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#if !defined(_WIN32)
#include <sys/mman.h>
#include <sys/stat.h>
#endif

namespace <%= ns %> {
namespace {

using Value = std::atomic<uint64_t>;
static_assert(sizeof(Value) == sizeof(uint64_t) && Value::is_always_lock_free,
              "other processes must be able to read and write a semaphore's value");

// Nobody wakes who waits: who signals need not know of this device.
constexpr std::chrono::microseconds kGlance{50};

}  // namespace

Status SharedFile::Error(const char* what, int error) const {
  return InvalidArgument("importing file descriptor " + std::to_string(descriptor_) + ": " + what +
                         (error != 0 ? std::generic_category().message(error) : std::string()));
}

#if defined(_WIN32)

Status SharedFile::Find(void* /*handle*/, size_t /*bytes*/) {
  return NotImplemented("the simulated device imports nothing on Windows");
}

Status SharedFile::Map(size_t /*bytes*/, void** /*address*/) const { return Error("none", 0); }

#else

Status SharedFile::Find(void* handle, size_t bytes) {
  const auto number = reinterpret_cast<intptr_t>(handle);
  if (number < 0 || number > INT_MAX) {
    return InvalidArgument("importing " + std::to_string(number) + ": not a file descriptor");
  }
  descriptor_ = static_cast<int>(number);
  struct stat found{};
  if (fstat(descriptor_, &found) != 0) return Error("", errno);
  // Beyond the end of the file, touching it would be a crash.
  if (found.st_size < 0 || static_cast<uint64_t>(found.st_size) < bytes) {
    const std::string sizes = "it has " + std::to_string(found.st_size) + " bytes, and " +
                              std::to_string(bytes) + " are asked for";
    return Error(sizes.c_str(), 0);
  }
  return Status();
}

Status SharedFile::Map(size_t bytes, void** address) const {
  const int flags = MAP_SHARED | (*address != nullptr ? MAP_FIXED : 0);
  void* mapped = mmap(*address, bytes, PROT_READ | PROT_WRITE, flags, descriptor_, 0);
  if (mapped == MAP_FAILED) return Error("mmap: ", errno);
  *address = mapped;
  return Status();
}

#endif

// A value in shared memory.
class HostSemaphores::Timeline {
 public:
  Timeline() = default;
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  ~Timeline() {
#if !defined(_WIN32)
    if (memory_ != nullptr) munmap(memory_, sizeof(Value));
#endif
  }

  Status Open(void* handle) {
    SharedFile file;
    EP_RETURN_IF_ERROR(file.Find(handle, sizeof(Value)));
    return file.Map(sizeof(Value), &memory_);
  }
  void Wait(uint64_t value) const {
    while (this->value().load() < value) std::this_thread::sleep_for(kGlance);
  }
  void Set(uint64_t value) { this->value().store(value); }

 private:
  Value& value() const { return *static_cast<Value*>(memory_); }

  void* memory_ = nullptr;
};

Status HostSemaphores::Import(void* handle, Semaphore* semaphore) {
  const auto made = std::make_shared<Timeline>();
  EP_RETURN_IF_ERROR(made->Open(handle));
  const std::lock_guard<std::mutex> lock(mutex_);
  semaphores_[made.get()] = made;
  *semaphore = made.get();
  return Status();
}

void HostSemaphores::Release(Semaphore semaphore) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  semaphores_.erase(semaphore);
}

Status HostSemaphores::Find(Semaphore semaphore, std::shared_ptr<Timeline>* timeline) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = semaphores_.find(semaphore);
  if (found == semaphores_.end()) {
    return InvalidArgument("not a semaphore of this device, or one that has been released");
  }
  *timeline = found->second;
  return Status();
}

Status HostSemaphores::Wait(Semaphore semaphore, uint64_t value, Work* work) {
  std::shared_ptr<Timeline> timeline;
  EP_RETURN_IF_ERROR(Find(semaphore, &timeline));
  *work = [timeline = std::move(timeline), value](Exec&) {
    timeline->Wait(value);
    return Status();
  };
  return Status();
}

Status HostSemaphores::Signal(Semaphore semaphore, uint64_t value, Work* work) {
  std::shared_ptr<Timeline> timeline;
  EP_RETURN_IF_ERROR(Find(semaphore, &timeline));
  *work = [timeline = std::move(timeline), value](Exec&) {
    timeline->Set(value);
    return Status();
  };
  return Status();
}

}  // namespace <%= ns %>
