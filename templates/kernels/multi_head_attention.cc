<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/attention.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/head_rows.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kBias, kMask, kScoreBias, kPastKey, kPastValue };
enum Output : size_t { kResult, kPresentKey, kPresentValue, kScores };

// The call, understood.
struct Problem {
  int64_t batches = 0;
  int64_t heads = 0;
  int64_t queries = 0;
  int64_t past = 0;  // keys and values from earlier calls
  int64_t news = 0;  // those of this one
  int64_t depth = 0;
  int64_t v_depth = 0;
  bool split_heads = false;  // keys and values come with their heads outside, and have had their bias
  HeadRows q, k, v;

  int64_t keys() const { return past + news; }
  AttentionSizes sizes() const { return {batches, heads, heads, queries, keys(), depth, v_depth}; }
};

const float* Data(Inputs inputs, size_t index) {
  return inputs.has(index) ? inputs[index].data<float>() : nullptr;
}

Status Unfit(Inputs inputs, size_t index, const char* what) {
  return BadShape(<%= k.label | cpp_string %>, index, inputs[index].shape, what);
}

Status ReadPackedQuery(Inputs inputs, Problem* p) {
  const Shape& q = inputs[kQuery].shape;
  if (q[2] != p->heads || q[3] != 3) return Unfit(inputs, kQuery, "must be (batch, sequence, heads, 3, head size)");
  if (inputs.has(kKey) || inputs.has(kValue)) return InvalidArgument("a packed query holds key and value");
  p->news = q[1];
  p->depth = p->v_depth = q[4];
  const float* data = Data(inputs, kQuery);
  p->q = RowsOutside(data, q[1], p->heads, 3 * p->depth);
  p->k = p->v = p->q;
  if (inputs[kQuery].size() == 0) return Status();  // there is no memory to point into
  p->k.data += p->depth;
  p->v.data += 2 * p->depth;
  return Status();
}

Status ReadKeys(Inputs inputs, Problem* p) {
  if (!inputs.has(kKey)) return InvalidArgument("key is missing");
  const Shape& k = inputs[kKey].shape;
  const float* data = Data(inputs, kKey);
  if (k.size() == 5) {
    const Shape expected{p->batches, k[1], p->heads, 2, p->depth};
    if (k != expected) return Unfit(inputs, kKey, "must be (batch, sequence, heads, 2, head size)");
    if (inputs.has(kValue)) return InvalidArgument("a packed key holds the value");
    p->news = k[1];
    p->v_depth = p->depth;
    p->k = RowsOutside(data, p->news, p->heads, 2 * p->depth);
    p->v = p->k;
    if (inputs[kKey].size() != 0) p->v.data += p->depth;  // else there is no memory to point into
    return Status();
  }
  if (!inputs.has(kValue)) return InvalidArgument("value is missing");
  const Shape& v = inputs[kValue].shape;
  if (k.size() != v.size()) return Unfit(inputs, kValue, "must have the rank of key");
  if (k.size() == 4) {
    p->split_heads = true;
    p->news = k[2];
    p->v_depth = v[3];
    if (k != Shape{p->batches, p->heads, p->news, p->depth}) return Unfit(inputs, kKey, "must be (batch, heads, sequence, head size)");
    if (v != Shape{p->batches, p->heads, p->news, p->v_depth}) return Unfit(inputs, kValue, "must be (batch, heads, sequence, head size)");
    p->k = HeadsOutside(data, p->heads, p->news, p->depth);
    p->v = HeadsOutside(Data(inputs, kValue), p->heads, p->news, p->v_depth);
    return Status();
  }
  EP_RETURN_IF_ERROR(CheckRank(k, 3, "key"));
  p->news = k[1];
  p->v_depth = v[2] / p->heads;
  if (k != Shape{p->batches, p->news, p->heads * p->depth}) return Unfit(inputs, kKey, "must be (batch, sequence, hidden size)");
  if (v != Shape{p->batches, p->news, p->heads * p->v_depth}) return Unfit(inputs, kValue, "must be (batch, sequence, a multiple of num_heads)");
  p->k = RowsOutside(data, p->news, p->heads, p->depth);
  p->v = RowsOutside(Data(inputs, kValue), p->news, p->heads, p->v_depth);
  return Status();
}

Status ReadPast(Inputs inputs, Problem* p) {
  if (inputs.has(kPastKey) != inputs.has(kPastValue)) return InvalidArgument("past_key and past_value come together");
  if (!inputs.has(kPastKey)) return Status();
  const Shape& k = inputs[kPastKey].shape;
  EP_RETURN_IF_ERROR(CheckRank(k, 4, "past_key"));
  p->past = k[2];
  if (k != Shape{p->batches, p->heads, p->past, p->depth}) return Unfit(inputs, kPastKey, "must be (batch, heads, past, head size)");
  if (inputs[kPastValue].shape != Shape{p->batches, p->heads, p->past, p->v_depth}) {
    return Unfit(inputs, kPastValue, "must be (batch, heads, past, head size)");
  }
  return Status();
}

bool IsMask(const Shape& mask, const Problem& p) {
  return mask == Shape{p.batches} || mask == Shape{3 * p.batches + 2} || mask == Shape{p.batches, p.keys()} ||
         mask == Shape{p.batches, p.queries, p.keys()};
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* p) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& q = inputs[kQuery].shape;
  if (q.size() != 3 && q.size() != 5) return Unfit(inputs, kQuery, "must have 3 or 5 dimensions");
  p->batches = q[0];
  p->heads = attrs.num_heads;
  p->queries = q[1];
  if (q.size() == 5) {
    EP_RETURN_IF_ERROR(ReadPackedQuery(inputs, p));
  } else {
    if (q[2] == 0 || q[2] % p->heads != 0) return Unfit(inputs, kQuery, "must have a multiple of num_heads as its last dimension");
    p->depth = q[2] / p->heads;
    p->q = RowsOutside(Data(inputs, kQuery), p->queries, p->heads, p->depth);
    EP_RETURN_IF_ERROR(ReadKeys(inputs, p));
  }
  EP_RETURN_IF_ERROR(ReadPast(inputs, p));
  EP_RETURN_IF_ERROR(CheckShape({p->batches, p->heads, p->keys(), p->depth, 1}));
  EP_RETURN_IF_ERROR(CheckShape({p->batches, p->heads, p->keys(), p->v_depth, 1}));
  if (inputs.has(kBias) && !IsVectorOf(p->heads * (2 * p->depth + p->v_depth), inputs[kBias].shape)) {
    return Unfit(inputs, kBias, "must have one value for each column of query, key and value");
  }
  if (inputs.has(kMask) && !IsMask(inputs[kMask].shape, *p)) {
    return Unfit(inputs, kMask, "must be lengths, or have one value for each key");
  }
  if (inputs.has(kScoreBias) && !IsScoreBias(inputs[kScoreBias].shape, p->sizes())) {
    return Unfit(inputs, kScoreBias, "must be (batch or 1, heads or 1, sequence, keys)");
  }
  return Status();
}

// Writes rows with their heads outside: `old` ones from `past`, then `fresh` ones from `rows`, whose
// columns get a bias.
void Collect(const Problem& p, const float* past, int64_t old, const HeadRows& rows, int64_t fresh, const float* bias,
             int64_t width, float* to, Exec& exec) {
  const int64_t all = old + fresh;
  ParallelFor(exec, p.batches * p.heads, all * width, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* target = to + i * all * width;
      if (old * width > 0) std::memcpy(target, past + i * old * width, static_cast<size_t>(old * width) * sizeof(float));
      target += old * width;
      const RowMatrix<const float> from = rows.matrix(i / p.heads, i % p.heads);
      const float* add = bias != nullptr ? bias + i % p.heads * width : nullptr;
      for (int64_t row = 0; row < fresh; ++row, target += width) {
        for (int64_t j = 0; j < width; ++j) target[j] = from.row(row)[j] + (add != nullptr ? add[j] : 0.0f);
      }
    }
  });
}

// Puts the rows together in `present`, or where that is null in memory of the call's own; where
// there is nothing to put together they stay where they are.
Status Join(const Problem& p, const float* past, int64_t old, int64_t fresh, const float* bias, int64_t width,
            float* present, HeadRows* rows, Exec& exec) {
  if (past == nullptr && bias == nullptr && present == nullptr) return Status();
  float* to = present;
  if (to == nullptr) {
    void* memory = nullptr;
    const int64_t elements = p.batches * p.heads * (old + fresh) * width;
    EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(elements) * sizeof(float), &memory));
    to = static_cast<float*>(memory);
  }
  Collect(p, past, old, *rows, fresh, bias, width, to, exec);
  *rows = HeadsOutside(to, p.heads, old + fresh, width);
  return Status();
}

class MultiHead final : public Attention<float> {
 public:
  MultiHead(const <%= k.attrs %>& attrs, float scale, const Problem& problem, Inputs inputs, Outputs outputs)
      : Attention<float>(problem.sizes(), scale, 0.0f),
        attrs_(attrs),
        problem_(problem),
        result_(outputs[kResult].data<float>()),
        scores_(outputs.has(kScores) ? outputs[kScores].data<float>() : nullptr) {
    if (inputs.has(kMask)) {
      mask_ = inputs[kMask].data<int32_t>();
      mask_shape_ = &inputs[kMask].shape;
    }
    if (inputs.has(kScoreBias)) bias_ = RowsOfBias(inputs[kScoreBias]);
  }

  RowMatrix<const float> Queries(int64_t batch, int64_t head) const override { return problem_.q.matrix(batch, head); }
  RowMatrix<const float> Keys(int64_t batch, int64_t head) const override { return problem_.k.matrix(batch, head); }
  RowMatrix<const float> Values(int64_t batch, int64_t head) const override { return problem_.v.matrix(batch, head); }
  RowMatrix<float> Result(int64_t batch, int64_t head) const override {
    const int64_t row = problem_.heads * problem_.v_depth;
    return {result_ + batch * problem_.queries * row + head * problem_.v_depth, row};
  }

  KeyRange Visible(const QueryAt& at) const override {
    return {0, attrs_.unidirectional != 0 ? problem_.past + at.row + 1 : problem_.keys()};
  }

  bool AddBias(const QueryAt& at, const KeyRange& range, float* scores) const override {
    for (int64_t j = range.begin; mask_ != nullptr && j < range.end; ++j) {
      if (Masked(at, j)) scores[j - range.begin] += attrs_.mask_filter_value;
    }
    if (bias_.data == nullptr) return true;
    const float* row = bias_.matrix(at.batch, at.head).row(at.row);
    for (int64_t j = range.begin; j < range.end; ++j) scores[j - range.begin] += row[j];
    return true;
  }

  bool Shows(ScoreStep step) const override { return scores_ != nullptr && step == ScoreStep::kBiased; }
  void Show(const QueryAt& at, const float* scores) const override {
    constexpr float kLowest = -3.402823466e+38f;  // what ONNX Runtime has for keys that are not seen
    const int64_t keys = problem_.keys();
    float* to = scores_ + ((at.batch * problem_.heads + at.head) * problem_.queries + at.row) * keys;
    for (int64_t j = 0; j < keys; ++j) to[j] = scores[j] < kLowest ? kLowest : scores[j];
  }

 private:
  // Whether the mask keeps the query from key j.
  bool Masked(const QueryAt& at, int64_t j) const {
    const int64_t keys = problem_.keys();
    if (mask_shape_->size() == 1) return j >= mask_[at.batch];
    if (mask_shape_->size() == 2) return mask_[at.batch * keys + j] == 0;
    return mask_[(at.batch * problem_.queries + at.row) * keys + j] == 0;
  }

  const <%= k.attrs %>& attrs_;
  const Problem& problem_;
  float* result_;
  float* scores_;
  const int32_t* mask_ = nullptr;
  const Shape* mask_shape_ = nullptr;
  HeadRows bias_;
};

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("num_heads", &attrs.num_heads));
  EP_RETURN_IF_ERROR(node.Get("scale", &attrs.scale));
  EP_RETURN_IF_ERROR(node.Get("mask_filter_value", &attrs.mask_filter_value));
  EP_RETURN_IF_ERROR(node.Get("unidirectional", &attrs.unidirectional));
  if (attrs.num_heads < 1) return InvalidArgument(Text() << "num_heads is " << attrs.num_heads);
  if (node.InputCount() > 8) return NotImplemented("a cache that beams share");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Problem p;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &p));
  const Shape all[] = {
      {p.batches, p.queries, p.heads * p.v_depth},
      {p.batches, p.heads, p.keys(), p.depth},
      {p.batches, p.heads, p.keys(), p.v_depth},
      {p.batches, p.heads, p.queries, p.keys()},
  };
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = all[i];
    EP_RETURN_IF_ERROR(CheckShape(shapes[i]));
  }
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem p;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &p));
  const float* bias = Data(inputs, kBias);
  const float* k_bias = bias != nullptr && !p.split_heads ? bias + p.heads * p.depth : nullptr;
  const float* v_bias = k_bias != nullptr ? k_bias + p.heads * p.depth : nullptr;
  float* present_key = outputs.has(kPresentKey) ? outputs[kPresentKey].data<float>() : nullptr;
  float* present_value = outputs.has(kPresentValue) ? outputs[kPresentValue].data<float>() : nullptr;
  EP_RETURN_IF_ERROR(Join(p, nullptr, 0, p.queries, bias, p.depth, nullptr, &p.q, exec));
  EP_RETURN_IF_ERROR(Join(p, Data(inputs, kPastKey), p.past, p.news, k_bias, p.depth, present_key, &p.k, exec));
  EP_RETURN_IF_ERROR(Join(p, Data(inputs, kPastValue), p.past, p.news, v_bias, p.v_depth, present_value, &p.v, exec));
  const float scale = attrs.scale != 0.0f ? attrs.scale : 1 / Sqrt(static_cast<float>(p.depth));
  return ComputeAttention(MultiHead(attrs, scale, p, inputs, outputs), exec);
}

}  // namespace <%= ns %>
