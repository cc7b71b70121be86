<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/attention.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/rotary.h"

namespace <%= ns %> {
namespace {

enum Input : size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLastKeys,
  kTotal,
  kCos,
  kSin,
  kPositions,
  kScoreBias,
  kSinks,
  kKeyScale,
  kValueScale,
  kQueryNorm,
  kKeyNorm,
  kFresh
};
enum Output : size_t { kResult, kPresentKey, kPresentValue, kScores };

// The rows of all batches and heads, wherever an operator's layout puts them.
struct HeadRows {
  const float* data = nullptr;
  int64_t batch = 0;  // elements from one batch to the next
  int64_t head = 0;
  int64_t row = 0;

  RowMatrix<const float> matrix(int64_t b, int64_t n) const { return {data + b * batch + n * head, row}; }
};

// The call, understood. Of the tokens that a query may see the first are in the cache already; the
// others come with the call, behind which there may be padding.
struct Problem {
  int64_t batches = 0;
  int64_t rows = 0;  // of queries, keys and values, with padding
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t depth = 0;
  int64_t total = 0;     // tokens of the longest batch
  int64_t past = 0;      // rows of the old cache
  int64_t capacity = 0;  // rows of the new one
  HeadRows q, k, v;
};

// How far a batch is.
struct Extent {
  int64_t old = 0;    // tokens before the call
  int64_t fresh = 0;  // those of the call
  int64_t gone = 0;   // those before the call that are no longer in the cache

  int64_t all() const { return old + fresh; }
  int64_t held() const { return old - gone; }
  int64_t keys() const { return held() + fresh; }
};

const float* Data(Inputs inputs, size_t index) {
  return inputs.has(index) ? inputs[index].data<float>() : nullptr;
}

float* Results(Outputs outputs, size_t index) {
  return outputs.has(index) ? outputs[index].data<float>() : nullptr;
}

void CopyFloats(const float* from, int64_t count, float* to) {
  if (count > 0) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}

Status Unfit(Inputs inputs, size_t index, const char* what) {
  return BadShape(<%= k.label | cpp_string %>, index, inputs[index].shape, what);
}

Status ReadQueries(Inputs inputs, Problem* p) {
  const Shape& q = inputs[kQuery].shape;
  EP_RETURN_IF_ERROR(CheckRank(q, 3, "query"));
  p->batches = q[0];
  p->rows = q[1];
  const bool packed = !inputs.has(kKey);
  if (packed == inputs.has(kValue)) return InvalidArgument("key and value come together");
  const int64_t heads = p->heads + (packed ? 2 * p->kv_heads : 0);
  if (q[2] == 0 || q[2] % heads != 0) return Unfit(inputs, kQuery, "must have a multiple of the heads as its last dimension");
  p->depth = q[2] / heads;
  p->q = {Data(inputs, kQuery), q[1] * q[2], p->depth, q[2]};
  if (packed) {
    p->k = p->v = p->q;
    p->k.data += p->heads * p->depth;
    p->v.data += (p->heads + p->kv_heads) * p->depth;
    return Status();
  }
  const int64_t width = p->kv_heads * p->depth;
  const Shape expected{q[0], q[1], width};
  if (inputs[kKey].shape != expected) return Unfit(inputs, kKey, "must be (batch, sequence, kv_num_heads * head size)");
  if (inputs[kValue].shape != expected) return Unfit(inputs, kValue, "must have the shape of key");
  p->k = {Data(inputs, kKey), q[1] * width, p->depth, width};
  p->v = {Data(inputs, kValue), q[1] * width, p->depth, width};
  return Status();
}

Status ReadCache(const <%= k.attrs %>& attrs, Inputs inputs, Problem* p) {
  if (inputs[kTotal].size() != 1) return Unfit(inputs, kTotal, "must be one number");
  p->total = *inputs[kTotal].data<int32_t>();
  if (p->total < p->rows) return InvalidArgument(Text() << "total_sequence_length is " << p->total << ", but query has " << p->rows << " rows");
  if (!IsVectorOf(p->batches, inputs[kLastKeys].shape) && inputs[kLastKeys].shape != Shape{p->batches, 1}) {
    return Unfit(inputs, kLastKeys, "must have one value for each batch");
  }
  if (inputs.has(kFresh) && !IsVectorOf(p->batches, inputs[kFresh].shape)) {
    return Unfit(inputs, kFresh, "must have one value for each batch");
  }
  if (inputs.has(kPastKey) != inputs.has(kPastValue)) return InvalidArgument("past_key and past_value come together");
  if (inputs.has(kPastKey)) {
    const Shape& past = inputs[kPastKey].shape;
    EP_RETURN_IF_ERROR(CheckRank(past, 4, "past_key"));
    p->past = past[2];
    if (past != Shape{p->batches, p->kv_heads, p->past, p->depth}) return Unfit(inputs, kPastKey, "must be (batch, kv_num_heads, past, head size)");
    if (inputs[kPastValue].shape != past) return Unfit(inputs, kPastValue, "must have the shape of past_key");
  }
  p->capacity = p->past > p->total || attrs.sliding ? p->past : p->total;
  if (attrs.sliding && p->past < attrs.window) {
    return InvalidArgument(Text() << "the cache has " << p->past << " rows for a window of " << attrs.window);
  }
  return Status();
}

Status CheckRotary(const <%= k.attrs %>& attrs, Inputs inputs, const Problem& p) {
  if (!attrs.rotary) return Status();
  if (!inputs.has(kCos) || !inputs.has(kSin)) return InvalidArgument("do_rotary needs cos_cache and sin_cache");
  const Shape& cos = inputs[kCos].shape;
  EP_RETURN_IF_ERROR(CheckRank(cos, 2, "cos_cache"));
  if (cos[1] > p.depth / 2) return Unfit(inputs, kCos, "has more columns than half the head size");
  if (inputs[kSin].shape != cos) return Unfit(inputs, kSin, "must have the shape of cos_cache");
  if (!inputs.has(kPositions) || inputs[kPositions].shape == Shape{p.batches, p.rows}) return Status();
  return Unfit(inputs, kPositions, "must be (batch, sequence)");
}

bool IsScoreBias(const Shape& bias, const Problem& p) {
  return bias.size() == 4 && (bias[0] == 1 || bias[0] == p.batches) && (bias[1] == 1 || bias[1] == p.heads) &&
         bias[2] == p.rows && bias[3] == p.total;
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* p) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  p->heads = attrs.num_heads;
  p->kv_heads = attrs.kv_num_heads;
  EP_RETURN_IF_ERROR(ReadQueries(inputs, p));
  EP_RETURN_IF_ERROR(ReadCache(attrs, inputs, p));
  EP_RETURN_IF_ERROR(CheckShape({p->batches, p->heads, p->capacity + p->rows, p->depth}));
  EP_RETURN_IF_ERROR(CheckRotary(attrs, inputs, *p));
  if (inputs.has(kKeyScale) || inputs.has(kValueScale)) return NotImplemented("a quantized cache");
  if (inputs.has(kScoreBias) && !IsScoreBias(inputs[kScoreBias].shape, *p)) {
    return Unfit(inputs, kScoreBias, "must be (batch or 1, heads or 1, sequence, total_sequence_length)");
  }
  if (inputs.has(kSinks) && !IsVectorOf(p->heads, inputs[kSinks].shape)) {
    return Unfit(inputs, kSinks, "must have one value for each head");
  }
  if (inputs.has(kQueryNorm) != inputs.has(kKeyNorm)) return InvalidArgument("q_norm_weight and k_norm_weight come together");
  for (size_t i : {kQueryNorm, kKeyNorm}) {
    if (inputs.has(i) && !IsVectorOf(p->depth, inputs[i].shape)) return Unfit(inputs, i, "must have one value for each element of a head");
  }
  return Status();
}

// How many of the last of `tokens` tokens a cache of `capacity` rows holds, when it makes room for as
// many as it can without losing one of the window.
int64_t Held(int64_t tokens, int64_t capacity, int64_t window) {
  if (tokens <= capacity) return tokens;
  const int64_t room = capacity - window + 1;
  return tokens - (tokens - capacity + room - 1) / room * room;
}

// Reads where each batch is from the inputs that say it.
Status FindExtents(const <%= k.attrs %>& attrs, Inputs inputs, const Problem& p, std::vector<Extent>* extents) {
  const int32_t* last = inputs[kLastKeys].data<int32_t>();
  const int32_t* given = inputs.has(kFresh) ? inputs[kFresh].data<int32_t>() : nullptr;
  extents->resize(static_cast<size_t>(p.batches));
  for (int64_t b = 0; b < p.batches; ++b) {
    const int64_t all = int64_t{last[b]} + 1;
    const int64_t most = all < p.rows ? all : p.rows;
    const int64_t fresh = given != nullptr ? given[b] : most;
    if (all < 1 || all > p.total) {
      return InvalidArgument(Text() << "seqlens_k has " << all - 1 << " for total_sequence_length " << p.total);
    }
    if (fresh < 0 || fresh > most) {
      return InvalidArgument(Text() << "query_seqlens has " << fresh << ", but there are no more than " << most << " new tokens");
    }
    Extent& extent = (*extents)[static_cast<size_t>(b)];
    extent = {all - fresh, fresh, 0};
    if (attrs.sliding) {
      extent.gone = extent.old - Held(extent.old, p.past, attrs.window);
    } else if (extent.old > p.past) {
      return InvalidArgument(Text() << "the cache should hold " << all - fresh << " tokens and has " << p.past);
    }
  }
  return Status();
}

// What happens to the rows of queries and keys before they meet: they are brought to unit length,
// and turned by angles that depend on the token's position.
class Preparation {
 public:
  Preparation(const <%= k.attrs %>& attrs, Inputs inputs, const Problem& p)
      : attrs_(attrs), rows_(p.rows), depth_(p.depth), prompt_(p.rows == p.total && !inputs.has(kFresh)) {
    if (!attrs.rotary) return;
    cos_ = Data(inputs, kCos);
    sin_ = Data(inputs, kSin);
    angles_ = inputs[kCos].shape[1];
    positions_known_ = inputs[kCos].shape[0];
    if (inputs.has(kPositions)) positions_ = inputs[kPositions].data<int64_t>();
  }

  Status Check(const std::vector<Extent>& extents) const {
    for (size_t b = 0; attrs_.rotary && b < extents.size(); ++b) {
      for (int64_t row = 0; row < extents[b].fresh; ++row) {
        const int64_t position = Position(static_cast<int64_t>(b), row, extents[b]);
        if (position < 0 || position >= positions_known_) {
          return InvalidArgument(Text() << "position " << position << " is out of range for caches of " << positions_known_ << " rows");
        }
      }
    }
    return Status();
  }

  // Prepares a row that is no padding; `norm` may be null.
  void Run(const float* from, int64_t batch, int64_t row, const Extent& extent, const float* norm, float epsilon, float* to) const {
    double factor = 1;
    if (norm != nullptr) {
      double squares = 0;
      for (int64_t i = 0; i < depth_; ++i) squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
      factor = 1 / Sqrt(squares / static_cast<double>(depth_) + static_cast<double>(epsilon));
    }
    for (int64_t i = 0; i < depth_; ++i) {
      to[i] = norm != nullptr ? static_cast<float>(static_cast<double>(from[i]) * factor) * norm[i] : from[i];
    }
    if (angles_ == 0) return;
    const int64_t position = Position(batch, row, extent);
    RotatePairs(to, cos_ + position * angles_, sin_ + position * angles_, angles_, attrs_.interleaved, to);
  }

 private:
  // Of a prompt only the first of the positions counts.
  int64_t Position(int64_t batch, int64_t row, const Extent& extent) const {
    if (positions_ == nullptr) return extent.old + row;
    if (!prompt_) return positions_[batch * rows_ + row];
    return positions_[0] < positions_known_ ? positions_[0] + row : -1;
  }

  const <%= k.attrs %>& attrs_;
  int64_t rows_;
  int64_t depth_;
  bool prompt_;
  const float* cos_ = nullptr;
  const float* sin_ = nullptr;
  int64_t angles_ = 0;
  int64_t positions_known_ = 0;
  const int64_t* positions_ = nullptr;
};

Status Reserve(int64_t elements, Exec& exec, float** memory) {
  void* raw = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(elements) * sizeof(float), &raw));
  *memory = static_cast<float*>(raw);
  return Status();
}

// Rows of the call, and what is done to them.
struct Rows {
  const Problem& p;
  const std::vector<Extent>& extents;
  const Preparation* preparation;  // null: the rows are taken as they are
  const float* norm;
  float epsilon;
};

// Puts the tokens of the call behind those in the cache, and changes `rows` to where all of them
// are. Old tokens stay where they are when the old cache and the new one are one.
Status Remember(const Rows& what, bool sliding, int64_t window, const float* past, float* present, HeadRows* rows, Exec& exec) {
  const Problem& p = what.p;
  // A sliding cache may lose tokens that the call still needs: all of them meet elsewhere first.
  const int64_t capacity = sliding ? p.past + p.rows : p.capacity;
  const int64_t head = capacity * p.depth;
  float* cache = sliding ? nullptr : present;
  if (cache == nullptr) EP_RETURN_IF_ERROR(Reserve(p.batches * p.kv_heads * head, exec, &cache));
  const HeadRows fresh = *rows;
  ParallelFor(exec, p.batches * p.kv_heads, head, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t batch = n / p.kv_heads;
      const Extent& extent = what.extents[static_cast<size_t>(batch)];
      float* to = cache + n * head;
      if (past != cache) {
        CopyFloats(past + n * p.past * p.depth, extent.held() * p.depth, to);
        for (int64_t j = extent.keys() * p.depth; j < head; ++j) to[j] = 0.0f;
      }
      to += extent.held() * p.depth;
      const RowMatrix<const float> from = fresh.matrix(batch, n % p.kv_heads);
      for (int64_t row = 0; row < extent.fresh; ++row, to += p.depth) {
        if (what.preparation != nullptr) {
          what.preparation->Run(from.row(row), batch, row, extent, what.norm, what.epsilon, to);
        } else {
          CopyFloats(from.row(row), p.depth, to);
        }
      }
      if (!sliding || present == nullptr) continue;
      const int64_t kept = Held(extent.all(), p.past, window);
      float* last = present + n * p.past * p.depth;
      CopyFloats(cache + n * head + (extent.keys() - kept) * p.depth, kept * p.depth, last);
      for (int64_t j = kept * p.depth; j < p.past * p.depth; ++j) last[j] = 0.0f;
    }
  });
  *rows = {cache, p.kv_heads * head, head, p.depth};
  return Status();
}

Status PrepareQueries(const Rows& what, HeadRows* rows, Exec& exec) {
  const Problem& p = what.p;
  const HeadRows fresh = *rows;
  const int64_t head = p.rows * p.depth;
  float* memory = nullptr;
  EP_RETURN_IF_ERROR(Reserve(p.batches * p.heads * head, exec, &memory));
  ParallelFor(exec, p.batches * p.heads, 4 * head, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t batch = n / p.heads;
      const Extent& extent = what.extents[static_cast<size_t>(batch)];
      const RowMatrix<const float> from = fresh.matrix(batch, n % p.heads);
      float* to = memory + n * head;
      for (int64_t row = 0; row < extent.fresh; ++row, to += p.depth) {
        what.preparation->Run(from.row(row), batch, row, extent, what.norm, what.epsilon, to);
      }
      for (int64_t i = 0; i < (p.rows - extent.fresh) * p.depth; ++i) to[i] = 0.0f;  // padding
    }
  });
  *rows = {memory, p.heads * head, head, p.depth};
  return Status();
}

class Grouped final : public Attention<float> {
 public:
  Grouped(const <%= k.attrs %>& attrs, const AttentionSizes& sizes, float scale, const Problem& problem,
          const std::vector<Extent>& extents, Inputs inputs, Outputs outputs)
      : Attention<float>(sizes, scale, attrs.softcap),
        attrs_(attrs),
        problem_(problem),
        extents_(extents),
        sinks_(Data(inputs, kSinks)),
        result_(outputs[kResult].data<float>()),
        scores_(Results(outputs, kScores)) {
    if (!inputs.has(kScoreBias)) return;
    const Shape& shape = inputs[kScoreBias].shape;
    const int64_t matrix = shape[2] * shape[3];
    bias_ = {Data(inputs, kScoreBias), shape[0] == 1 ? 0 : shape[1] * matrix, shape[1] == 1 ? 0 : matrix, shape[3]};
  }

  RowMatrix<const float> Queries(int64_t batch, int64_t head) const override { return problem_.q.matrix(batch, head); }
  RowMatrix<const float> Keys(int64_t batch, int64_t head) const override { return problem_.k.matrix(batch, head); }
  RowMatrix<const float> Values(int64_t batch, int64_t head) const override { return problem_.v.matrix(batch, head); }
  RowMatrix<float> Result(int64_t batch, int64_t head) const override {
    const int64_t row = problem_.heads * problem_.depth;
    return {result_ + batch * problem_.rows * row + head * problem_.depth, row};
  }

  KeyRange Visible(const QueryAt& at) const override {
    const Extent& extent = extents_[static_cast<size_t>(at.batch)];
    if (at.row >= extent.fresh) return {0, 0};
    if (!attrs_.causal) return {0, extent.keys()};
    const int64_t end = extent.held() + at.row + 1;
    return {attrs_.window >= 0 && attrs_.window < end ? end - attrs_.window : 0, end};
  }

  bool AddBias(const QueryAt& at, const KeyRange& range, float* scores) const override {
    if (bias_.data == nullptr) return true;
    const float* row = bias_.matrix(at.batch, at.head).row(at.row) + extents_[static_cast<size_t>(at.batch)].gone;
    for (int64_t j = range.begin; j < range.end; ++j) scores[j - range.begin] += row[j];
    return true;
  }

  bool Sink(int64_t head, float* score) const override {
    if (sinks_ != nullptr) *score = sinks_[head];
    return sinks_ != nullptr || attrs_.smooth;
  }

  bool Shows(ScoreStep step) const override {
    return scores_ != nullptr && step == (attrs_.shown == 1 ? ScoreStep::kBiased : ScoreStep::kShare);
  }
  // Keys that are not seen have a score of 0 here, not of -infinity.
  void Show(const QueryAt& at, const float* scores) const override {
    const KeyRange seen = Visible(at);
    float* to = scores_ + ((at.batch * problem_.heads + at.head) * problem_.rows + at.row) * problem_.total;
    for (int64_t j = 0; j < problem_.total; ++j) to[j] = 0.0f;
    to += extents_[static_cast<size_t>(at.batch)].gone;
    for (int64_t j = seen.begin; j < seen.end; ++j) to[j] = scores[j];
  }

 private:
  const <%= k.attrs %>& attrs_;
  const Problem& problem_;
  const std::vector<Extent>& extents_;
  const float* sinks_;
  float* result_;
  float* scores_;
  HeadRows bias_;
};

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t causal = 1;
  int64_t rotary = 0;
  int64_t interleaved = 0;
  int64_t smooth = 0;
  int64_t sliding = 0;
  int64_t cache_bits = 0;
  EP_RETURN_IF_ERROR(node.Get("num_heads", &attrs.num_heads));
  EP_RETURN_IF_ERROR(node.Get("kv_num_heads", &attrs.kv_num_heads));
  EP_RETURN_IF_ERROR(node.Get("scale", &attrs.scale));
  EP_RETURN_IF_ERROR(node.Get("softcap", &attrs.softcap));
  EP_RETURN_IF_ERROR(node.Get("causal", &causal));
  EP_RETURN_IF_ERROR(node.Get("local_window_size", &attrs.window));
  EP_RETURN_IF_ERROR(node.Get("do_rotary", &rotary));
  EP_RETURN_IF_ERROR(node.Get("rotary_interleaved", &interleaved));
  EP_RETURN_IF_ERROR(node.Get("smooth_softmax", &smooth));
  EP_RETURN_IF_ERROR(node.Get("sliding_window_cache", &sliding));
  EP_RETURN_IF_ERROR(node.Get("kv_cache_bit_width", &cache_bits));
  EP_RETURN_IF_ERROR(node.Get("qk_output", &attrs.shown));
  EP_RETURN_IF_ERROR(node.Get("qk_norm_epsilon", &attrs.q_epsilon));
  attrs.k_epsilon = attrs.q_epsilon;
  EP_RETURN_IF_ERROR(node.Get("q_norm_epsilon", &attrs.q_epsilon));
  EP_RETURN_IF_ERROR(node.Get("k_norm_epsilon", &attrs.k_epsilon));
  attrs.causal = causal != 0;
  attrs.sliding = sliding != 0;
  attrs.rotary = rotary != 0;
  attrs.interleaved = interleaved != 0;
  attrs.smooth = smooth == 1;
  constexpr int64_t kMostHeads = int64_t{1} << 20;
  if (attrs.num_heads < 1 || attrs.num_heads > kMostHeads || attrs.kv_num_heads < 1 || attrs.num_heads % attrs.kv_num_heads != 0) {
    return InvalidArgument(Text() << "num_heads is " << attrs.num_heads << ", kv_num_heads is " << attrs.kv_num_heads);
  }
  if (attrs.window == 0 || attrs.window < -1 || (attrs.window > 0 && !attrs.causal)) {
    return InvalidArgument(Text() << "local_window_size is " << attrs.window << ", causal is " << causal);
  }
  if (attrs.shown < 0 || attrs.shown > 2) return InvalidArgument(Text() << "qk_output is " << attrs.shown);
  if (attrs.sliding && attrs.window < 1) return InvalidArgument("sliding_window_cache needs a local_window_size");
  if (cache_bits != 0) return NotImplemented("a quantized cache");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Problem p;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &p));
  const Shape cache{p.batches, p.kv_heads, p.capacity, p.depth};
  const Shape all[] = {{p.batches, p.rows, p.heads * p.depth}, cache, cache, {p.batches, p.heads, p.rows, p.total}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = all[i];
    EP_RETURN_IF_ERROR(CheckShape(shapes[i]));
  }
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem p;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &p));
  if (outputs.has(kScores) && attrs.shown == 0) return InvalidArgument("output_qk needs a qk_output that says which");
  std::vector<Extent> extents;
  EP_RETURN_IF_ERROR(FindExtents(attrs, inputs, p, &extents));
  const Preparation preparation(attrs, inputs, p);
  EP_RETURN_IF_ERROR(preparation.Check(extents));

  const Rows k_rows{p, extents, &preparation, Data(inputs, kKeyNorm), attrs.k_epsilon};
  const Rows v_rows{p, extents, nullptr, nullptr, 0.0f};
  const Rows q_rows{p, extents, &preparation, Data(inputs, kQueryNorm), attrs.q_epsilon};
  float* present_key = Results(outputs, kPresentKey);
  float* present_value = Results(outputs, kPresentValue);
  EP_RETURN_IF_ERROR(Remember(k_rows, attrs.sliding, attrs.window, Data(inputs, kPastKey), present_key, &p.k, exec));
  EP_RETURN_IF_ERROR(Remember(v_rows, attrs.sliding, attrs.window, Data(inputs, kPastValue), present_value, &p.v, exec));
  if (attrs.rotary || q_rows.norm != nullptr) EP_RETURN_IF_ERROR(PrepareQueries(q_rows, &p.q, exec));

  int64_t keys = 0;
  for (const Extent& extent : extents) keys = extent.keys() > keys ? extent.keys() : keys;
  const AttentionSizes sizes{p.batches, p.heads, p.kv_heads, p.rows, keys, p.depth, p.depth};
  const float scale = attrs.scale != 0.0f ? attrs.scale : 1 / Sqrt(static_cast<float>(p.depth));
  return ComputeAttention(Grouped(attrs, sizes, scale, p, extents, inputs, outputs), exec);
}

}  // namespace <%= ns %>
