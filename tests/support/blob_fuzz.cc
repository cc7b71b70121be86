// Reads spoilt compiled data as the library does, without ONNX Runtime:
//
//   blob_fuzz CORPUS SEED FIRST COUNT [FOLDER]
//
// CORPUS has files of real compiled data (*.bin); small ones of our own come along. First all of
// these are read and run as they are, a line each: `base NAME OUTCOME MESSAGE`. Then come COUNT
// spoilt copies from number FIRST on: `NUMBER BASE sealed|open OUTCOME MESSAGE`. Every second one
// is sealed: its checksums are right again. The last line is the largest share of memory that
// reading took, `memory BYTES PER_BYTE`. With FOLDER the copies are written there, as
// NUMBER.BASE.bin, and not read.
//
// OUTCOME is where it ended: decode, restore or run, each with the status's text, or ran. Whatever
// is no status ends the program, as does a copy that takes too long.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "blob_bases.h"
#include "blob_mutate.h"
#include "gen/graph/blob.h"
#include "gen/graph/executable.h"

#if __has_include("device/runtime.h")
#include "device/runtime.h"
#define DEVICE_MEMORY 1
#else
#define DEVICE_MEMORY 0
#endif

namespace {

// Of all that is allocated with new.
size_t live = 0;
size_t peak = 0;
size_t most = SIZE_MAX;  // more than that there is not

void* Allocate(size_t size, size_t alignment) noexcept {
  if (size > most || live > most - size) return nullptr;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded)
                                                       : std::malloc(size != 0 ? size : 1);
  if (memory != nullptr) live += malloc_usable_size(memory);
  peak = std::max(peak, live);
  return memory;
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  void* memory = Allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Free(void* memory) noexcept {
  if (memory != nullptr) live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return AllocateOrThrow(size, 1); }
void* operator new[](size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { Free(memory); }

namespace {

using namespace PROJECT;  // NOLINT
using fuzz::Bytes;
using fuzz::Chance;

constexpr unsigned kPatience = 60;  // seconds that a copy may take
constexpr size_t kMostWhileReading = size_t{1} << 30;
constexpr size_t kMostWhileRunning = size_t{64} << 20;
constexpr size_t kShort = 2000;
constexpr size_t kLargestOutput = size_t{16} << 20;
constexpr size_t kSlack = size_t{1} << 20;  // memory that reading may take at any rate
constexpr size_t kMostPerByte = 64;         // ... and for each byte of the data

// All inputs of a run have the same shape; which one suits, is found out.
const std::vector<Shape> kShapes = {{2, 3}, {1, 3, 16, 16}, {1, 3, 48, 16}, {1, 3, 64, 64}, {}};

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

#if DEVICE_MEMORY
// A device whose addresses are nobody else's; its memory is as closely watched as the host's.
class FarRuntime final : public Runtime {
 public:
  Status Allocate(size_t bytes, void** address) override {
    auto owned = std::make_unique<unsigned char[]>(bytes);  // or an exception: it is out of memory
    sizes_[reinterpret_cast<uintptr_t>(owned.get())] = bytes;
    void* memory = owned.release();
    *address = Move(memory, kFar);
    return Status();
  }
  void Free(void* address) noexcept override {
    if (address == nullptr) return;
    void* memory = Move(address, 0 - kFar);
    sizes_.erase(reinterpret_cast<uintptr_t>(memory));
    delete[] static_cast<unsigned char*>(memory);
  }
  Status CopyToDevice(void* device, const void* host, size_t bytes) override {
    std::memcpy(Find(device, bytes), host, bytes);
    return Status();
  }
  Status CopyToHost(void* host, const void* device, size_t bytes) override {
    std::memcpy(host, Find(device, bytes), bytes);
    return Status();
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes) override {
    std::memcpy(Find(to, bytes), Find(from, bytes), bytes);
    return Status();
  }
  void* KernelAddress(const void* device) const noexcept override {
    void* memory = Move(device, 0 - kFar);
    const auto at = reinterpret_cast<uintptr_t>(memory);
    const auto next = sizes_.upper_bound(at);
    if (next == sizes_.begin()) return nullptr;
    return at - std::prev(next)->first < std::prev(next)->second ? memory : nullptr;
  }

 private:
  static constexpr uintptr_t kFar = uintptr_t{1} << 60;

  static void* Move(const void* address, uintptr_t by) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) + by);
  }
  void* Find(const void* device, size_t bytes) const {
    void* memory = bytes != 0 ? KernelAddress(device) : nullptr;
    if (memory == nullptr) Die("a copy of what is not in the device's memory");
    return memory;
  }

  std::map<uintptr_t, size_t> sizes_;
};

FarRuntime runtime;
#endif

// Memory for tensors: the host's, or the device's if there is one.
class Memory {
 public:
  explicit Memory(size_t size) : size_(size) {
#if DEVICE_MEMORY
    if (!runtime.Allocate(size != 0 ? size : 1, &address_).ok()) throw std::bad_alloc();
#else
    // Exactly so many that a sanitizer sees where they end.
    address_ = ::operator new(size);
#endif
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
#if DEVICE_MEMORY
    runtime.Free(address_);
#else
    ::operator delete(address_);
#endif
  }

  void Fill(const void* from) {
    if (size_ == 0) return;
#if DEVICE_MEMORY
    (void)runtime.CopyToDevice(address_, from, size_);
#else
    std::memcpy(address_, from, size_);
#endif
  }
  void* get() const { return address_; }

 private:
  size_t size_;
  void* address_ = nullptr;
};

class HostExec final : public Exec {
 public:
  void ParallelFor(int64_t count, int64_t, Range range, void* context) override {
    const int64_t middle = count / 2;
    if (middle < count) range(context, middle, count);
    if (middle > 0) range(context, 0, middle);
  }
  Status Scratch(size_t bytes, void** memory) override {
    if (bytes > kLargestOutput) return Failed("the host has no so large scratch memory");
    scratch_.push_back(std::make_unique<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1));
    *memory = scratch_.back().get();
    return Status();
  }
  void* Stream() const noexcept override { return nullptr; }

 private:
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
};

class HostResults final : public Results {
 public:
  explicit HostResults(const std::vector<Port>& ports) : ports_(ports), memory_(ports.size()) {}

  Status Allocate(size_t index, const Shape& shape, MutableTensor* tensor) override {
    if (index >= ports_.size() || memory_[index] != nullptr) Die("an output that is not asked for");
    size_t bytes = SizeOf(ports_[index].dtype);
    if (bytes == 0) Die("an output without a type");
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    for (int64_t dim : shape) {
      if (dim < 0) Die("an output with a negative dimension");
      const auto size = static_cast<uint64_t>(dim);
      if (!empty && size > kLargestOutput / bytes) return Failed("the host has no so large output");
      bytes *= empty ? 1 : static_cast<size_t>(size);
    }
    memory_[index] = std::make_unique<Memory>(empty ? 0 : bytes);
    *tensor = {memory_[index]->get(), ports_[index].dtype, shape};
    return Status();
  }
  bool complete() const {
    return std::all_of(memory_.begin(), memory_.end(), [](const auto& m) { return m != nullptr; });
  }

 private:
  const std::vector<Port>& ports_;
  std::vector<std::unique_ptr<Memory>> memory_;
};

// Inputs of a program, all of one shape.
class Feeds {
 public:
  Feeds(const std::vector<Port>& ports, const Shape& shape) {
    const auto count = static_cast<size_t>(ElementCount(shape));
    for (const Port& port : ports) {
      const size_t size = SizeOf(port.dtype);
      if (size == 0) Die("an input without a type");
      Bytes bytes(count * size);
      for (size_t i = 0; i < count; ++i) {
        unsigned char* element = bytes.data() + i * size;
        const float real = static_cast<float>(i % 7) / 4 - 1;
        *element = i % 2;
        if (port.dtype == DType::kFloat32) std::memcpy(element, &real, sizeof real);
      }
      memory_.push_back(std::make_unique<Memory>(bytes.size()));
      memory_.back()->Fill(bytes.data());
      tensors_.push_back({memory_.back()->get(), port.dtype, shape});
    }
    for (const Tensor& tensor : tensors_) list_.push_back(&tensor);
  }

  Inputs all() const { return Inputs(list_.data(), list_.size()); }
  Inputs none() const { return Inputs(list_.data(), 0); }
  void Mistype() {
    for (Tensor& tensor : tensors_) {
      tensor.dtype = tensor.dtype == DType::kBool ? DType::kInt8 : DType::kBool;
    }
  }

 private:
  std::vector<std::unique_ptr<Memory>> memory_;
  std::vector<Tensor> tensors_;
  std::vector<const Tensor*> list_;
};

Status Run(const Executable& executable, Inputs inputs, size_t memory) {
  HostResults results(executable.outputs());
  HostExec exec;
  most = live + memory;
  const Status status = executable.Run(inputs, results, exec);
  most = SIZE_MAX;
  if (status.ok() && !results.complete()) Die("a run that is complete, but not all its outputs");
  return status;
}

// Once more where memory is short, once more as before, and with inputs that are none.
Status RunOften(const Executable& executable, const Shape& shape) {
  Feeds feeds(executable.inputs(), shape);
  EP_RETURN_IF_ERROR(Run(executable, feeds.all(), kMostWhileRunning));
  (void)Run(executable, feeds.all(), kShort);
  const Status again = Run(executable, feeds.all(), kMostWhileRunning);
  if (!again.ok()) Die(std::string("the second run fails: ") + again.message());
  if (executable.inputs().empty()) return Status();
  feeds.Mistype();
  if (Run(executable, feeds.none(), kMostWhileRunning).ok() ||
      Run(executable, feeds.all(), kMostWhileRunning).ok()) {
    Die("a run without its inputs");
  }
  return Status();
}

struct Outcome {
  const char* where;
  std::string message;
};

// What reading took at most, per byte of the data, and altogether.
double most_per_byte = 0;
size_t most_bytes = 0;

class Reading {
 public:
  explicit Reading(size_t size) : size_(size), before_(live) {
    peak = live;
    most = live + kMostWhileReading;
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    const size_t taken = peak - before_;
    most = SIZE_MAX;
    most_bytes = std::max(most_bytes, taken);
    if (taken > kSlack + kMostPerByte * size_) {
      Die("reading took " + std::to_string(taken) + " bytes for " + std::to_string(size_));
    }
    if (taken <= kSlack / 64) return;
    most_per_byte =
        std::max(most_per_byte, static_cast<double>(taken) / static_cast<double>(size_ + 1));
  }

 private:
  size_t size_;
  size_t before_;
};

// Each on inputs of the first shape that suits.
Outcome RunAll(const std::vector<std::unique_ptr<Executable>>& executables,
               const std::vector<Shape>& shapes) {
  Outcome outcome = {"ran", ""};
  for (const auto& executable : executables) {
    Status status;
    for (const Shape& shape : shapes) {
      status = RunOften(*executable, shape);
      if (status.ok()) break;
    }
    if (!status.ok()) outcome = {"run", status.message()};
  }
  return outcome;
}

// Chunks lie side by side in the data. Apart, a sanitizer sees who reads beyond one of them.
void MoveApart(Saved* saved) {
  for (SharedBytes& chunk : saved->chunks) {
    const auto owner = std::make_shared<Bytes>(chunk.data, chunk.data + chunk.size);
    chunk = {owner, owner->data(), owner->size()};
  }
}

Outcome Judge(const Bytes& bytes, const std::vector<Shape>& shapes) {
  unsigned char* data = nullptr;
  const SharedBytes shared = AllocateBlob(bytes.size(), &data);
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  BlobContent content;
  std::vector<std::unique_ptr<Executable>> executables;
  {
    const Reading reading(bytes.size());
    Status status = DecodeBlob(shared, &content);
    if (!status.ok()) return {"decode", status.message()};
    for (BlobContent::Entry& entry : content.entries) {
      MoveApart(&entry.saved);
      CompileRequest request;
      request.saved = &entry.saved;
#if DEVICE_MEMORY
      request.runtime = &runtime;
#endif
      executables.emplace_back();
      status = Compile(request, &executables.back());
      if (!status.ok()) return {"restore", status.message()};
    }
  }
  Outcome outcome = RunAll(executables, shapes);
  // What was read can be saved again.
  for (size_t i = 0; i < executables.size(); ++i) {
    const Status status = executables[i]->Save(&content.entries[i].saved);
    if (!status.ok()) Die(std::string("cannot be saved again: ") + status.message());
  }
  Bytes again;
  const Status status = EncodeBlob(content, &again);
  if (!status.ok()) Die(std::string("cannot be encoded again: ") + status.message());
  return outcome;
}

// Where an exception would be lost in the library, it ends the program here.
Outcome JudgeSafely(const Bytes& bytes, const std::vector<Shape>& shapes) {
  alarm(kPatience);
  try {
    return Judge(bytes, shapes);
  } catch (const std::exception& error) {
    Die(std::string("an exception: ") + error.what());
  }
}

void Say(const std::string& what, const Outcome& outcome) {
  std::string line = what + " " + outcome.where + " " + outcome.message.substr(0, 200);
  for (char& c : line) c = c < ' ' || c > '~' ? '?' : c;
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

struct Base {
  std::string name;
  BlobContent content;
  Bytes bytes;
  std::vector<Shape> shapes;  // for its inputs
};

std::vector<Base> Bases(const char* corpus) {
  namespace fs = std::filesystem;
  std::vector<Base> bases;
  for (auto& [name, content] : fuzz::MakeBases()) {
    bases.push_back({name, content, {}, {}});
    if (!EncodeBlob(content, &bases.back().bytes).ok()) Die("cannot encode " + name);
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    bases.push_back({path.stem().string(), {}, {}, {}});
    Base& base = bases.back();
    base.bytes.assign(std::istreambuf_iterator<char>(file), {});
    unsigned char* data = nullptr;
    const SharedBytes shared = AllocateBlob(base.bytes.size(), &data);
    std::memcpy(data, base.bytes.data(), base.bytes.size());
    const Status status = DecodeBlob(shared, &base.content);
    if (!status.ok()) Die(path.string() + ": " + status.message());
  }
  return bases;
}

// Which of the shapes suits the base as it is.
void FindShape(Base* base) {
  Outcome outcome = {"run", "no shape suits"};
  for (const Shape& shape : kShapes) {
    outcome = JudgeSafely(base->bytes, {shape});
    base->shapes = {shape};
    if (std::strcmp(outcome.where, "ran") == 0) break;
  }
  Say("base " + base->name, outcome);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) Die("blob_fuzz CORPUS SEED FIRST COUNT [FOLDER]");
  const auto seed = std::strtoull(argv[2], nullptr, 10);
  const auto first = std::strtoull(argv[3], nullptr, 10);
  const auto count = std::strtoull(argv[4], nullptr, 10);
  const char* folder = argc > 5 ? argv[5] : nullptr;
  std::vector<Base> bases = Bases(argv[1]);
  std::vector<Bytes> all;
  for (Base& base : bases) {
    if (folder == nullptr) FindShape(&base);
    all.push_back(base.bytes);
  }
  for (uint64_t number = first; number < first + count; ++number) {
    const Base& base = bases[number / 2 % bases.size()];
    const bool sealed = number % 2 == 1;
    Chance chance(seed << 32 ^ number);
    const bool programs = sealed && chance.OneIn(2) && !base.content.entries.empty();
    Bytes spoilt = base.bytes;
    while (std::find(all.begin(), all.end(), spoilt) != all.end()) {
      spoilt = programs ? fuzz::SpoilPrograms(base.content, &chance)
                        : fuzz::SpoilBytes(base.bytes, all, sealed, &chance);
    }
    if (folder != nullptr) {
      const std::string name = std::to_string(number) + "." + base.name + ".bin";
      std::ofstream file(std::string(folder) + "/" + name, std::ios::binary);
      file.write(reinterpret_cast<const char*>(spoilt.data()),
                 static_cast<std::streamsize>(spoilt.size()));
      continue;
    }
    const std::string label =
        std::to_string(number) + " " + base.name + (sealed ? " sealed" : " open");
    Say(label, JudgeSafely(spoilt, base.shapes));
  }
  alarm(0);
  std::printf("memory %zu %.1f\n", most_bytes, most_per_byte);
}
