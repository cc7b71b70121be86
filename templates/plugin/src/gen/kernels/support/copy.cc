<%= banner %>
#include "gen/kernels/support/copy.h"

#include <cstring>

namespace <%= ns %> {

namespace {

const char* Advance(const void* data, int64_t bytes) {
  return static_cast<const char*>(data) + bytes;
}

char* Advance(void* data, int64_t bytes) { return static_cast<char*>(data) + bytes; }

// One element type of each size is enough: the bits are copied, whatever they mean.
template <class T>
void CopyRun(T* to, const T* from, int64_t count, int64_t stride) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

template <class T>
void CopyStridedAs(Exec& exec, T* to, const T* from, const Shape& shape,
                   const std::vector<int64_t>& strides) {
  const size_t inner = shape.size() - 1;
  const int64_t run = shape[inner];
  int64_t runs = 1;
  for (size_t i = 0; i < inner; ++i) runs *= shape[i];
  ParallelFor(exec, runs, run, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t rest = r;
      int64_t offset = 0;
      for (size_t i = inner; i-- > 0;) {
        offset += rest % shape[i] * strides[i];
        rest /= shape[i];
      }
      CopyRun(to + r * run, from + offset, run, strides[inner]);
    }
  });
}

template <class T>
Status FillAs(Exec& exec, void* to, int64_t count, const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  T* y = static_cast<T*>(to);
  ParallelFor(exec, count, 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = value;
  });
  return Status();
}

Status NoFixedSize() { return NotImplemented("elements of this type have no fixed size"); }

}  // namespace

Status CopyBytes(Exec& exec, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return Status();
  const int64_t count = static_cast<int64_t>(bytes);
  constexpr int64_t kPiece = 1 << 16;
  ParallelFor(exec, (count + kPiece - 1) / kPiece, kPiece / 8, [&](int64_t begin, int64_t end) {
    const int64_t stop = end * kPiece < count ? end * kPiece : count;
    std::memcpy(Advance(to, begin * kPiece), Advance(from, begin * kPiece),
                static_cast<size_t>(stop - begin * kPiece));
  });
  return Status();
}

Status CopyRows(Exec& exec, void* to, int64_t to_stride, const void* from, int64_t from_stride,
                int64_t rows, int64_t row_bytes) {
  if (rows == 0 || row_bytes == 0) return Status();
  ParallelFor(exec, rows, row_bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::memcpy(Advance(to, row * to_stride), Advance(from, row * from_stride),
                  static_cast<size_t>(row_bytes));
    }
  });
  return Status();
}

Status CopyStrided(Exec& exec, void* to, const void* from, const Shape& shape,
                   const std::vector<int64_t>& strides, size_t element_bytes) {
  if (ElementCount(shape) == 0) return Status();
  Shape dims;
  std::vector<int64_t> steps;
  JoinDims(shape, strides, &dims, &steps);
  switch (element_bytes) {
    case 1:
      CopyStridedAs(exec, static_cast<uint8_t*>(to), static_cast<const uint8_t*>(from), dims, steps);
      return Status();
    case 2:
      CopyStridedAs(exec, static_cast<uint16_t*>(to), static_cast<const uint16_t*>(from), dims,
                    steps);
      return Status();
    case 4:
      CopyStridedAs(exec, static_cast<uint32_t*>(to), static_cast<const uint32_t*>(from), dims,
                    steps);
      return Status();
    case 8:
      CopyStridedAs(exec, static_cast<uint64_t*>(to), static_cast<const uint64_t*>(from), dims,
                    steps);
      return Status();
    default:
      return NoFixedSize();
  }
}

Status FillElements(Exec& exec, void* to, int64_t count, const void* element,
                    size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return FillAs<uint8_t>(exec, to, count, element);
    case 2:
      return FillAs<uint16_t>(exec, to, count, element);
    case 4:
      return FillAs<uint32_t>(exec, to, count, element);
    case 8:
      return FillAs<uint64_t>(exec, to, count, element);
    default:
      return NoFixedSize();
  }
}

}  // namespace <%= ns %>
