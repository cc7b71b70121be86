<%= banner %>
#include "gen/kernels/support/conversion.h"

#include <cstdint>
#include <type_traits>

#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/halves.h"

namespace <%= ns %> {
namespace {

// Elements go through the widest type of their kind, a block at a time: as many loops as there are
// types, not as there are pairs of them. Blocks begin where a byte begins.
constexpr int64_t kBlock = 512;
enum class Wide { kDouble, kInt64, kUint64, kNone };

Wide WideOf(DType type) noexcept {
  if (IsSmallFloat(type)) return Wide::kDouble;
  switch (type) {
    case DType::kFloat32:
    case DType::kFloat64:
      return Wide::kDouble;
    case DType::kUint64:
      return Wide::kUint64;
    case DType::kBool:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
<% if small_types %>
    case DType::kInt4:
    case DType::kUint4:
    case DType::kInt2:
    case DType::kUint2:
<% endif %>
      return Wide::kInt64;
    default:
      return Wide::kNone;
  }
}

template <class In, class Out>
void Each(const void* from, void* to, int64_t count) {
  const In* x = static_cast<const In*>(from);
  Out* y = static_cast<Out*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = Convert<Out>(x[i]);
}

<% if small_types %>
// The bits of element `i`; those that share a byte begin with its low bits.
uint32_t ReadBits(DType type, const void* from, int64_t i) noexcept {
  const int64_t bits = BitsOf(type);
  if (bits == 16) return static_cast<const uint16_t*>(from)[i];
  const uint32_t byte = static_cast<const unsigned char*>(from)[i * bits / 8];
  return byte >> (i * bits % 8) & ((1u << bits) - 1);
}

// Of those that share a byte the first has to come first: it clears the rest.
void WriteBits(DType type, void* to, int64_t i, uint32_t value) noexcept {
  const int64_t bits = BitsOf(type);
  if (bits == 16) {
    static_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(value);
    return;
  }
  unsigned char& byte = static_cast<unsigned char*>(to)[i * bits / 8];
  const int64_t at = i * bits % 8;
  const uint32_t kept = at == 0 ? 0 : byte;
  byte = static_cast<unsigned char>(kept | (value & ((1u << bits) - 1)) << at);
}
<% else %>
uint32_t ReadBits(DType, const void* from, int64_t i) noexcept {
  return static_cast<const uint16_t*>(from)[i];
}

void WriteBits(DType, void* to, int64_t i, uint32_t value) noexcept {
  static_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(value);
}
<% endif %>

// `count` elements of x, to the widest type of their kind.
void Load(DType type, const void* x, void* wide, int64_t count) {
  if (IsSmallFloat(type)) {
    double* y = static_cast<double*>(wide);
    for (int64_t i = 0; i < count; ++i) y[i] = DecodeSmallFloat(type, ReadBits(type, x, i));
    return;
  }
  switch (type) {
    case DType::kFloat32:
      return Each<float, double>(x, wide, count);
    case DType::kFloat64:
      return Each<double, double>(x, wide, count);
    case DType::kBool:
      return Each<bool, int64_t>(x, wide, count);
    case DType::kInt8:
      return Each<int8_t, int64_t>(x, wide, count);
    case DType::kInt16:
      return Each<int16_t, int64_t>(x, wide, count);
    case DType::kInt32:
      return Each<int32_t, int64_t>(x, wide, count);
    case DType::kInt64:
    case DType::kUint64:
      return Each<int64_t, int64_t>(x, wide, count);
    case DType::kUint8:
      return Each<uint8_t, int64_t>(x, wide, count);
    case DType::kUint16:
      return Each<uint16_t, int64_t>(x, wide, count);
    case DType::kUint32:
      return Each<uint32_t, int64_t>(x, wide, count);
    default:
      break;
  }
<% if small_types %>
  const bool is_signed = type == DType::kInt4 || type == DType::kInt2;
  const uint32_t sign = is_signed ? 1u << (BitsOf(type) - 1) : 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = ReadBits(type, x, i);
    static_cast<int64_t*>(wide)[i] = static_cast<int64_t>(bits ^ sign) - static_cast<int64_t>(sign);
  }
<% endif %>
}

// An integer as a double that rounds to few bits as the integer would: what does not fit sets the
// lowest bit.
double StickyDouble(uint64_t magnitude) noexcept {
  constexpr uint64_t kLow = 0x7FF;
  if (magnitude >> 53 == 0) return static_cast<double>(magnitude);
  return static_cast<double>((magnitude & ~kLow) | ((magnitude & kLow) != 0 ? kLow + 1 : 0));
}

void Encode(Wide from, const void* wide, const SmallFloat& to, void* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    double value = 0;
    if (from == Wide::kDouble) {
      value = static_cast<const double*>(wide)[i];
    } else {
      const int64_t whole = static_cast<const int64_t*>(wide)[i];
      const auto bits = static_cast<uint64_t>(whole);
      const bool is_negative = from == Wide::kInt64 && whole < 0;
      value = is_negative ? -StickyDouble(0 - bits) : StickyDouble(bits);
    }
    WriteBits(to.type, y, i, EncodeSmallFloat(to, value));
  }
}

// From a wide type. To an integer both wide ones lead the same way: the low bits are kept.
template <class Out>
void Narrow(Wide from, const void* wide, void* y, int64_t count) {
  if (from == Wide::kDouble) return Each<double, Out>(wide, y, count);
  if constexpr (std::is_floating_point_v<Out>) {
    if (from == Wide::kUint64) return Each<uint64_t, Out>(wide, y, count);
  }
  Each<int64_t, Out>(wide, y, count);
}

// `count` elements of y, from the widest type of what they were.
void Store(Wide from, const void* wide, const SmallFloat& to, void* y, int64_t count) {
  if (IsSmallFloat(to.type)) return Encode(from, wide, to, y, count);
  switch (to.type) {
    case DType::kFloat32:
      return Narrow<float>(from, wide, y, count);
    case DType::kFloat64:
      return Narrow<double>(from, wide, y, count);
    case DType::kBool:
      return Narrow<bool>(from, wide, y, count);
    case DType::kInt8:
      return Narrow<int8_t>(from, wide, y, count);
    case DType::kUint8:
      return Narrow<uint8_t>(from, wide, y, count);
    case DType::kInt16:
      return Narrow<int16_t>(from, wide, y, count);
    case DType::kUint16:
      return Narrow<uint16_t>(from, wide, y, count);
    case DType::kInt32:
      return Narrow<int32_t>(from, wide, y, count);
    case DType::kUint32:
      return Narrow<uint32_t>(from, wide, y, count);
    case DType::kInt64:
      return Narrow<int64_t>(from, wide, y, count);
    case DType::kUint64:
      return Narrow<uint64_t>(from, wide, y, count);
    default:
      break;
  }
<% if small_types %>
  int64_t whole[kBlock];
  Narrow<int64_t>(from, wide, whole, count);
  for (int64_t i = 0; i < count; ++i) WriteBits(to.type, y, i, static_cast<uint32_t>(whole[i]));
<% endif %>
}

int64_t BytesOfBlocks(DType type, int64_t blocks) noexcept {
<% if small_types %>
  return blocks * kBlock * BitsOf(type) / 8;
<% else %>
  return blocks * kBlock * static_cast<int64_t>(SizeOf(type));
<% endif %>
}

// One block. What models convert most goes straight.
void ConvertBlock(DType from, const char* x, const SmallFloat& to, char* y, int64_t count) {
  void* out = y;
  const void* in = x;
  if (from == DType::kFloat32 && IsHalf(to.type)) {
    return FloatsToHalves(to.type, static_cast<const float*>(in), static_cast<uint16_t*>(out), count);
  }
  if (IsHalf(from) && to.type == DType::kFloat32) {
    return HalvesToFloats(from, static_cast<const uint16_t*>(in), static_cast<float*>(out), count);
  }
  alignas(int64_t) unsigned char block[kBlock * sizeof(int64_t)];
  Load(from, in, block, count);
  Store(WideOf(from), block, to, out, count);
}

}  // namespace

bool ConvertElements(const Tensor& x, SmallFloat how, const MutableTensor& y, Exec& exec) {
  if (WideOf(x.dtype) == Wide::kNone || WideOf(y.dtype) == Wide::kNone) return false;
  how.type = y.dtype;
  const int64_t count = y.size();
  ParallelFor(exec, (count + kBlock - 1) / kBlock, 4 * kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = count - i * kBlock < kBlock ? count - i * kBlock : kBlock;
      ConvertBlock(x.dtype, x.data<char>() + BytesOfBlocks(x.dtype, i), how,
                   y.data<char>() + BytesOfBlocks(y.dtype, i), n);
    }
  });
  return true;
}

<% if small_types %>
Status ConvertToFloat(Tensor* tensor, Exec& exec) {
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(tensor->size()) * sizeof(float), &memory));
  const MutableTensor to{memory, DType::kFloat32, tensor->shape};
  if (!ConvertElements(*tensor, {}, to, exec)) return NotImplemented("elements that are no numbers");
  *tensor = {to.raw, to.dtype, to.shape};
  return Status();
}

<% endif %>
}  // namespace <%= ns %>
