<%= banner %>
#include "abi/context_file.h"

#include <filesystem>
<% if external %>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <io.h>
#include <share.h>
#else
#include <unistd.h>
#endif

#include "gen/graph/blob.h"
<% endif %>

namespace <%= ns %> {
namespace {

namespace fs = std::filesystem;

fs::path ToPath(const std::string& text) { return fs::u8path(text); }
<% if external %>

std::string Reason(int code) { return std::error_code(code, std::generic_category()).message(); }

std::string Quoted(const std::string& path) { return "'" + path + "'"; }

// The few calls that the platforms spell differently. Each returns -1 after an error, in errno.
#if defined(_WIN32)
using FileInfo = struct _stat64;

int OpenToRead(const fs::path& path) {
  int file = -1;
  _wsopen_s(&file, path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT, _SH_DENYWR, 0);
  return file;
}

int OpenNew(const fs::path& path) {
  int file = -1;
  _wsopen_s(&file, path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
            _SH_DENYRW, _S_IREAD | _S_IWRITE);
  return file;
}

int Info(int file, FileInfo* info) { return _fstat64(file, info); }
bool IsRegular(const FileInfo& info) { return (info.st_mode & _S_IFMT) == _S_IFREG; }
int Close(int file) { return _close(file); }
void Remove(const fs::path& path) { _wunlink(path.c_str()); }
int64_t Read(int file, void* data, size_t size) {
  return _read(file, data, static_cast<unsigned>(size));
}
int64_t Write(int file, const void* data, size_t size) {
  return _write(file, data, static_cast<unsigned>(size));
}
// Fails when `to` is there: unlike elsewhere, this rename never replaces anything.
int MoveToNew(const fs::path& from, const fs::path& to) {
  return _wrename(from.c_str(), to.c_str());
}
#else
using FileInfo = struct stat;

// A pipe must not keep us waiting, nor may a link turn up between the look and this.
int OpenToRead(const fs::path& path) {
  return open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

int OpenNew(const fs::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int Info(int file, FileInfo* info) { return fstat(file, info); }
bool IsRegular(const FileInfo& info) { return S_ISREG(info.st_mode); }
int Close(int file) { return close(file); }
void Remove(const fs::path& path) { unlink(path.c_str()); }
int64_t Read(int file, void* data, size_t size) { return read(file, data, size); }
int64_t Write(int file, const void* data, size_t size) { return write(file, data, size); }

int MoveToNew(const fs::path& from, const fs::path& to) {
  if (link(from.c_str(), to.c_str()) == 0) {
    Remove(from);
    return 0;
  }
  if (errno == EEXIST) return -1;
  // Some file systems know no links: there the name is taken by an empty file first.
  const int file = OpenNew(to);
  if (file < 0) return -1;
  Close(file);
  if (rename(from.c_str(), to.c_str()) == 0) return 0;
  const int code = errno;
  Remove(to);
  errno = code;
  return -1;
}
#endif

constexpr size_t kPiece = size_t{1} << 30;  // bytes that every platform reads or writes in one call

// A file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int file) noexcept : file_(file) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (file_ >= 0) Close(file_);
  }

  int get() const noexcept { return file_; }
  bool CloseNow() noexcept { return Close(std::exchange(file_, -1)) == 0; }

 private:
  int file_;
};

// Is `path` in `folder`, at any depth? Both are canonical.
bool IsWithin(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() && rest != path.end();
}

bool IsMissing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

// A new file under a name that nobody waits for; gone with the object unless it was moved.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) Remove(path_);
  }

  Status Fill(const fs::path& folder, const std::vector<unsigned char>& bytes) {
    Descriptor file(Create(folder));
    if (file.get() < 0) {
      return Failed("cannot write into " + Quoted(folder.u8string()) + ": " + Reason(errno));
    }
    const auto failed = [&](int code) {
      return Failed("cannot write " + std::to_string(bytes.size()) + " bytes into " +
                    Quoted(folder.u8string()) + ": " + Reason(code));
    };
    for (size_t done = 0; done < bytes.size();) {
      const size_t piece = std::min(bytes.size() - done, kPiece);
      const int64_t count = Write(file.get(), bytes.data() + done, piece);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return failed(count < 0 ? errno : ENOSPC);
      done += static_cast<size_t>(count);
    }
    if (!file.CloseNow()) return failed(errno);  // the last place where a full disk shows
    return Status();
  }

  Status Move(const fs::path& target, bool replace) {
    std::error_code error;
    if (replace) {
      fs::rename(path_, target, error);
    } else if (MoveToNew(path_, target) != 0) {
      error = std::error_code(errno, std::generic_category());
    }
    if (error == std::errc::file_exists) {
      return InvalidArgument(Quoted(target.u8string()) +
                             " exists already: delete it or choose another output");
    }
    if (error) return Failed("cannot write " + Quoted(target.u8string()) + ": " + error.message());
    path_.clear();
    return Status();
  }

 private:
  int Create(const fs::path& folder) {
    constexpr int kTries = 100;
    auto number = std::chrono::steady_clock::now().time_since_epoch().count();
    for (int i = 0; i < kTries; ++i, ++number) {
      path_ = folder / ("." + std::to_string(number) + ".tmp");
      const int file = OpenNew(path_);
      if (file >= 0) return file;
      if (errno != EEXIST) break;
    }
    path_.clear();  // whatever is there is not ours
    return -1;
  }

  fs::path path_;
};
<% endif %>

}  // namespace

std::string PathText(const ORTCHAR_T* path) { return fs::path(path).u8string(); }

std::string NameOf(const std::string& path) { return ToPath(path).filename().u8string(); }

std::string StemOf(const std::string& path) { return ToPath(path).stem().u8string(); }
<% if external %>

std::string FolderOf(const std::string& path) {
  const fs::path folder = ToPath(path).parent_path();
  return folder.empty() ? "." : folder.u8string();
}

std::string Join(const std::string& folder, const std::string& name) {
  return (ToPath(folder) / ToPath(name)).u8string();
}

PathKind LookAt(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(ToPath(path), error);
  if (!fs::exists(status)) return PathKind::kNothing;
  if (fs::is_regular_file(status)) return PathKind::kFile;
  return fs::is_directory(status) ? PathKind::kFolder : PathKind::kOther;
}

bool IsTaken(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(ToPath(path), error));
}

Status PrepareFolder(std::string* folder) {
  std::error_code error;
  const fs::path path = fs::canonical(ToPath(*folder), error);
  if (IsMissing(error) || LookAt(*folder) != PathKind::kFolder) {
    return InvalidArgument("there is no folder " + Quoted(*folder));
  }
  if (error) return Failed("cannot look into " + Quoted(*folder) + ": " + error.message());
#if !defined(_WIN32)
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    return Failed("cannot write into " + Quoted(*folder) + ": " + Reason(errno));
  }
#endif
  *folder = path.u8string();
  return Status();
}

Status CheckContextName(const std::string& name) {
  const auto refuse = [&](const char* why) {
    constexpr size_t kShown = 80;
    std::string shown = name.size() > kShown ? name.substr(0, kShown) + "..." : name;
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    }
    return InvalidArgument(Quoted(shown) + " is no name of a file beside the model: " + why);
  };
  constexpr size_t kLongest = 255;  // bytes that a file system takes in one component
  for (char c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return refuse("it has control characters");
    if (c == '\\') return refuse("it has a backslash");
#if defined(_WIN32)
    if (c == ':') return refuse("it has a colon");
#endif
  }
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.size() > 1 && name[1] == ':' && is_letter(name[0])) return refuse("it names a drive");
  if (!name.empty() && name[0] == '/') return refuse("it is absolute");
  for (size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
    end = name.find('/', start);
    const std::string part = name.substr(start, end == std::string::npos ? end : end - start);
    if (part.empty() || part == "." || part == "..") {
      return refuse(name.empty() ? "it is empty" : "a part of it is empty, '.' or '..'");
    }
    if (part.size() > kLongest) return refuse("it is too long");
  }
  return Status();
}

Status FindContextFile(const std::string& folder, const std::string& name, std::string* path) {
  path->clear();
  EP_RETURN_IF_ERROR(CheckContextName(name));
  const std::string tried = Join(folder, name);
  std::error_code error;
  const fs::path base = fs::canonical(ToPath(folder), error);
  if (IsMissing(error)) return Status();
  if (error) return Failed("cannot look into " + Quoted(folder) + ": " + error.message());
  const fs::path file = fs::canonical(base / ToPath(name), error);
  if (IsMissing(error)) return Status();
  if (error) return Failed("cannot find " + Quoted(tried) + ": " + error.message());
  if (!IsWithin(file, base)) {
    return InvalidArgument(Quoted(tried) + " leads out of its folder, to " +
                           Quoted(file.u8string()) + ": it is not read");
  }
  if (!fs::is_regular_file(file, error)) {
    return InvalidArgument(Quoted(tried) + " is not a regular file");
  }
  *path = file.u8string();
  return Status();
}

Status ReadContextFile(const std::string& path, SharedBytes* bytes) {
  const Descriptor file(OpenToRead(ToPath(path)));
  FileInfo info{};
  if (file.get() < 0 || Info(file.get(), &info) != 0) {
    return Failed("cannot open " + Quoted(path) + ": " + Reason(errno));
  }
  if (!IsRegular(info)) return InvalidArgument(Quoted(path) + " is not a regular file");
  const auto fill = [&](unsigned char* to, size_t size) -> Status {
    for (size_t done = 0; done < size;) {
      const int64_t count = Read(file.get(), to + done, std::min(size - done, kPiece));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failed("cannot read " + Quoted(path) + ": " + Reason(errno));
      if (count == 0) return Failed(Quoted(path) + " became shorter while it was read");
      done += static_cast<size_t>(count);
    }
    return Status();
  };
  // A file may claim any size: memory is had for what begins like compiled data of that size.
  const auto size = static_cast<size_t>(info.st_size);
  unsigned char header[kBlobHeader];
  const size_t first = std::min(size, sizeof header);
  EP_RETURN_IF_ERROR(fill(header, first));
  const Status looked = CheckBlobHeader(header, first, size);
  if (!looked.ok()) return Status(looked.code(), Quoted(path) + ": " + looked.message());
  unsigned char* data = nullptr;
  SharedBytes read = AllocateBlob(size, &data);
  std::copy_n(header, first, data);
  EP_RETURN_IF_ERROR(fill(data + first, size - first));
  *bytes = std::move(read);
  return Status();
}

std::string FileStamp(const std::string& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(ToPath(path), error);
  const auto time =
      static_cast<int64_t>(fs::last_write_time(ToPath(path), error).time_since_epoch().count());
  std::string stamp = std::to_string(size) + "@" + std::to_string(time);
#if !defined(_WIN32)
  FileInfo info{};
  if (lstat(path.c_str(), &info) == 0) {
    stamp += "#" + std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
  }
#endif
  return stamp;
}

Status ContextFile::Write(const std::string& path, const std::vector<unsigned char>& bytes) {
  kept_ = false;
  std::error_code error;
  // The working folder may change before the file is removed.
  const fs::path target = fs::absolute(ToPath(path), error);
  if (error) return Failed("cannot find " + Quoted(path) + ": " + error.message());
  const bool again = written();
  if (again && FileStamp(path_) != stamp_) {
    return Failed(Quoted(path_) + " was changed by somebody else while it was written");
  }
  TemporaryFile temporary;
  EP_RETURN_IF_ERROR(temporary.Fill(target.parent_path(), bytes));
  EP_RETURN_IF_ERROR(temporary.Move(target, again));
  path_ = target.u8string();
  stamp_ = FileStamp(path_);
  return Status();
}

ContextFile::~ContextFile() {
  if (kept_ || !written()) return;
  try {
    if (FileStamp(path_) == stamp_) Remove(ToPath(path_));
  } catch (const std::exception&) {
    // The file stays; there is nobody to tell.
  }
}
<% endif %>

}  // namespace <%= ns %>
