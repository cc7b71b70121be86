<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/attention.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/head_rows.h"
#include "gen/kernels/support/kv_cache.h"
#include "gen/kernels/support/math.h"

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

// The call, understood.
struct Problem {
  int64_t batches = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t rows = 0;  // of queries, keys and values, with padding
  int64_t depth = 0;
  int64_t total = 0;     // tokens of the longest batch
  int64_t past = 0;      // rows of the old cache
  int64_t capacity = 0;  // rows of the new one
  HeadRows q, k, v;

  // Before it is known how many keys there are, `keys` are the most that there may be.
  AttentionSizes sizes(int64_t keys) const { return {batches, heads, kv_heads, rows, keys, depth, depth}; }
};

const float* Data(Inputs inputs, size_t index) {
  return inputs.has(index) ? inputs[index].data<float>() : nullptr;
}

float* Results(Outputs outputs, size_t index) {
  return outputs.has(index) ? outputs[index].data<float>() : nullptr;
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
  p->q = RowsOutside(Data(inputs, kQuery), p->rows, heads, p->depth);
  if (packed) {
    p->k = p->v = p->q;
    if (q[0] == 0 || q[1] == 0) return Status();  // without rows there is no memory to point into
    p->k.data += p->heads * p->depth;
    p->v.data += (p->heads + p->kv_heads) * p->depth;
    return Status();
  }
  const Shape expected{q[0], q[1], p->kv_heads * p->depth};
  if (inputs[kKey].shape != expected) return Unfit(inputs, kKey, "must be (batch, sequence, kv_num_heads * head size)");
  if (inputs[kValue].shape != expected) return Unfit(inputs, kValue, "must have the shape of key");
  p->k = RowsOutside(Data(inputs, kKey), p->rows, p->kv_heads, p->depth);
  p->v = RowsOutside(Data(inputs, kValue), p->rows, p->kv_heads, p->depth);
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

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* p) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  p->heads = attrs.num_heads;
  p->kv_heads = attrs.kv_num_heads;
  EP_RETURN_IF_ERROR(ReadQueries(inputs, p));
  EP_RETURN_IF_ERROR(ReadCache(attrs, inputs, p));
  EP_RETURN_IF_ERROR(CheckShape({p->batches, p->heads, p->capacity + p->rows, p->depth}));
  EP_RETURN_IF_ERROR(CheckRotary(attrs, inputs, *p));
  if (inputs.has(kKeyScale) || inputs.has(kValueScale)) return NotImplemented("a quantized cache");
  if (inputs.has(kScoreBias) && !IsScoreBias(inputs[kScoreBias].shape, p->sizes(p->total))) {
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

// Reads where each batch is from the inputs that say it.
Status FindExtents(const KvCache& cache, Inputs inputs, const Problem& p, std::vector<Extent>* extents) {
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
    if (cache.window > 0) {
      extent.gone = extent.old - cache.Held(extent.old);
    } else if (extent.old > p.past) {
      return InvalidArgument(Text() << "the cache should hold " << all - fresh << " tokens and has " << p.past);
    }
  }
  return Status();
}

Rotation ReadRotation(const <%= k.attrs %>& attrs, Inputs inputs, const Problem& p) {
  Rotation rotation;
  if (!attrs.rotary) return rotation;
  rotation.cosines = Data(inputs, kCos);
  rotation.sines = Data(inputs, kSin);
  rotation.known = inputs[kCos].shape[0];
  rotation.angles = inputs[kCos].shape[1];
  rotation.interleaved = attrs.interleaved;
  if (inputs.has(kPositions)) rotation.positions = inputs[kPositions].data<int64_t>();
  rotation.first_alone = p.rows == p.total && !inputs.has(kFresh);  // a prompt
  return rotation;
}

class Grouped final : public Attention<float> {
 public:
  Grouped(const <%= k.attrs %>& attrs, const AttentionSizes& sizes, float scale, const Problem& problem,
          const Tokens& tokens, Inputs inputs, Outputs outputs)
      : Attention<float>(sizes, scale, attrs.softcap),
        attrs_(attrs),
        problem_(problem),
        tokens_(tokens),
        sinks_(Data(inputs, kSinks)),
        result_(outputs[kResult].data<float>()),
        scores_(Results(outputs, kScores)) {
    if (inputs.has(kScoreBias)) bias_ = RowsOfBias(inputs[kScoreBias]);
  }

  RowMatrix<const float> Queries(int64_t batch, int64_t head) const override { return problem_.q.matrix(batch, head); }
  RowMatrix<const float> Keys(int64_t batch, int64_t head) const override { return problem_.k.matrix(batch, head); }
  RowMatrix<const float> Values(int64_t batch, int64_t head) const override { return problem_.v.matrix(batch, head); }
  RowMatrix<float> Result(int64_t batch, int64_t head) const override {
    const int64_t row = problem_.heads * problem_.depth;
    return {result_ + batch * problem_.rows * row + head * problem_.depth, row};
  }

  KeyRange Visible(const QueryAt& at) const override {
    const Extent& extent = tokens_.extent(at.batch);
    if (at.row >= extent.fresh) return {0, 0};
    if (!attrs_.causal) return {0, extent.keys()};
    const int64_t end = extent.held() + at.row + 1;
    return {attrs_.window >= 0 && attrs_.window < end ? end - attrs_.window : 0, end};
  }

  bool AddBias(const QueryAt& at, const KeyRange& range, float* scores) const override {
    if (bias_.data == nullptr) return true;
    const float* row = bias_.matrix(at.batch, at.head).row(at.row) + tokens_.extent(at.batch).gone;
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
    to += tokens_.extent(at.batch).gone;
    for (int64_t j = seen.begin; j < seen.end; ++j) to[j] = scores[j];
  }

 private:
  const <%= k.attrs %>& attrs_;
  const Problem& problem_;
  const Tokens& tokens_;
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
  const KvCache cache{p.kv_heads, p.past, p.capacity, attrs.sliding ? attrs.window : 0};
  Tokens tokens{p.rows, p.depth, {}};
  EP_RETURN_IF_ERROR(FindExtents(cache, inputs, p, &tokens.extents));
  const Rotation rotation = ReadRotation(attrs, inputs, p);
  EP_RETURN_IF_ERROR(rotation.Check(tokens));

  const Preparation of_queries{Data(inputs, kQueryNorm), attrs.q_epsilon, rotation};
  const Preparation of_keys{Data(inputs, kKeyNorm), attrs.k_epsilon, rotation};
  EP_RETURN_IF_ERROR(Remember(tokens, cache, of_keys, Data(inputs, kPastKey), Results(outputs, kPresentKey), &p.k, exec));
  EP_RETURN_IF_ERROR(Remember(tokens, cache, {}, Data(inputs, kPastValue), Results(outputs, kPresentValue), &p.v, exec));
  if (of_queries.any()) EP_RETURN_IF_ERROR(PrepareQueries(tokens, p.heads, of_queries, &p.q, exec));

  int64_t keys = 0;
  for (const Extent& extent : tokens.extents) keys = extent.keys() > keys ? extent.keys() : keys;
  const float scale = attrs.scale != 0.0f ? attrs.scale : 1 / Sqrt(static_cast<float>(p.depth));
  return ComputeAttention(Grouped(attrs, p.sizes(keys), scale, p, tokens, inputs, outputs), exec);
}

}  // namespace <%= ns %>
