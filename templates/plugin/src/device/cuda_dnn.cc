<%= banner %>
#include "device/cuda_dnn.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

// What we call of cuDNN 9, as its manual has it ("API Reference", the libraries cudnn_graph,
// cudnn_ops and cudnn_cnn). Declared here, so that neither its headers nor the library are needed
// for building. Enumerations are ints.
namespace <%= ns %> {
namespace {

constexpr int kMajors[] = {9};
constexpr int kSuccess = 0;           // CUDNN_STATUS_SUCCESS
constexpr int kFloat = 0;             // CUDNN_DATA_FLOAT
constexpr int kDouble = 1;            // CUDNN_DATA_DOUBLE
constexpr int kRowMajor = 0;          // CUDNN_TENSOR_NCHW, for tensors of every rank
constexpr int kCrossCorrelation = 1;  // CUDNN_CROSS_CORRELATION
constexpr int kDefaultMath = 0;       // CUDNN_DEFAULT_MATH: may cut floats to 10 bits, as TF32
constexpr int kExactMath = 3;         // CUDNN_FMA_MATH: does not

// CUDNN_STATUS_NOT_SUPPORTED is 3000; 3001 and following say more exactly what is not.
bool IsUnsupported(int status) { return status / 1000 == 3; }

// cudnnConvolutionFwdAlgoPerf_t
struct Choice {
  int algorithm;
  int status;
  float time;
  size_t memory;
  int determinism;
  int math;
  int reserved[3];
};
constexpr int kMostChoices = 8;  // CUDNN_CONVOLUTION_FWD_ALGO_COUNT

// More memory than this is not worth what it gains.
constexpr size_t kMostWorkspace = size_t{512} << 20;
constexpr size_t kMostPlans = 64;

using Create = int(void** made);
using Destroy = int(void* made);

// All that tells one convolution from another.
using Key = std::array<int64_t, 5 + 6 * Convolution::kMaxRank>;

Key KeyOf(const Convolution& c) {
  Key key{static_cast<int64_t>(c.dtype), c.batch, c.group, c.inputs, c.outputs};
  size_t at = 5;
  for (const Convolution::Dim& dim : c.dims) {
    for (int64_t value : {dim.input, dim.output, dim.kernel, dim.stride, dim.dilation, dim.pad}) {
      key[at++] = value;
    }
  }
  return key;
}

// Whether a tensor of these dimensions, and each of them, can be told in ints.
bool FitsInts(const int64_t* dims, size_t count) {
  int64_t elements = 1;
  for (size_t i = 0; i < count; ++i) {
    if (dims[i] < 1 || dims[i] > INT32_MAX / elements) return false;
    elements *= dims[i];
  }
  return true;
}

}  // namespace

struct CudaDnn::Functions {
  Create* create = nullptr;
  Destroy* destroy = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  const char* (*text)(int status) = nullptr;
  Create* create_tensor = nullptr;
  Destroy* destroy_tensor = nullptr;
  int (*set_tensor)(void* tensor, int format, int type, int rank, const int* dims) = nullptr;
  Create* create_filter = nullptr;
  Destroy* destroy_filter = nullptr;
  int (*set_filter)(void* filter, int type, int format, int rank, const int* dims) = nullptr;
  Create* create_convolution = nullptr;
  Destroy* destroy_convolution = nullptr;
  int (*set_convolution)(void* convolution, int rank, const int* pads, const int* strides,
                         const int* dilations, int mode, int type) = nullptr;
  int (*set_groups)(void* convolution, int count) = nullptr;
  int (*set_math)(void* convolution, int math) = nullptr;
  int (*choose)(void* handle, void* x, void* w, void* convolution, void* y, int wanted, int* count,
                Choice* choices) = nullptr;
  int (*size_workspace)(void* handle, void* x, void* w, void* convolution, void* y, int algorithm,
                        size_t* bytes) = nullptr;
  int (*convolve)(void* handle, const void* alpha, void* x, const void* x_data, void* w,
                  const void* w_data, void* convolution, int algorithm, void* workspace,
                  size_t workspace_bytes, const void* beta, void* y, void* y_data) = nullptr;

  Status Check(int status, const char* call) const {
    if (status == kSuccess) return Status();
    return Failed(std::string(call) + ": " + text(status));
  }
};

// How one convolution is done: cuDNN's descriptions of it and the algorithm.
struct CudaDnn::Plan {
  using Description = std::unique_ptr<void, Destroy*>;

  explicit Plan(const Functions& functions)
      : x(nullptr, functions.destroy_tensor),
        w(nullptr, functions.destroy_filter),
        y(nullptr, functions.destroy_tensor),
        convolution(nullptr, functions.destroy_convolution) {}

  // Leaves `possible` false where cuDNN cannot do it.
  Status Make(const Functions& cudnn, void* handle, const Convolution& c) {
    EP_RETURN_IF_ERROR(Describe(cudnn, c));
    if (!described) return Status();
    Choice choices[kMostChoices] = {};
    int count = 0;
    const int status = cudnn.choose(handle, x.get(), w.get(), convolution.get(), y.get(),
                                    kMostChoices, &count, choices);
    if (IsUnsupported(status)) return Status();
    EP_RETURN_IF_ERROR(cudnn.Check(status, "cudnnGetConvolutionForwardAlgorithm_v7"));
    for (int i = 0; i < count && i < kMostChoices && !possible; ++i) {  // the fastest comes first
      const Choice& choice = choices[i];
      const bool exact = choice.math == kDefaultMath || choice.math == kExactMath;
      if (choice.status != kSuccess || !exact || choice.memory > kMostWorkspace) continue;
      algorithm = choice.algorithm;
      const int sized = cudnn.size_workspace(handle, x.get(), w.get(), convolution.get(), y.get(),
                                             algorithm, &workspace);
      if (IsUnsupported(sized)) continue;
      EP_RETURN_IF_ERROR(cudnn.Check(sized, "cudnnGetConvolutionForwardWorkspaceSize"));
      possible = true;
    }
    return Status();
  }

  Description x;
  Description w;
  Description y;
  Description convolution;
  int algorithm = 0;
  size_t workspace = 0;
  bool possible = false;

 private:
  // Sets what `status` says of a call that describes.
  Status Take(const Functions& cudnn, int status, const char* call) {
    if (IsUnsupported(status)) {
      described = false;
      return Status();
    }
    return cudnn.Check(status, call);
  }

  static Status New(const Functions& cudnn, Create* create, const char* call, Description* made) {
    void* raw = nullptr;
    EP_RETURN_IF_ERROR(cudnn.Check(create(&raw), call));
    made->reset(raw);
    return Status();
  }

  Status Describe(const Functions& cudnn, const Convolution& c) {
    // Images of two dimensions are what most algorithms are for.
    const Convolution::Dim& depth = c.dims[0];
    const bool flat = depth.input == 1 && depth.output == 1 && depth.kernel == 1 && depth.pad == 0;
    const size_t skipped = flat ? 1 : 0;
    const size_t rank = Convolution::kMaxRank - skipped;
    constexpr size_t kMost = Convolution::kMaxRank + 2;
    int64_t wide[3][kMost] = {
        {c.batch, c.inputs}, {c.outputs, c.inputs / c.group}, {c.batch, c.outputs}};
    int pads[kMost] = {};
    int strides[kMost] = {};
    int dilations[kMost] = {};
    for (size_t i = 0; i < rank; ++i) {
      const Convolution::Dim& dim = c.dims[i + skipped];
      wide[0][i + 2] = dim.input;
      wide[1][i + 2] = dim.kernel;
      wide[2][i + 2] = dim.output;
      const int64_t ends[] = {dim.pad + 1, dim.stride, dim.dilation};
      for (int64_t value : ends) described = described && FitsInts(&value, 1);
      pads[i] = static_cast<int>(dim.pad);
      strides[i] = static_cast<int>(dim.stride);
      dilations[i] = static_cast<int>(dim.dilation);
    }
    for (const auto& dims : wide) described = described && FitsInts(dims, rank + 2);
    if (!described) return Status();
    int dims[3][kMost] = {};
    for (size_t t = 0; t < 3; ++t) {
      for (size_t i = 0; i < rank + 2; ++i) dims[t][i] = static_cast<int>(wide[t][i]);
    }

    const int type = c.dtype == DType::kFloat32 ? kFloat : kDouble;
    const int ndims = static_cast<int>(rank) + 2;
    EP_RETURN_IF_ERROR(New(cudnn, cudnn.create_tensor, "cudnnCreateTensorDescriptor", &x));
    EP_RETURN_IF_ERROR(New(cudnn, cudnn.create_filter, "cudnnCreateFilterDescriptor", &w));
    EP_RETURN_IF_ERROR(New(cudnn, cudnn.create_tensor, "cudnnCreateTensorDescriptor", &y));
    EP_RETURN_IF_ERROR(New(cudnn, cudnn.create_convolution, "cudnnCreateConvolutionDescriptor",
                           &convolution));
    int status = cudnn.set_tensor(x.get(), kRowMajor, type, ndims, dims[0]);
    EP_RETURN_IF_ERROR(Take(cudnn, status, "cudnnSetTensorNdDescriptorEx"));
    status = cudnn.set_filter(w.get(), type, kRowMajor, ndims, dims[1]);
    EP_RETURN_IF_ERROR(Take(cudnn, status, "cudnnSetFilterNdDescriptor"));
    status = cudnn.set_tensor(y.get(), kRowMajor, type, ndims, dims[2]);
    EP_RETURN_IF_ERROR(Take(cudnn, status, "cudnnSetTensorNdDescriptorEx"));
    status = cudnn.set_convolution(convolution.get(), ndims - 2, pads, strides, dilations,
                                   kCrossCorrelation, type);
    EP_RETURN_IF_ERROR(Take(cudnn, status, "cudnnSetConvolutionNdDescriptor"));
    status = cudnn.set_groups(convolution.get(), static_cast<int>(c.group));
    EP_RETURN_IF_ERROR(Take(cudnn, status, "cudnnSetConvolutionGroupCount"));
    const int math = type == kFloat ? kExactMath : kDefaultMath;
    status = cudnn.set_math(convolution.get(), math);
    return Take(cudnn, status, "cudnnSetConvolutionMathType");
  }

  bool described = true;
};

class CudaDnn::Handle {
 public:
  explicit Handle(const Functions& functions) : functions_(functions) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    plans_.clear();
    if (raw_ != nullptr) functions_.destroy(raw_);
  }

  Status Create() { return functions_.Check(functions_.create(&raw_), "cudnnCreate"); }
  void* get() const { return raw_; }

  // Plans are kept: making one takes far longer than queuing the work.
  Status PlanOf(const Convolution& convolution, Plan** plan) {
    const Key key = KeyOf(convolution);
    const auto found = plans_.find(key);
    if (found != plans_.end()) {
      *plan = found->second.get();
      return Status();
    }
    if (plans_.size() == kMostPlans) plans_.clear();
    auto made = std::make_unique<Plan>(functions_);
    EP_RETURN_IF_ERROR(made->Make(functions_, raw_, convolution));
    *plan = made.get();
    plans_[key] = std::move(made);
    return Status();
  }

 private:
  const Functions& functions_;
  void* raw_ = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

CudaDnn::CudaDnn() : library_("cudnn", kMajors) {}
CudaDnn::~CudaDnn() = default;

void CudaDnn::Forget(void* stream) { handles_.Forget(stream); }

Status CudaDnn::Load() {
  auto found = std::make_unique<Functions>();
  Functions& f = *found;
  EP_RETURN_IF_ERROR(library_.Find("cudnnCreate", &f.create));
  EP_RETURN_IF_ERROR(library_.Find("cudnnDestroy", &f.destroy));
  EP_RETURN_IF_ERROR(library_.Find("cudnnSetStream", &f.set_stream));
  EP_RETURN_IF_ERROR(library_.Find("cudnnGetErrorString", &f.text));
  EP_RETURN_IF_ERROR(library_.Find("cudnnCreateTensorDescriptor", &f.create_tensor));
  EP_RETURN_IF_ERROR(library_.Find("cudnnDestroyTensorDescriptor", &f.destroy_tensor));
  EP_RETURN_IF_ERROR(library_.Find("cudnnSetTensorNdDescriptorEx", &f.set_tensor));
  EP_RETURN_IF_ERROR(library_.Find("cudnnCreateFilterDescriptor", &f.create_filter));
  EP_RETURN_IF_ERROR(library_.Find("cudnnDestroyFilterDescriptor", &f.destroy_filter));
  EP_RETURN_IF_ERROR(library_.Find("cudnnSetFilterNdDescriptor", &f.set_filter));
  EP_RETURN_IF_ERROR(library_.Find("cudnnCreateConvolutionDescriptor", &f.create_convolution));
  EP_RETURN_IF_ERROR(library_.Find("cudnnDestroyConvolutionDescriptor", &f.destroy_convolution));
  EP_RETURN_IF_ERROR(library_.Find("cudnnSetConvolutionNdDescriptor", &f.set_convolution));
  EP_RETURN_IF_ERROR(library_.Find("cudnnSetConvolutionGroupCount", &f.set_groups));
  EP_RETURN_IF_ERROR(library_.Find("cudnnSetConvolutionMathType", &f.set_math));
  EP_RETURN_IF_ERROR(library_.Find("cudnnGetConvolutionForwardAlgorithm_v7", &f.choose));
  EP_RETURN_IF_ERROR(library_.Find("cudnnGetConvolutionForwardWorkspaceSize", &f.size_workspace));
  EP_RETURN_IF_ERROR(library_.Find("cudnnConvolutionForward", &f.convolve));
  functions_ = std::move(found);
  return Status();
}

Status CudaDnn::Convolve(const Convolution& convolution, Exec& exec, bool* done) {
  *done = false;
  std::call_once(loading_, [this] { loaded_ = Load(); });
  EP_RETURN_IF_ERROR(loaded_);
  void* stream = exec.Stream();
  if (stream == nullptr) return Failed("there is no CUDA stream to convolve on");
  const bool is_float = convolution.dtype == DType::kFloat32;
  if (!is_float && convolution.dtype != DType::kFloat64) return Status();

  std::unique_ptr<Handle> handle = handles_.Take(stream);
  if (handle == nullptr) {
    handle = std::make_unique<Handle>(*functions_);
    EP_RETURN_IF_ERROR(handle->Create());
  }
  const Functions& cudnn = *functions_;
  EP_RETURN_IF_ERROR(cudnn.Check(cudnn.set_stream(handle->get(), stream), "cudnnSetStream"));
  Plan* plan = nullptr;
  EP_RETURN_IF_ERROR(handle->PlanOf(convolution, &plan));
  if (plan->possible) {
    void* workspace = nullptr;
    if (plan->workspace > 0) EP_RETURN_IF_ERROR(exec.Scratch(plan->workspace, &workspace));
    const float one = 1;
    const double one_double = 1;
    const float zero = 0;
    const double zero_double = 0;
    const int status = cudnn.convolve(
        handle->get(), is_float ? static_cast<const void*>(&one) : &one_double, plan->x.get(),
        convolution.x, plan->w.get(), convolution.w, plan->convolution.get(), plan->algorithm,
        workspace, plan->workspace, is_float ? static_cast<const void*>(&zero) : &zero_double,
        plan->y.get(), convolution.y);
    plan->possible = !IsUnsupported(status);
    if (plan->possible) EP_RETURN_IF_ERROR(cudnn.Check(status, "cudnnConvolutionForward"));
    *done = plan->possible;
  }
  handles_.Give(stream, std::move(handle));
  return Status();
}

}  // namespace <%= ns %>
