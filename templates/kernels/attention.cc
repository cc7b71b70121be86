<% from "kernels/parts.inc" import cases %>
<% set read_as_t = (k.types.T2 + k.types.U) | unique | list %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>
#include <limits>
#include <type_traits>

#include "gen/kernels/support/attention.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

constexpr const char* kOp = <%= k.label | cpp_string %>;

enum In : size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kValidKeys };
enum Out : size_t { kY, kPresentKey, kPresentValue, kScores };

// What the shapes of the inputs say.
struct Problem {
  AttentionSizes sizes;  // its keys are those of the past as well
  int64_t past = 0;      // keys of the past
  bool packed = false;   // tensors of three dimensions, where heads are side by side in a row
};

// The dimensions of Q, K or V, however it is laid out.
struct Dims {
  int64_t batches;
  int64_t heads;
  int64_t rows;
  int64_t cols;
};

Status FindDims(Inputs inputs, size_t input, int64_t heads, Dims* dims) {
  const Shape& shape = inputs[input].shape;
  if (shape.size() == 4) {
    *dims = {shape[0], shape[1], shape[2], shape[3]};
    return Status();
  }
  if (heads <= 0) return InvalidArgument("three dimensions need the attributes q_num_heads and kv_num_heads");
  if (shape[2] % heads != 0) return BadShape(kOp, input, shape, "must be divided by the number of heads");
  *dims = {shape[0], heads, shape[1], shape[2] / heads};
  return Status();
}

Status CheckPast(Inputs inputs, Problem* problem) {
  if (inputs.has(kPastKey) != inputs.has(kPastValue)) {
    return InvalidArgument("past_key and past_value belong together");
  }
  if (!inputs.has(kPastKey)) return Status();
  if (inputs.has(kValidKeys)) return InvalidArgument("nonpad_kv_seqlen and a past exclude each other");
  const AttentionSizes& sizes = problem->sizes;
  const Shape& key = inputs[kPastKey].shape;
  EP_RETURN_IF_ERROR(CheckRank(key, 4, "past_key"));
  problem->past = key[2];
  if (key != Shape{sizes.batches, sizes.kv_heads, key[2], sizes.depth}) {
    return BadShape(kOp, kPastKey, key, "must fit the keys");
  }
  const Shape& value = inputs[kPastValue].shape;
  if (value != Shape{sizes.batches, sizes.kv_heads, key[2], sizes.v_depth}) {
    return BadShape(kOp, kPastValue, value, "must fit the values and past_key");
  }
  problem->sizes.keys += key[2];
  return Status();
}

// A mask is broadcast, but may have fewer columns than there are keys.
Status CheckMask(Inputs inputs, const AttentionSizes& sizes) {
  if (!inputs.has(kMask)) return Status();
  const Shape& shape = inputs[kMask].shape;
  const int64_t dims[] = {sizes.batches, sizes.heads, sizes.queries};
  bool fits = !shape.empty() && shape.size() <= 4 && shape.back() <= sizes.keys;
  for (size_t i = 0; fits && i + 1 < shape.size(); ++i) {
    fits = shape[i] == 1 || shape[i] == dims[4 - shape.size() + i];
  }
  return fits ? Status() : BadShape(kOp, kMask, shape, "must fit (batch, heads, queries, keys)");
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* problem) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const size_t rank = inputs[kQ].shape.size();
  if (rank != 3 && rank != 4) return BadShape(kOp, kQ, inputs[kQ].shape, "must have three or four dimensions");
  EP_RETURN_IF_ERROR(CheckRank(inputs[kK].shape, rank, "K"));
  EP_RETURN_IF_ERROR(CheckRank(inputs[kV].shape, rank, "V"));
  problem->packed = rank == 3;
  Dims q{}, k{}, v{};
  EP_RETURN_IF_ERROR(FindDims(inputs, kQ, attrs.q_heads, &q));
  EP_RETURN_IF_ERROR(FindDims(inputs, kK, attrs.kv_heads, &k));
  EP_RETURN_IF_ERROR(FindDims(inputs, kV, attrs.kv_heads, &v));
  if (k.batches != q.batches || k.cols != q.cols) return BadShape(kOp, kK, inputs[kK].shape, "must fit Q");
  if (v.batches != k.batches || v.heads != k.heads || v.rows != k.rows) {
    return BadShape(kOp, kV, inputs[kV].shape, "must fit K");
  }
  if (k.heads == 0 ? q.heads != 0 : q.heads % k.heads != 0) {
    return InvalidArgument(Text() << k.heads << " heads of keys cannot be shared by " << q.heads << " heads of queries");
  }
  problem->sizes = {q.batches, q.heads, k.heads, q.rows, k.rows, q.cols, v.cols};
  EP_RETURN_IF_ERROR(CheckPast(inputs, problem));
  if (inputs.has(kValidKeys) && !IsVectorOf(q.batches, inputs[kValidKeys].shape)) {
    return BadShape(kOp, kValidKeys, inputs[kValidKeys].shape, "must have one number per batch");
  }
  return CheckMask(inputs, problem->sizes);
}

// The matrices of all batches and heads in one tensor. Its elements are of `dtype`.
struct Matrices {
  const void* data;
  DType dtype;
  int64_t batch;  // elements from one batch to the next
  int64_t head;
  int64_t row;

  Matrices(const void* raw, DType type, const Dims& dims, bool packed)
      : data(raw),
        dtype(type),
        batch(dims.heads * dims.rows * dims.cols),
        head(packed ? dims.cols : dims.rows * dims.cols),
        row(packed ? dims.heads * dims.cols : dims.cols) {}

  template <class T>
  RowMatrix<T> at(int64_t b, int64_t h) const {
    return {const_cast<T*>(static_cast<const T*>(data)) + b * batch + h * head, row};
  }
};

// The rows of the past, and then those of `now`, which has `rows` of them, for every head.
void Join(const Tensor* past, const Matrices& now, int64_t rows, const Dims& dims, void* to, Exec& exec) {
  const size_t item = SizeOf(now.dtype);
  const int64_t bytes = dims.cols * static_cast<int64_t>(item);
  const int64_t before = dims.rows - rows;
  ParallelFor(exec, dims.batches * dims.heads, dims.rows * dims.cols, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char* row = static_cast<char*>(to) + i * dims.rows * bytes;
      if (before > 0) {
        std::memcpy(row, past->data<char>() + i * before * bytes, static_cast<size_t>(before * bytes));
      }
      const int64_t first = i / dims.heads * now.batch + i % dims.heads * now.head;
      const char* from = static_cast<const char*>(now.data) + first * static_cast<int64_t>(item);
      for (int64_t r = 0; r < rows; ++r) {
        std::memcpy(row + (before + r) * bytes, from + r * now.row * static_cast<int64_t>(item), static_cast<size_t>(bytes));
      }
    }
  });
}

// All keys, or all values. They are put together where there is a past or where they are an output.
Status Gather(const Problem& problem, Inputs inputs, size_t input, size_t past, MutableTensor* present, Exec& exec, Matrices* all) {
  const AttentionSizes& sizes = problem.sizes;
  const Tensor& now = inputs[input];
  Dims dims{sizes.batches, sizes.kv_heads, sizes.keys - problem.past, input == kK ? sizes.depth : sizes.v_depth};
  *all = Matrices(now.raw, now.dtype, dims, problem.packed);
  if (!inputs.has(past) && present == nullptr) return Status();
  const Matrices added = *all;
  const int64_t rows = dims.rows;
  dims.rows = sizes.keys;
  void* to = present != nullptr ? present->raw : nullptr;
  if (to == nullptr) {
    const int64_t count = dims.batches * dims.heads * dims.rows * dims.cols;
    EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(count) * SizeOf(now.dtype), &to));
  }
  *all = Matrices(to, now.dtype, dims, false);
  Join(inputs.at(past), added, rows, dims, to, exec);
  return Status();
}

// From a mask to what is added to the scores: true is 0, false hides the key.
template <class T, class From>
void Widen(const void* from, int64_t count, T* to, Exec& exec) {
  const From* x = static_cast<const From*>(from);
  ParallelFor(exec, count, 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (std::is_same_v<From, bool>) {
        to[i] = x[i] ? T{} : -std::numeric_limits<T>::infinity();
      } else {
        to[i] = static_cast<T>(x[i]);
      }
    }
  });
}

// `count` elements of `dtype` as such of T: where they are if they are of type `own`, which is T's,
// or in scratch memory.
template <class T>
Status ReadAs(DType own, const void* raw, DType dtype, int64_t count, const T** elements, Exec& exec) {
  *elements = static_cast<const T*>(raw);
  if (dtype == own) return Status();
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(count) * sizeof(T), &memory));
  T* to = static_cast<T*>(memory);
  *elements = to;
  switch (dtype) {
<% for enumerator, cpp in read_as_t %>
    case DType::<%= enumerator %>:
      Widen<T, <%= cpp %>>(raw, count, to, exec);
      return Status();
<% endfor %>
    default:
      return UnsupportedType(kOp, dtype);
  }
}

// The mask's elements of a query; it is broadcast where a step is 0.
template <class T>
struct Bias {
  const T* data = nullptr;  // null: no mask
  int64_t steps[3] = {};    // per batch, head and query
  int64_t cols = 0;

  Bias() = default;
  Bias(const T* elements, const Shape& shape) : data(elements), cols(shape.back()) {
    int64_t step = cols;
    for (size_t i = shape.size() - 1; i > 0; --i) {
      const int64_t dim = shape[i - 1];
      steps[3 - shape.size() + i] = dim == 1 ? 0 : step;
      step *= dim;
    }
  }

  const T* at(const QueryAt& query) const {
    return data + query.batch * steps[0] + query.head * steps[1] + query.row * steps[2];
  }
};

// Where everything is.
template <class T>
struct Memory {
  Matrices queries;
  Matrices keys;
  Matrices values;
  Matrices result;
  Bias<T> bias;
  const int64_t* valid_keys = nullptr;  // null: all are
  T* scores = nullptr;                  // null: nobody asks for them
};

template <class T>
class Call final : public Attention<T> {
 public:
  Call(const <%= k.attrs %>& attrs, const Problem& problem, T scale, const Memory<T>& memory)
      : Attention<T>(problem.sizes, scale, static_cast<T>(attrs.softcap)),
        attrs_(attrs),
        problem_(problem),
        memory_(memory) {}

  RowMatrix<const T> Queries(int64_t batch, int64_t head) const override {
    return memory_.queries.template at<const T>(batch, head);
  }
  RowMatrix<const T> Keys(int64_t batch, int64_t kv_head) const override {
    return memory_.keys.template at<const T>(batch, kv_head);
  }
  RowMatrix<const T> Values(int64_t batch, int64_t kv_head) const override {
    return memory_.values.template at<const T>(batch, kv_head);
  }
  RowMatrix<T> Result(int64_t batch, int64_t head) const override {
    return memory_.result.template at<T>(batch, head);
  }

  // Positions are counted over all keys: queries stand behind the past, or are the last of the
  // valid keys.
  KeyRange Visible(const QueryAt& query) const override {
    const AttentionSizes& sizes = problem_.sizes;
    const int64_t valid = memory_.valid_keys == nullptr ? sizes.keys : memory_.valid_keys[query.batch];
    const int64_t before = memory_.valid_keys == nullptr ? problem_.past : valid - sizes.queries;
    const int64_t position = before + query.row;
    KeyRange range{0, valid};
    if (attrs_.left >= 0) range.begin = position - attrs_.left;
    Bound(attrs_.is_causal ? 0 : -1, position, &range);
    Bound(attrs_.right, position, &range);
    if (memory_.bias.data != nullptr && memory_.bias.cols < range.end) range.end = memory_.bias.cols;
    return range;
  }

  bool AddBias(const QueryAt& query, const KeyRange& range, T* scores) const override {
    if (memory_.bias.data == nullptr) return true;
    const T* bias = memory_.bias.at(query) + range.begin;
    bool any = false;
    for (int64_t j = 0; j < range.end - range.begin; ++j) {
      scores[j] += bias[j];
      any = any || bias[j] != -std::numeric_limits<T>::infinity();
    }
    return any;
  }

  bool Shows(ScoreStep step) const override {
    return memory_.scores != nullptr && static_cast<int64_t>(step) == attrs_.shown;
  }
  void Show(const QueryAt& query, const T* from) const override {
    const AttentionSizes& sizes = problem_.sizes;
    const int64_t row = (query.batch * sizes.heads + query.head) * sizes.queries + query.row;
    std::memcpy(memory_.scores + row * sizes.keys, from, static_cast<size_t>(sizes.keys) * sizeof(T));
  }

 private:
  // Hides what is more than `right` behind `position`; -1 hides nothing.
  static void Bound(int64_t right, int64_t position, KeyRange* range) {
    if (right >= 0 && position + right + 1 < range->end) range->end = position + right + 1;
  }

  const <%= k.attrs %>& attrs_;
  const Problem& problem_;
  const Memory<T>& memory_;
};

template <class T>
Status Run(const <%= k.attrs %>& attrs, const Problem& problem, Inputs inputs, Outputs outputs, Exec& exec) {
  const AttentionSizes& sizes = problem.sizes;
  const DType own = inputs[kQ].dtype;
  const Matrices queries(inputs[kQ].raw, own, {sizes.batches, sizes.heads, sizes.queries, sizes.depth}, problem.packed);
  const Matrices result(outputs[kY].raw, own, {sizes.batches, sizes.heads, sizes.queries, sizes.v_depth}, problem.packed);
  Memory<T> memory{queries, queries, queries, result, {}};
  EP_RETURN_IF_ERROR(Gather(problem, inputs, kK, kPastKey, outputs.at(kPresentKey), exec, &memory.keys));
  EP_RETURN_IF_ERROR(Gather(problem, inputs, kV, kPastValue, outputs.at(kPresentValue), exec, &memory.values));
  const T* elements = nullptr;
  const int64_t count = sizes.batches * memory.values.batch;
  EP_RETURN_IF_ERROR(ReadAs(own, memory.values.data, memory.values.dtype, count, &elements, exec));
  memory.values.data = elements;
  if (inputs.has(kMask)) {
    const Tensor& mask = inputs[kMask];
    EP_RETURN_IF_ERROR(ReadAs(own, mask.raw, mask.dtype, mask.size(), &elements, exec));
    memory.bias = Bias<T>(elements, mask.shape);
  }
  if (inputs.has(kValidKeys)) memory.valid_keys = inputs[kValidKeys].data<int64_t>();
  if (outputs.has(kScores)) memory.scores = outputs[kScores].data<T>();
  const T scale = attrs.has_scale ? static_cast<T>(attrs.scale) : 1 / Sqrt(static_cast<T>(sizes.depth));
  return ComputeAttention(Call<T>(attrs, problem, scale, memory), exec);
}

// A bound that no tensor reaches, so that positions can be added to it.
int64_t Near(int64_t bound) {
  constexpr int64_t kFar = int64_t{1} << 61;
  return bound < kFar ? bound : kFar;
}

}  // namespace

// softmax_precision asks for no less than what is done: softmax is computed in the type of the
// scores, its sums in float64.
Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t is_causal = 0;
  EP_RETURN_IF_ERROR(node.Get("is_causal", &is_causal));
  EP_RETURN_IF_ERROR(node.Get("q_num_heads", &attrs.q_heads));
  EP_RETURN_IF_ERROR(node.Get("kv_num_heads", &attrs.kv_heads));
  EP_RETURN_IF_ERROR(node.Get("scale", &attrs.scale, &attrs.has_scale));
  EP_RETURN_IF_ERROR(node.Get("softcap", &attrs.softcap));
  EP_RETURN_IF_ERROR(node.Get("left_window_size", &attrs.left));
  EP_RETURN_IF_ERROR(node.Get("right_window_size", &attrs.right));
  EP_RETURN_IF_ERROR(node.Get("qk_matmul_output_mode", &attrs.shown));
  if (attrs.left < -1 || attrs.right < -1) return InvalidArgument("a window must be -1 or a number of keys");
  if (attrs.shown < 0 || attrs.shown > static_cast<int64_t>(ScoreStep::kShare)) {
    return InvalidArgument("qk_matmul_output_mode must be 0, 1, 2 or 3");
  }
  attrs.is_causal = is_causal != 0;
  attrs.left = Near(attrs.left);
  attrs.right = Near(attrs.right);
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  const AttentionSizes& s = problem.sizes;
  const Shape all[] = {{s.batches, s.heads, s.queries, s.v_depth},
                       {s.batches, s.kv_heads, s.keys, s.depth},
                       {s.batches, s.kv_heads, s.keys, s.v_depth},
                       {s.batches, s.heads, s.queries, s.keys}};
  // All of them, whoever asks for an output: no product of sizes overflows from here on.
  for (const Shape& shape : all) EP_RETURN_IF_ERROR(CheckShape(shape));
  for (size_t i = 0; i < shapes.size(); ++i) shapes[i] = all[i];
  if (problem.packed) shapes[kY] = {s.batches, s.queries, s.heads * s.v_depth};
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  if (inputs.has(kValidKeys)) {
    const int64_t* valid = inputs[kValidKeys].data<int64_t>();
    for (int64_t i = 0; i < problem.sizes.batches; ++i) {
      if (valid[i] < 0 || valid[i] > problem.sizes.keys) {
        return InvalidArgument(Text() << "nonpad_kv_seqlen is " << valid[i] << " of " << problem.sizes.keys << " keys");
      }
    }
  }
  switch (inputs[kQ].dtype) {
<%= cases(k.t, "Run", "attrs, problem, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(kOp, inputs[kQ].dtype);
  }
}

}  // namespace <%= ns %>
