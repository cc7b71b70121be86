<%= banner %>
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "check.h"
#include "gen/api/kernel.h"
#include "gen/kernel_table.h"

// Calls kernels as the library does - found in the kernel table, made for a node, given shapes and
// then memory - but without ONNX Runtime.
namespace <%= ns %>::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>,
                               std::vector<float>, TensorValue<% if strings_attributes %>, std::vector<std::string><% endif %>>;

class FakeNode final : public Node {
 public:
  explicit FakeNode(int since) : since_(since) {}

  void Set(const std::string& name, Attribute value) { attributes_[name] = std::move(value); }
  void SetCounts(size_t inputs, size_t outputs) {
    inputs_ = inputs;
    outputs_ = outputs;
  }

  int SinceVersion() const override { return since_; }
  size_t InputCount() const override { return inputs_; }
  size_t OutputCount() const override { return outputs_; }

  Status Get(const char* name, int64_t* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, float* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, std::string* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, std::vector<int64_t>* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, std::vector<float>* value, bool* found) const override {
    return Find(name, value, found);
  }
<% if tensor_attributes or compiled %>
  Status Get(const char* name, TensorValue* value, bool* found) const override {
    return Find(name, value, found);
  }
<% endif %>
<% if strings_attributes %>
  Status Get(const char* name, std::vector<std::string>* value, bool* found) const override {
    return Find(name, value, found);
  }
<% endif %>

 private:
  template <class T>
  Status Find(const char* name, T* value, bool* found) const {
    const auto entry = attributes_.find(name);
    if (found != nullptr) *found = entry != attributes_.end();
    if (entry == attributes_.end()) return Status();
    const T* held = std::get_if<T>(&entry->second);
    if (held == nullptr) return InvalidArgument(std::string(name) + " is of another kind");
    *value = *held;
    return Status();
  }

  int since_;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  std::map<std::string, Attribute> attributes_;
};

// Runs the pieces of a ParallelFor one after another, last piece first: a kernel that relies on
// the order gives wrong results.
class FakeExec final : public Exec {
 public:
  explicit FakeExec(int64_t pieces) : pieces_(pieces) {}

  void ParallelFor(int64_t count, int64_t, Range range, void* context) override {
    const int64_t step = (count + pieces_ - 1) / pieces_;
    for (int64_t piece = pieces_; piece-- > 0;) {
      const int64_t begin = piece * step < count ? piece * step : count;
      const int64_t end = begin + step < count ? begin + step : count;
      if (begin < end) range(context, begin, end);
    }
  }
  Status Scratch(size_t bytes, void** memory) override {
    const size_t units = bytes / sizeof(std::max_align_t) + 1;
    scratch_.push_back(std::make_unique<std::max_align_t[]>(units));
    *memory = scratch_.back().get();
    return Status();
  }
  void* Stream() const noexcept override { return nullptr; }

 private:
  int64_t pieces_;
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
};

using Dims = std::initializer_list<int64_t>;
using Numbers = std::initializer_list<double>;

template <class T>
void Store(Numbers data, std::vector<unsigned char>& bytes) {
  for (double number : data) {
    const T element = static_cast<T>(number);
    const unsigned char* begin = reinterpret_cast<const unsigned char*>(&element);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
  }
}

<% if halves %>
// Appends 16-bit floats: the sign, `exponent_bits` of the exponent, and the fraction, to the nearest.
inline void StoreHalves(Numbers data, int exponent_bits, std::vector<unsigned char>& bytes) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int infinity = ((1 << exponent_bits) - 1) << fraction_bits;
  for (double number : data) {
    int bits = infinity;
    if (std::isnan(number)) {
      bits += 1 << (fraction_bits - 1);
    } else if (!std::isinf(number)) {
      int exponent = 0;
      std::frexp(number, &exponent);
      // Numbers too small for the lowest exponent have it without the leading 1.
      if (number == 0 || exponent < 2 - bias) exponent = 2 - bias;
      const double steps = std::nearbyint(std::ldexp(std::fabs(number), fraction_bits - exponent + 1));
      bits = static_cast<int>(steps) + ((exponent + bias - 2) << fraction_bits);
    }
    const auto half = static_cast<uint16_t>(bits | (std::signbit(number) ? 0x8000 : 0));
    const unsigned char* begin = reinterpret_cast<const unsigned char*>(&half);
    bytes.insert(bytes.end(), begin, begin + sizeof half);
  }
}

// The value of a 16-bit float.
inline double HalfValue(uint16_t half, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int fraction = half & ((1 << fraction_bits) - 1);
  const int exponent = (half & 0x7FFF) >> fraction_bits;
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    value = fraction != 0 ? kNaN : kInfinity;
  } else {
    const int steps = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
    value = std::ldexp(steps, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
  }
  return (half & 0x8000) != 0 ? -value : value;
}

<% endif %>
// A tensor with its own memory.
inline TensorValue Make(DType dtype, Dims shape, Numbers data) {
  TensorValue value;
  value.dtype = dtype;
  value.shape = shape;
  switch (dtype) {
    case DType::kBool:
      Store<bool>(data, value.bytes);
      break;
    case DType::kInt8:
      Store<int8_t>(data, value.bytes);
      break;
    case DType::kInt16:
      Store<int16_t>(data, value.bytes);
      break;
    case DType::kInt32:
      Store<int32_t>(data, value.bytes);
      break;
    case DType::kInt64:
      Store<int64_t>(data, value.bytes);
      break;
    case DType::kUint8:
      Store<uint8_t>(data, value.bytes);
      break;
    case DType::kUint16:
      Store<uint16_t>(data, value.bytes);
      break;
    case DType::kUint32:
      Store<uint32_t>(data, value.bytes);
      break;
    case DType::kUint64:
      Store<uint64_t>(data, value.bytes);
      break;
    case DType::kFloat32:
      Store<float>(data, value.bytes);
      break;
    case DType::kFloat64:
      Store<double>(data, value.bytes);
      break;
<% if halves %>
    case DType::kFloat16:
      StoreHalves(data, 5, value.bytes);
      break;
    case DType::kBfloat16:
      StoreHalves(data, 8, value.bytes);
      break;
<% endif %>
    default:
      CHECK_THAT(false, std::string("the harness makes tensors of this type"));
  }
  const bool fits = value.bytes.size() == static_cast<size_t>(ElementCount(value.shape)) * SizeOf(dtype);
  CHECK_THAT(fits, std::string("the data of a sample has its shape"));
  return value;
}

// One call of one kernel with what must come out of it.
class Call {
 public:
  Call(const char* domain, const char* op, int since)
      : domain_(domain), op_(op), node_(since), what_(std::string(op) + "-" + std::to_string(since)) {}

  Call& With(const char* name, Attribute value) {
    node_.Set(name, std::move(value));
    return *this;
  }
  Call& With(const char* name, DType value) { return With(name, int64_t{static_cast<int>(value)}); }
  Call& Input(DType dtype, Dims shape, Numbers data) {
    inputs_.push_back(std::make_unique<TensorValue>(Make(dtype, shape, data)));
    return *this;
  }
  Call& NoInput() {
    inputs_.push_back(nullptr);
    return *this;
  }
  Call& Expect(DType dtype, Dims shape, Numbers data) {
    expected_.push_back(Make(dtype, shape, data));
    return *this;
  }

  // Must fail with that code, at whichever step. Of the outputs only the type matters.
  void Refuse(StatusCode code) {
    FakeExec exec(1);
    Results results;
    const Status status = Perform(exec, results);
    CHECK_THAT(status.code() == code, what_ + " is refused, not: " + status.message());
    CHECK_THAT(*status.message() != '\0', what_ + " says why it is refused");
  }

<% if packing %>
  // Must give what is expected, in one piece and in several; and the same to the bit where the
  // kernel has packed its inputs.
  void Run() {
    CheckPacked();
<% else %>
  // Must give what is expected, in one piece and in several.
  void Run() {
<% endif %>
    for (int64_t pieces : {1, 3}) {
      FakeExec exec(pieces);
      RunOn(exec);
    }
  }

 private:
  // More bytes than any kernel may write, with a pattern that shows who wrote where.
  static constexpr size_t kMargin = 64;
  static constexpr unsigned char kUntouched = 0xA5;

  // What a call leaves behind.
  struct Results {
    Shapes shapes;
    std::vector<std::vector<unsigned char>> memory;
  };

  // The same steps as in the library, with outputs of the types that are expected.
<% if packing %>
  Status Perform(Exec& exec, Results& results, bool packs = false) {
<% else %>
  Status Perform(Exec& exec, Results& results) {
<% endif %>
    const KernelRow* row = FindRow();
    if (row == nullptr) return Failed(what_ + " is not in the kernel table");
    node_.SetCounts(inputs_.size(), expected_.size());
    std::unique_ptr<Kernel> kernel;
    EP_RETURN_IF_ERROR(row->make(node_, kernel));

    std::vector<Tensor> tensors(inputs_.size());
    std::vector<const Tensor*> inputs(inputs_.size(), nullptr);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] == nullptr) continue;
      tensors[i].raw = inputs_[i]->bytes.data();
      tensors[i].dtype = inputs_[i]->dtype;
      tensors[i].shape = inputs_[i]->shape;
      inputs[i] = &tensors[i];
    }
<% if packing %>
    std::vector<std::vector<std::max_align_t>> packed(inputs_.size());
    for (size_t i = 0; packs && i < inputs_.size(); ++i) {
      const size_t size = inputs[i] != nullptr ? kernel->PackedSize(i, tensors[i]) : 0;
      if (size == 0) continue;
      packed[i].resize(size / sizeof(std::max_align_t) + 1);
      kernel->Pack(i, tensors[i], packed[i].data());
      tensors[i].raw = nullptr;
      tensors[i].packed = packed[i].data();
    }
<% endif %>
    const Inputs given(inputs.data(), inputs.size());
    results.shapes.assign(expected_.size(), Shape());
    EP_RETURN_IF_ERROR(kernel->Infer(given, results.shapes));

    results.memory.resize(expected_.size());
    std::vector<MutableTensor> made(expected_.size());
    std::vector<MutableTensor*> outputs(expected_.size());
    bool empty = true;
    for (size_t i = 0; i < expected_.size(); ++i) {
      made[i].dtype = expected_[i].dtype;
      made[i].shape = results.shapes[i];
      const size_t bytes = static_cast<size_t>(made[i].size()) * SizeOf(made[i].dtype);
      results.memory[i].assign(bytes + kMargin, kUntouched);
      made[i].raw = results.memory[i].data();
      outputs[i] = &made[i];
      empty = empty && bytes == 0;
    }
    if (empty) return Status();
    return kernel->Run(given, Outputs(outputs.data(), outputs.size()), exec);
  }

<% if packing %>
  void CheckPacked() {
    FakeExec exec(1);
    Results plain;
    Results packed;
    const Status first = Perform(exec, plain);
    const Status second = Perform(exec, packed, true);
    CHECK_THAT(first.code() == second.code(), what_ + " takes packed inputs: " + second.message());
    CHECK_THAT(plain.memory == packed.memory, what_ + " gives the same for packed inputs");
  }

<% endif %>
  void RunOn(Exec& exec) {
    Results results;
    const Status status = Perform(exec, results);
    if (!CHECK_THAT(status.ok(), what_ + " computes: " + status.message())) return;
    for (size_t i = 0; i < expected_.size(); ++i) {
      const bool same = results.shapes[i] == expected_[i].shape;
      if (!CHECK_THAT(same, what_ + " infers the shape of output " + std::to_string(i))) return;
      Compare(expected_[i], results.memory[i]);
    }
  }

  const KernelRow* FindRow() const {
    const KernelTable table = Kernels();
    for (size_t i = 0; i < table.count; ++i) {
      const KernelRow& row = table.rows[i];
      if (row.since == node_.SinceVersion() && domain_ == row.domain && op_ == row.op) return &row;
    }
    return nullptr;
  }

  void Compare(const TensorValue& expected, const std::vector<unsigned char>& memory) const {
    bool margin_untouched = true;
    for (size_t i = expected.bytes.size(); i < memory.size(); ++i) {
      margin_untouched = margin_untouched && memory[i] == kUntouched;
    }
    CHECK_THAT(margin_untouched, what_ + " stays within its output");
    if (expected.dtype == DType::kFloat32) {
      CompareFloats<float>(expected, memory.data(), 1e-5);
    } else if (expected.dtype == DType::kFloat64) {
      CompareFloats<double>(expected, memory.data(), 1e-7);
<% if halves %>
    } else if (expected.dtype == DType::kFloat16) {
      CompareHalves(expected, memory.data(), 1e-3, 5);
    } else if (expected.dtype == DType::kBfloat16) {
      CompareHalves(expected, memory.data(), 8e-3, 8);
<% endif %>
    } else {
      const size_t bytes = expected.bytes.size();
      const bool same = bytes == 0 || std::memcmp(expected.bytes.data(), memory.data(), bytes) == 0;
      CHECK_THAT(same, what_ + " gives the expected values");
    }
  }

<% if halves %>
  // 16-bit floats, as the numbers that they stand for.
  void CompareHalves(const TensorValue& expected, const unsigned char* memory, double tolerance,
                     int exponent_bits) const {
    TensorValue want;
    TensorValue got;
    for (size_t i = 0; i < expected.bytes.size(); i += sizeof(uint16_t)) {
      uint16_t half = 0;
      std::memcpy(&half, expected.bytes.data() + i, sizeof half);
      Store<double>({HalfValue(half, exponent_bits)}, want.bytes);
      std::memcpy(&half, memory + i, sizeof half);
      Store<double>({HalfValue(half, exponent_bits)}, got.bytes);
    }
    CompareFloats<double>(want, got.bytes.data(), tolerance);
  }

<% endif %>
  template <class T>
  void CompareFloats(const TensorValue& expected, const unsigned char* memory,
                     double tolerance) const {
    for (size_t i = 0; i * sizeof(T) < expected.bytes.size(); ++i) {
      T want = 0;
      T got = 0;
      std::memcpy(&want, expected.bytes.data() + i * sizeof(T), sizeof(T));
      std::memcpy(&got, memory + i * sizeof(T), sizeof(T));
      const double gap = std::abs(static_cast<double>(want) - static_cast<double>(got));
      const bool close = gap <= tolerance * (1.0 + std::abs(static_cast<double>(want)));
      const bool both_nan = std::isnan(want) && std::isnan(got);
      const bool same_infinity = std::isinf(want) && std::isinf(got) && (want > 0) == (got > 0);
      CHECK_THAT(both_nan || same_infinity || (close && !std::isinf(want)),
                 what_ + " element " + std::to_string(i) + ": expected " + std::to_string(want) +
                     ", got " + std::to_string(got));
    }
  }

  std::string domain_;
  std::string op_;
  FakeNode node_;
  std::string what_;
  std::vector<std::unique_ptr<TensorValue>> inputs_;
  std::vector<TensorValue> expected_;
};

}  // namespace <%= ns %>::test
