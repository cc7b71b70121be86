<%= banner %>
#include "gen/kernels/support/copy.h"

#include <cstring>

#ifdef __CUDACC__
#include <cuda_runtime_api.h>

#include <string>
#endif

namespace <%= ns %> {

namespace {

#ifdef __CUDACC__
Status FromCuda(cudaError_t error) {
  if (error == cudaSuccess) return Status();
  return Failed(std::string("CUDA copy: ") + cudaGetErrorString(error));
}
#else
const char* Advance(const void* data, int64_t bytes) {
  return static_cast<const char*>(data) + bytes;
}

char* Advance(void* data, int64_t bytes) { return static_cast<char*>(data) + bytes; }
#endif

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

// Drops dimensions of one element and joins neighbours that are walked as one.
void Simplify(const Shape& shape, const std::vector<int64_t>& strides, Shape* dims,
              std::vector<int64_t>* steps) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (!dims->empty() && steps->back() == shape[i] * strides[i]) {
      dims->back() *= shape[i];
      steps->back() = strides[i];
    } else {
      dims->push_back(shape[i]);
      steps->push_back(strides[i]);
    }
  }
  if (dims->empty()) {
    dims->push_back(1);
    steps->push_back(1);
  }
}

}  // namespace

Status CopyBytes(Exec& exec, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return Status();
#ifdef __CUDACC__
  return FromCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                  static_cast<cudaStream_t>(exec.Stream())));
#else
  const int64_t count = static_cast<int64_t>(bytes);
  constexpr int64_t kPiece = 1 << 16;
  ParallelFor(exec, (count + kPiece - 1) / kPiece, kPiece / 8, [&](int64_t begin, int64_t end) {
    const int64_t stop = end * kPiece < count ? end * kPiece : count;
    std::memcpy(Advance(to, begin * kPiece), Advance(from, begin * kPiece),
                static_cast<size_t>(stop - begin * kPiece));
  });
  return Status();
#endif
}

Status CopyRows(Exec& exec, void* to, int64_t to_stride, const void* from, int64_t from_stride,
                int64_t rows, int64_t row_bytes) {
  if (rows == 0 || row_bytes == 0) return Status();
#ifdef __CUDACC__
  return FromCuda(cudaMemcpy2DAsync(to, static_cast<size_t>(to_stride), from,
                                    static_cast<size_t>(from_stride),
                                    static_cast<size_t>(row_bytes), static_cast<size_t>(rows),
                                    cudaMemcpyDeviceToDevice,
                                    static_cast<cudaStream_t>(exec.Stream())));
#else
  ParallelFor(exec, rows, row_bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::memcpy(Advance(to, row * to_stride), Advance(from, row * from_stride),
                  static_cast<size_t>(row_bytes));
    }
  });
  return Status();
#endif
}

Status CopyStrided(Exec& exec, void* to, const void* from, const Shape& shape,
                   const std::vector<int64_t>& strides, size_t element_bytes) {
  if (ElementCount(shape) == 0) return Status();
  Shape dims;
  std::vector<int64_t> steps;
  Simplify(shape, strides, &dims, &steps);
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
      return NotImplemented("elements of this type have no fixed size");
  }
}

std::vector<int64_t> DenseStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

}  // namespace <%= ns %>
