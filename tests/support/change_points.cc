// Preloaded into a process, counts its calls that change the file system below one directory, and
// ends the process before one of them, or lets that one fail. A write is two points: before it,
// and when half of the bytes are written. Set up by `WatchChanges`, or from the environment:
// CHANGES_BELOW, CHANGES_AT (counted from 1; 0: only count), CHANGES_ERROR (an errno; 0: kill),
// CHANGES_LOG (a file outside that gets a line per point).
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <string>

namespace {

std::string below;
long at = 0;
int failure = 0;
long points = 0;
int log_file = -1;

template <class Function>
Function* Real(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string Link(const std::string& path) {
  char buffer[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), buffer, sizeof buffer);
  return size < 0 ? std::string() : std::string(buffer, static_cast<size_t>(size));
}

std::string OfFile(int file) { return Link("/proc/self/fd/" + std::to_string(file)); }

std::string Absolute(int folder, const char* path) {
  if (path[0] == '/') return path;
  return (folder == AT_FDCWD ? Link("/proc/self/cwd") : OfFile(folder)) + "/" + path;
}

// Is it something below the directory, or the directory itself?
bool IsOurs(const std::string& path) {
  return !below.empty() && path.compare(0, below.size(), below) == 0 &&
         (path.size() == below.size() || path[below.size()] == '/');
}

// True if the call that comes shall fail; errno is set then.
bool Point(const char* what, const std::string& path) {
  ++points;
  if (log_file >= 0) {
    const std::string line = std::string(what) + " " + path.substr(below.size()) + "\n";
    const auto done = Real("write", &write)(log_file, line.data(), line.size());
    if (done < 0) abort();
  }
  if (points != at) return false;
  if (failure == 0) kill(getpid(), SIGKILL);
  errno = failure;
  return true;
}

template <class Call>
auto Around(const char* what, const std::string& path, Call call) -> decltype(call()) {
  if (IsOurs(path) && Point(what, path)) return -1;
  return call();
}

bool Writes(int flags) { return (flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)) != 0; }

}  // namespace

extern "C" {

void WatchChanges(const char* directory, long when, int error, const char* log) {
  below = directory;
  at = when;
  failure = error;
  points = 0;
  if (log[0] != '\0') {
    log_file = Real("open", &open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }
}

long CountChanges() { return points; }

}  // extern "C"

namespace {

bool Begin() {
  const auto value = [](const char* name) {
    const char* text = getenv(name);
    return text == nullptr ? "" : text;
  };
  WatchChanges(value("CHANGES_BELOW"), atol(value("CHANGES_AT")), atoi(value("CHANGES_ERROR")),
               value("CHANGES_LOG"));
  return true;
}

[[maybe_unused]] const bool kBegun = Begin();  // after `below` is made

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  const auto call = [&] { return Real("open", &open)(path, flags, mode); };
  return Writes(flags) ? Around("open", Absolute(AT_FDCWD, path), call) : call();
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  const auto call = [&] { return Real("open64", &open64)(path, flags, mode); };
  return Writes(flags) ? Around("open", Absolute(AT_FDCWD, path), call) : call();
}

int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  const auto call = [&] { return Real("openat", &openat)(folder, path, flags, mode); };
  return Writes(flags) ? Around("open", Absolute(folder, path), call) : call();
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  const auto call = [&] { return Real("openat64", &openat64)(folder, path, flags, mode); };
  return Writes(flags) ? Around("open", Absolute(folder, path), call) : call();
}

ssize_t write(int file, const void* data, size_t size) {
  auto* real = Real("write", &write);
  const std::string path = below.empty() ? std::string() : OfFile(file);
  if (!IsOurs(path)) return real(file, data, size);
  if (Point("write", path)) return -1;
  const ssize_t done = real(file, data, size / 2);
  if (done < 0) return done;
  if (Point("write the rest of", path)) return done > 0 ? done : -1;
  const ssize_t rest =
      real(file, static_cast<const char*>(data) + done, size - static_cast<size_t>(done));
  return rest < 0 ? rest : done + rest;
}

ssize_t sendfile(int to, int from, off_t* offset, size_t size) {
  return Around("sendfile", OfFile(to),
                [&] { return Real("sendfile", &sendfile)(to, from, offset, size); });
}

ssize_t sendfile64(int to, int from, off64_t* offset, size_t size) {
  return Around("sendfile", OfFile(to),
                [&] { return Real("sendfile64", &sendfile64)(to, from, offset, size); });
}

int ftruncate(int file, off_t size) noexcept {
  return Around("truncate", OfFile(file),
                [&] { return Real("ftruncate", &ftruncate)(file, size); });
}

int ftruncate64(int file, off64_t size) noexcept {
  return Around("truncate", OfFile(file),
                [&] { return Real("ftruncate64", &ftruncate64)(file, size); });
}

int fsync(int file) {
  return Around("fsync", OfFile(file), [&] { return Real("fsync", &fsync)(file); });
}

int fdatasync(int file) {
  return Around("fsync", OfFile(file), [&] { return Real("fdatasync", &fdatasync)(file); });
}

int link(const char* from, const char* to) noexcept {
  return Around("link", Absolute(AT_FDCWD, to), [&] { return Real("link", &link)(from, to); });
}

int linkat(int from_folder, const char* from, int folder, const char* to, int flags) noexcept {
  return Around("link", Absolute(folder, to),
                [&] { return Real("linkat", &linkat)(from_folder, from, folder, to, flags); });
}

int symlink(const char* from, const char* to) noexcept {
  return Around("symlink", Absolute(AT_FDCWD, to),
                [&] { return Real("symlink", &symlink)(from, to); });
}

int rename(const char* from, const char* to) noexcept {
  return Around("rename to", Absolute(AT_FDCWD, to),
                [&] { return Real("rename", &rename)(from, to); });
}

int renameat(int from_folder, const char* from, int folder, const char* to) noexcept {
  return Around("rename to", Absolute(folder, to),
                [&] { return Real("renameat", &renameat)(from_folder, from, folder, to); });
}

int unlink(const char* path) noexcept {
  return Around("unlink", Absolute(AT_FDCWD, path),
                [&] { return Real("unlink", &unlink)(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return Around("unlink", Absolute(folder, path),
                [&] { return Real("unlinkat", &unlinkat)(folder, path, flags); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  return Around("mkdir", Absolute(AT_FDCWD, path),
                [&] { return Real("mkdir", &mkdir)(path, mode); });
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return Around("mkdir", Absolute(folder, path),
                [&] { return Real("mkdirat", &mkdirat)(folder, path, mode); });
}

int rmdir(const char* path) noexcept {
  return Around("rmdir", Absolute(AT_FDCWD, path), [&] { return Real("rmdir", &rmdir)(path); });
}

int chmod(const char* path, mode_t mode) noexcept {
  return Around("chmod", Absolute(AT_FDCWD, path),
                [&] { return Real("chmod", &chmod)(path, mode); });
}

int fchmod(int file, mode_t mode) noexcept {
  return Around("chmod", OfFile(file), [&] { return Real("fchmod", &fchmod)(file, mode); });
}

int fchmodat(int folder, const char* path, mode_t mode, int flags) noexcept {
  return Around("chmod", Absolute(folder, path),
                [&] { return Real("fchmodat", &fchmodat)(folder, path, mode, flags); });
}

}  // extern "C"
