// Preloaded into a process, kills it while it writes a file whose name ends in ".tmp": at moment
// number KILL_AT (environment), counted from 1. Each call that opens, writes, closes, links,
// renames or removes such a file is two moments, just before it and just after; a write is three:
// half of the bytes are written at the second.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdarg>

namespace {

int watched = -1;  // the descriptor of the file
int moments = 0;

template <class Function>
Function* Real(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool IsTemporary(const char* path) {
  const size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".tmp") == 0;
}

void Moment() {
  const char* when = getenv("KILL_AT");
  if (when != nullptr && ++moments == atoi(when)) kill(getpid(), SIGKILL);
}

template <class Call>
int Around(bool is_ours, Call call) {
  if (is_ours) Moment();
  const int result = call();
  if (is_ours) Moment();
  return result;
}

int Open(const char* name, const char* path, int flags, mode_t mode) {
  const bool ours = IsTemporary(path);
  const auto call = [&] {
    return Real(name, static_cast<decltype(open)*>(nullptr))(path, flags, mode);
  };
  const int file = Around(ours, call);
  if (ours) watched = file;
  return file;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return Open("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return Open("open64", path, flags, mode);
}

ssize_t write(int file, const void* data, size_t size) {
  auto* real = Real("write", &write);
  if (file != watched) return real(file, data, size);
  Moment();
  const ssize_t done = real(file, data, size / 2);
  Moment();
  if (done < 0) return done;
  const ssize_t rest =
      real(file, static_cast<const char*>(data) + done, size - static_cast<size_t>(done));
  Moment();
  return rest < 0 ? rest : done + rest;
}

int close(int file) {
  const bool ours = file == watched && file >= 0;
  if (ours) watched = -1;
  return Around(ours, [&] { return Real("close", &close)(file); });
}

int link(const char* from, const char* to) noexcept {
  return Around(IsTemporary(from), [&] { return Real("link", &link)(from, to); });
}

int rename(const char* from, const char* to) noexcept {
  return Around(IsTemporary(from), [&] { return Real("rename", &rename)(from, to); });
}

int unlink(const char* path) noexcept {
  return Around(IsTemporary(path), [&] { return Real("unlink", &unlink)(path); });
}

}  // extern "C"
