<%= banner %>
#include "gen/kernels/support/copy.h"

#include <cstring>

#include "gen/kernels/support/launch.h"
#include "gen/kernels/support/device_strides.h"
#include "gen/kernels/support/units.h"

namespace <%= ns %> {

namespace {

template <class T>
struct CopyBody {
  T* to;
  const T* from;
  int64_t whole;  // units; what is left after them is less than one
  int64_t bytes;

  EP_DEVICE void operator()(int64_t i) const {
    if (i < whole) {
      to[i] = from[i];
      return;
    }
    for (int64_t at = whole * static_cast<int64_t>(sizeof(T)); at < bytes; ++at) {
      reinterpret_cast<uint8_t*>(to)[at] = reinterpret_cast<const uint8_t*>(from)[at];
    }
  }
};

// Lengths and distances are in units.
template <class T>
struct CopyRowsBody {
  T* to;
  int64_t to_stride;
  const T* from;
  int64_t from_stride;
  int64_t length;  // of a row

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / length;
    const int64_t at = i - row * length;
    to[row * to_stride + at] = from[row * from_stride + at];
  }
};

template <class T>
struct CopyStridedBody {
  T* to;
  const T* from;
  DeviceStrides source;

  EP_DEVICE void operator()(int64_t i) const { to[i] = from[source.Locate(i)]; }
};

// As many elements as fit into a Wide, again and again.
template <class T>
struct FillBody {
  static constexpr int64_t kUnits = sizeof(Wide) / sizeof(T);

  T* to;
  T pattern[kUnits];
  int64_t whole;
  int64_t bytes;

  EP_DEVICE void operator()(int64_t i) const {
    if (i < whole) {
      to[i] = pattern[i % kUnits];
      return;
    }
    for (int64_t at = whole * static_cast<int64_t>(sizeof(T)); at < bytes; ++at) {
      reinterpret_cast<uint8_t*>(to)[at] =
          reinterpret_cast<const uint8_t*>(pattern)[at % static_cast<int64_t>(sizeof(Wide))];
    }
  }
};

// The calls of a body for `bytes` bytes: one for each unit, one for what is left.
int64_t Calls(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit; }

uint64_t Bits(int64_t number) { return static_cast<uint64_t>(number); }

// Makes units of what moves together: the innermost dimension, if its elements lie side by side.
// Returns the bytes of a unit.
uint64_t Widen(const void* to, const void* from, uint64_t element_bytes, DeviceStrides* source) {
  const int inner = source->rank - 1;
  if (source->steps[inner] != 1) return element_bytes;
  uint64_t all = AddressOf(to) | AddressOf(from) | Bits(source->dims[inner]) * element_bytes;
  for (int d = 0; d < inner; ++d) all |= Bits(source->steps[d]) * element_bytes;
  const uint64_t unit = WidestUnit(all);
  if (unit <= element_bytes) return element_bytes;
  const int64_t joined = static_cast<int64_t>(unit / element_bytes);
  source->dims[inner] /= joined;
  for (int d = 0; d < inner; ++d) source->steps[d] /= joined;
  return unit;
}

}  // namespace

Status CopyBytes(Exec& exec, void* to, const void* from, size_t bytes) {
  return WithUnit(WidestUnit(AddressOf(to) | AddressOf(from)), [&](auto unit) {
    using T = decltype(unit);
    const int64_t count = static_cast<int64_t>(bytes);
    const int64_t size = static_cast<int64_t>(sizeof(T));
    return Launch(exec, Calls(count, size),
                  CopyBody<T>{static_cast<T*>(to), static_cast<const T*>(from), count / size, count});
  });
}

Status CopyRows(Exec& exec, void* to, int64_t to_stride, const void* from, int64_t from_stride,
                int64_t rows, int64_t row_bytes) {
  if (rows == 0 || row_bytes == 0) return Status();
  if (rows == 1 || (to_stride == row_bytes && from_stride == row_bytes)) {
    return CopyBytes(exec, to, from, static_cast<size_t>(rows * row_bytes));
  }
  const uint64_t all = AddressOf(to) | AddressOf(from) | Bits(to_stride) | Bits(from_stride);
  return WithUnit(WidestUnit(all | Bits(row_bytes)), [&](auto unit) {
    using T = decltype(unit);
    const int64_t size = static_cast<int64_t>(sizeof(T));
    return Launch(exec, rows * (row_bytes / size),
                  CopyRowsBody<T>{static_cast<T*>(to), to_stride / size,
                                  static_cast<const T*>(from), from_stride / size,
                                  row_bytes / size});
  });
}

Status CopyStrided(Exec& exec, void* to, const void* from, const Shape& shape,
                   const std::vector<int64_t>& strides, size_t element_bytes) {
  const int64_t count = ElementCount(shape);
  if (count == 0) return Status();
  if (element_bytes == 0) return NotImplemented("elements of this type have no fixed size");
  DeviceStrides source;
  EP_RETURN_IF_ERROR(MakeDeviceStrides(shape, strides, &source));
  const uint64_t bytes = Widen(to, from, element_bytes, &source);
  return WithUnit(bytes, [&](auto unit) {
    using T = decltype(unit);
    const int64_t joined = static_cast<int64_t>(sizeof(T) / element_bytes);
    return Launch(exec, count / joined,
                  CopyStridedBody<T>{static_cast<T*>(to), static_cast<const T*>(from), source});
  });
}

Status FillElements(Exec& exec, void* to, int64_t count, const void* element,
                    size_t element_bytes) {
  if (element_bytes == 0) return NotImplemented("elements of this type have no fixed size");
  return WithUnit(WidestUnit(AddressOf(to)), [&](auto unit) {
    using T = decltype(unit);
    FillBody<T> body{};
    for (size_t at = 0; at < sizeof(Wide); at += element_bytes) {
      std::memcpy(reinterpret_cast<char*>(body.pattern) + at, element, element_bytes);
    }
    const int64_t size = static_cast<int64_t>(sizeof(T));
    body.to = static_cast<T*>(to);
    body.bytes = count * static_cast<int64_t>(element_bytes);
    body.whole = body.bytes / size;
    return Launch(exec, Calls(body.bytes, size), body);
  });
}

}  // namespace <%= ns %>
