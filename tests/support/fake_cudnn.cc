// Stands in for cuDNN 9: the same functions, on memory of the host, strict about what the real ones
// ask for. WITHOUT_GROUPS leaves one of them out.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fake_nvidia.h"

namespace {

constexpr int kBadParam = 2000;
constexpr int kBadShape = 2008;
constexpr int kUnsupported = 3000;
constexpr int kInternalError = 4000;
constexpr int kGoodAlgorithm = 1;
constexpr size_t kWorkspace = 100;

struct Dims {
  int type = -1;
  std::vector<int> dims;
};
struct Sliding {
  std::vector<int> pads, strides, dilations;
  int type = -1;
  int groups = 1;
  int math = 0;
};
struct Choice {
  int algorithm, status;
  float time;
  size_t memory;
  int determinism, math, reserved[3];
};

template <class Made>
int New(const char* call, void** made) {
  if (const int status = fake::Failure(call)) return status;
  *made = new Made;
  fake::Count(1);
  return 0;
}
template <class Made>
int Delete(void* made) {
  if (made == nullptr) return kBadParam;
  delete static_cast<Made*>(made);
  fake::Count(-1);
  return 0;
}

int Set(void* raw, int type, int rank, const int* dims) {
  if (type < 0 || type > 1 || rank < 4 || rank > 8) return kBadParam;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 1) return kBadParam;
  }
  *static_cast<Dims*>(raw) = {type, {dims, dims + rank}};
  return 0;
}

// What the descriptions say of each other.
int Check(const Dims& x, const Dims& w, const Sliding& c, const Dims& y) {
  const size_t rank = x.dims.size();
  if (w.dims.size() != rank || y.dims.size() != rank || c.pads.size() != rank - 2) return kBadShape;
  if (x.type != w.type || x.type != y.type || x.type != c.type) return kBadParam;
  if (x.dims[0] != y.dims[0] || w.dims[0] != y.dims[1]) return kBadShape;
  if (w.dims[1] * c.groups != x.dims[1] || w.dims[0] % c.groups != 0) return kBadShape;
  for (size_t i = 2; i < rank; ++i) {
    const int reach = (w.dims[i] - 1) * c.dilations[i - 2] + 1;
    const int room = x.dims[i] + 2 * c.pads[i - 2] - reach;
    if (room < 0 || room / c.strides[i - 2] + 1 != y.dims[i]) return kBadShape;
  }
  return 0;
}

// Goes through all places of a box; false at its end.
bool Step(std::vector<int>& at, const int* sizes) {
  for (size_t i = at.size(); i-- > 0;) {
    if (++at[i] < sizes[i]) return true;
    at[i] = 0;
  }
  return false;
}

size_t Offset(const std::vector<int>& at, const int* sizes, size_t offset) {
  for (size_t i = 0; i < at.size(); ++i) {
    offset = offset * static_cast<size_t>(sizes[i]) + static_cast<size_t>(at[i]);
  }
  return offset;
}

template <class T>
void Convolve(const Dims& x, const T* x_data, const Dims& w, const T* w_data, const Sliding& c,
              const Dims& y, T* y_data) {
  const size_t spatial = x.dims.size() - 2;
  const int in_group = w.dims[1];
  const int out_group = w.dims[0] / c.groups;
  std::vector<int> out(spatial + 2);
  do {
    const int first = out[1] / out_group * in_group;
    std::vector<int> tap(spatial + 1);
    double sum = 0;
    do {
      std::vector<int> at(spatial);
      bool inside = true;
      for (size_t i = 0; i < spatial; ++i) {
        at[i] = out[i + 2] * c.strides[i] - c.pads[i] + tap[i + 1] * c.dilations[i];
        inside = inside && at[i] >= 0 && at[i] < x.dims[i + 2];
      }
      if (!inside) continue;
      const size_t plane = Offset({out[0], first + tap[0]}, x.dims.data(), 0);
      const size_t filter = static_cast<size_t>(out[1]);
      sum += static_cast<double>(x_data[Offset(at, x.dims.data() + 2, plane)]) *
             static_cast<double>(w_data[Offset(tap, w.dims.data() + 1, filter)]);
    } while (Step(tap, w.dims.data() + 1));
    y_data[Offset(out, y.dims.data(), 0)] = static_cast<T>(sum);
  } while (Step(out, y.dims.data()));
}

}  // namespace

extern "C" {

int cudnnCreate(void** handle) {
  if (const int status = fake::Failure("cudnnCreate")) return status;
  *handle = fake::NewHandle();
  return 0;
}
int cudnnDestroy(void* handle) {
  fake::Delete(static_cast<fake::Handle*>(handle));
  return 0;
}
int cudnnSetStream(void* raw, void* stream) {
  auto* handle = static_cast<fake::Handle*>(raw);
  handle->stream = stream;
  handle->has_stream = true;
  fake::Log("stream", handle->number, stream);
  return 0;
}
const char* cudnnGetErrorString(int status) {
  return status == kInternalError ? "the fake's internal error" : "the fake's other status";
}
int cudnnCreateTensorDescriptor(void** made) {
  return New<Dims>("cudnnCreateTensorDescriptor", made);
}
int cudnnDestroyTensorDescriptor(void* made) { return Delete<Dims>(made); }
int cudnnSetTensorNdDescriptorEx(void* tensor, int format, int type, int rank, const int* dims) {
  return format == 0 ? Set(tensor, type, rank, dims) : kBadParam;
}
int cudnnCreateFilterDescriptor(void** made) {
  return New<Dims>("cudnnCreateFilterDescriptor", made);
}
int cudnnDestroyFilterDescriptor(void* made) { return Delete<Dims>(made); }
int cudnnSetFilterNdDescriptor(void* filter, int type, int format, int rank, const int* dims) {
  return format == 0 ? Set(filter, type, rank, dims) : kBadParam;
}
int cudnnCreateConvolutionDescriptor(void** made) {
  return New<Sliding>("cudnnCreateConvolutionDescriptor", made);
}
int cudnnDestroyConvolutionDescriptor(void* made) { return Delete<Sliding>(made); }
int cudnnSetConvolutionNdDescriptor(void* raw, int rank, const int* pads, const int* strides,
                                    const int* dilations, int mode, int type) {
  if (mode != 1 || rank < 2 || rank > 3) return kBadParam;
  for (int i = 0; i < rank; ++i) {
    if (pads[i] < 0 || strides[i] < 1 || dilations[i] < 1) return kBadParam;
  }
  auto& c = *static_cast<Sliding*>(raw);
  c = {{pads, pads + rank}, {strides, strides + rank}, {dilations, dilations + rank}, type, 1, 0};
  return 0;
}
#ifndef WITHOUT_GROUPS
int cudnnSetConvolutionGroupCount(void* raw, int groups) {
  static_cast<Sliding*>(raw)->groups = groups;
  return groups < 1 ? kBadParam : 0;
}
#endif
int cudnnSetConvolutionMathType(void* raw, int math) {
  static_cast<Sliding*>(raw)->math = math;
  return 0;
}
int cudnnGetConvolutionForwardAlgorithm_v7(void*, void* x, void* w, void* raw, void* y, int wanted,
                                           int* count, Choice* choices) {
  fake::Log("choose");
  if (const int status = fake::Failure("choose")) return status;
  const auto& c = *static_cast<Sliding*>(raw);
  const auto& of_x = *static_cast<Dims*>(x);
  const int status = Check(of_x, *static_cast<Dims*>(w), c, *static_cast<Dims*>(y));
  if (status != 0) return status;
  const int exact = of_x.type == 0 ? 3 : 0;
  const Choice all[] = {
      {6, kUnsupported, 0.1f, 0, 1, exact, {}},            // it says no
      {7, 0, 0.2f, 0, 1, 1, {}},                           // on tensor cores: not exact
      {4, 0, 0.3f, size_t{1} << 33, 1, exact, {}},         // asks for too much memory
      {kGoodAlgorithm, 0, 0.4f, kWorkspace, 1, exact, {}},
  };
  *count = 0;
  for (const Choice& choice : all) {
    if (*count < wanted) choices[(*count)++] = choice;
  }
  return 0;
}
int cudnnGetConvolutionForwardWorkspaceSize(void*, void*, void*, void*, void*, int algorithm,
                                            size_t* bytes) {
  *bytes = kWorkspace;
  return algorithm == kGoodAlgorithm ? 0 : kBadParam;
}
int cudnnConvolutionForward(void* raw, const void* alpha, void* x, const void* x_data, void* w,
                            const void* w_data, void* convolution, int algorithm, void* workspace,
                            size_t bytes, const void* beta, void* y, void* y_data) {
  auto* handle = static_cast<fake::Handle*>(raw);
  if (const int status = fake::Failure("convolve")) return status;
  if (algorithm != kGoodAlgorithm || bytes < kWorkspace || workspace == nullptr) return kBadParam;
  if (handle->busy.exchange(true)) return kInternalError;
  if (!handle->has_stream || !fake::Meet()) return kInternalError;
  const auto& of_x = *static_cast<Dims*>(x);
  const auto& of_w = *static_cast<Dims*>(w);
  const auto& of_y = *static_cast<Dims*>(y);
  const auto& c = *static_cast<Sliding*>(convolution);
  if (const int status = Check(of_x, of_w, c, of_y)) return status;
  const size_t rank = of_x.dims.size() - 2;
  fake::Log("convolve", handle->number, "on", handle->stream, "rank", rank, "groups", c.groups);
  static_cast<unsigned char*>(workspace)[kWorkspace - 1] = 1;
  if (of_x.type == 0) {
    if (*static_cast<const float*>(alpha) != 1) return kBadParam;
    if (*static_cast<const float*>(beta) != 0) return kBadParam;
    if (c.math != 3) return kBadParam;  // it would not be exact
    Convolve(of_x, static_cast<const float*>(x_data), of_w, static_cast<const float*>(w_data), c,
             of_y, static_cast<float*>(y_data));
  } else {
    if (*static_cast<const double*>(alpha) != 1) return kBadParam;
    if (*static_cast<const double*>(beta) != 0) return kBadParam;
    Convolve(of_x, static_cast<const double*>(x_data), of_w, static_cast<const double*>(w_data), c,
             of_y, static_cast<double*>(y_data));
  }
  handle->busy = false;
  return 0;
}

}  // extern "C"
