<%= banner %>
#include "gen/kernels/support/attention.h"

#include <limits>

#include "gen/kernels/support/gemm.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// Queries whose scores are in memory at a time: as many as keep the scores in a core's own cache,
// but enough to make something of the keys while they are there.
constexpr int64_t kBlockScores = 65536;
constexpr int64_t kLeastRows = 8;
constexpr int64_t kMostRows = 64;
// Pieces of the work, each of which has memory of its own.
constexpr int64_t kMostWorkers = 64;
// More memory than this is not asked for.
constexpr int64_t kMostElements = int64_t{1} << 48;
// What softmax costs per score, as multiplications.
constexpr int64_t kSoftmaxCost = 16;
// Fewer rows are multiplied one by one: a tile of packed columns would not pay off.
constexpr int64_t kFewRows = 4;

// Runs what it is given on the thread that it is called on.
class SameThread final : public Exec {
 public:
  void ParallelFor(int64_t count, int64_t, Range range, void* context) override {
    range(context, 0, count);
  }
  Status Scratch(size_t, void**) override { return Failed("one thread has no scratch memory"); }
  void* Stream() const noexcept override { return nullptr; }
};

// A dense result = left * right.
template <class T>
class OneProduct final : public Products<T> {
 public:
  OneProduct(const ProductSizes& sizes, MatrixView<T> left, MatrixView<T> right, T* result)
      : Products<T>(sizes), left_(left), right_(right), result_(result) {}

  MatrixView<T> Left(int64_t) const override { return left_; }
  void PackRight(int64_t, const Piece& piece, T* to) const override {
    PackMatrix(right_, T{1}, piece, to);
  }
  RowStarts<T> Start(int64_t) const override { return {&kZero, 0}; }
  T* Result(int64_t) const override { return result_; }

 private:
  static constexpr T kZero{};

  MatrixView<T> left_;
  MatrixView<T> right_;
  T* result_;
};

template <class T>
T Dot(const T* a, const T* b, int64_t count) {
  constexpr int64_t kSums = 32 / static_cast<int64_t>(sizeof(T));
  T sums[kSums] = {};  // side by side, for the processor's vectors
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int64_t j = 0; j < kSums; ++j) sums[j] += a[i + j] * b[i + j];
  }
  T sum{};
  for (int64_t j = 0; j < kSums; ++j) sum += sums[j];
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// The largest number; -infinity if there is none.
template <class T>
T Largest(const T* values, int64_t count) {
  constexpr int64_t kSides = 32 / static_cast<int64_t>(sizeof(T));
  T largest[kSides];  // side by side, as the sums of Dot
  for (T& each : largest) each = -std::numeric_limits<T>::infinity();
  int64_t i = 0;
  for (; i + kSides <= count; i += kSides) {
    for (int64_t j = 0; j < kSides; ++j) largest[j] = values[i + j] > largest[j] ? values[i + j] : largest[j];
  }
  for (; i < count; ++i) largest[0] = values[i] > largest[0] ? values[i] : largest[0];
  for (const T& each : largest) largest[0] = each > largest[0] ? each : largest[0];
  return largest[0];
}

template <class T>
bool HasNan(const T* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] != values[i]) return true;
  }
  return false;
}

// A product of costs; what is above kMuch counts as that.
int64_t Times(int64_t a, int64_t b) {
  constexpr int64_t kMuch = int64_t{1} << 30;
  return a > 0 && b > kMuch / a ? kMuch : a * b;
}

// The work, cut into blocks of queries that share their keys.
struct Blocks {
  explicit Blocks(const AttentionSizes& sizes)
      : group(sizes.heads / sizes.kv_heads), rows(group * sizes.queries) {
    size = kBlockScores / (sizes.keys > 0 ? sizes.keys : 1);
    if (size < kLeastRows) size = kLeastRows;
    if (size > kMostRows) size = kMostRows;
    if (size > rows) size = rows;
    each = size > 0 ? (rows + size - 1) / size : 0;
    count = sizes.batches * sizes.kv_heads * each;
  }

  int64_t group;  // heads that share their keys
  int64_t rows;   // queries that do
  int64_t size;   // queries in a block, but for the last one
  int64_t each;   // blocks of a head of keys
  int64_t count;  // all blocks
};

// What one worker does, block after block, in memory of its own.
template <class T>
class Worker {
 public:
  Worker(const Attention<T>& attention, const Blocks& blocks, T* memory)
      : attention_(attention),
        sizes_(attention.sizes()),
        blocks_(blocks),
        queries_(memory),
        scores_(queries_ + blocks.size * sizes_.depth),
        results_(scores_ + blocks.size * sizes_.keys),
        shows_(Shows(ScoreStep::kProduct) || Shows(ScoreStep::kCapped) ||
               Shows(ScoreStep::kBiased) || Shows(ScoreStep::kShare)) {}

  void Run(int64_t block) {
    const int64_t matrix = block / blocks_.each;
    batch_ = matrix / sizes_.kv_heads;
    kv_head_ = matrix % sizes_.kv_heads;
    first_ = block % blocks_.each * blocks_.size;
    rows_ = blocks_.rows - first_ < blocks_.size ? blocks_.rows - first_ : blocks_.size;
    FindKeys();
    if (keys_.begin < keys_.end) MultiplyKeys();
    for (int64_t r = 0; r < rows_; ++r) MakeShares(At(r), Scores(r));
    if (keys_.begin < keys_.end) MultiplyValues();
    for (int64_t r = 0; r < rows_; ++r) {
      const QueryAt at = At(r);
      T* to = attention_.Result(at.batch, at.head).row(at.row);
      const T* from = results_ + r * sizes_.v_depth;
      const bool seen = keys_.begin < keys_.end;
      for (int64_t i = 0; i < sizes_.v_depth; ++i) to[i] = seen ? from[i] : T{};
    }
  }

 private:
  bool Shows(ScoreStep step) const { return attention_.Shows(step); }

  QueryAt At(int64_t r) const {
    const int64_t i = first_ + r;
    return {batch_, kv_head_ * blocks_.group + i / sizes_.queries, i % sizes_.queries};
  }

  // The keys that a query sees, of those that there are.
  KeyRange Visible(const QueryAt& at) const {
    KeyRange range = attention_.Visible(at);
    if (range.begin < 0) range.begin = 0;
    if (range.end > sizes_.keys) range.end = sizes_.keys;
    if (range.end < range.begin) range.end = range.begin;
    return range;
  }

  int64_t Width() const { return keys_.end - keys_.begin; }
  T* Scores(int64_t r) const { return scores_ + r * Width(); }

  // The keys that any query of the block sees.
  void FindKeys() {
    keys_ = {0, sizes_.keys};
    if (shows_) return;
    keys_ = {sizes_.keys, 0};
    for (int64_t r = 0; r < rows_; ++r) {
      const KeyRange range = Visible(At(r));
      if (range.begin == range.end) continue;
      if (range.begin < keys_.begin) keys_.begin = range.begin;
      if (range.end > keys_.end) keys_.end = range.end;
    }
    if (keys_.end < keys_.begin) keys_.end = keys_.begin;
  }

  void MultiplyKeys() {
    for (int64_t r = 0; r < rows_; ++r) {
      const QueryAt at = At(r);
      const T* from = attention_.Queries(at.batch, at.head).row(at.row);
      T* to = queries_ + r * sizes_.depth;
      for (int64_t i = 0; i < sizes_.depth; ++i) to[i] = attention_.scale() * from[i];
    }
    const RowMatrix<const T> keys = attention_.Keys(batch_, kv_head_);
    const int64_t depth = sizes_.depth;
    if (rows_ < kFewRows) {
      for (int64_t j = 0; j < Width(); ++j) {
        const T* key = keys.row(keys_.begin + j);
        for (int64_t r = 0; r < rows_; ++r) Scores(r)[j] = Dot(queries_ + r * depth, key, depth);
      }
      return;
    }
    const MatrixView<T> transposed{keys.row(keys_.begin), 1, keys.stride};
    AddProducts(OneProduct<T>({1, rows_, Width(), depth}, {queries_, depth, 1}, transposed, scores_), thread_);
  }

  void Show(ScoreStep step, const QueryAt& at, const T* scores) const {
    if (Shows(step)) attention_.Show(at, scores);
  }

  // From the scores of a query to their shares in the sum.
  void MakeShares(const QueryAt& at, T* scores) const {
    Show(ScoreStep::kProduct, at, scores);
    const T cap = attention_.softcap();
    if (cap > T{}) {
      for (int64_t j = 0; j < Width(); ++j) scores[j] = cap * Tanh(scores[j] / cap);
    }
    Show(ScoreStep::kCapped, at, scores);
    const KeyRange range = Visible(at);
    const bool sees = range.begin < range.end;
    T* seen = sees ? scores + (range.begin - keys_.begin) : scores;
    const int64_t count = range.end - range.begin;
    const bool any = sees && attention_.AddBias(at, range, seen);
    if (Shows(ScoreStep::kBiased)) {
      FillOutside(seen, any ? count : 0, -std::numeric_limits<T>::infinity(), scores);
      attention_.Show(at, scores);
    }
    const bool shared = any && Softmax(at.head, seen, count);
    FillOutside(seen, shared ? count : 0, T{}, scores);
    Show(ScoreStep::kShare, at, scores);
  }

  // Sets the scores of the block's keys but for `count` ones from `seen` on.
  void FillOutside(const T* seen, int64_t count, T value, T* scores) const {
    T* const end = scores + Width();
    for (T* score = scores; score < end; ++score) {
      if (score == seen && count > 0) score += count;
      if (score < end) *score = value;
    }
  }

  // False where no score is above -infinity.
  bool Softmax(int64_t head, T* scores, int64_t count) const {
    T sink{};
    const bool has_sink = attention_.Sink(head, &sink);
    T most = Largest(scores, count);
    if (has_sink && sink > most) most = sink;
    // NaN is not found, but makes NaN of all shares.
    if (most == -std::numeric_limits<T>::infinity() && !HasNan(scores, count)) return false;
    double sum = has_sink ? static_cast<double>(Exp(sink - most)) : 0;
    for (int64_t j = 0; j < count; ++j) {
      scores[j] = Exp(scores[j] - most);
      sum += static_cast<double>(scores[j]);
    }
    const T factor = static_cast<T>(1 / sum);
    for (int64_t j = 0; j < count; ++j) scores[j] *= factor;
    return true;
  }

  void MultiplyValues() {
    const RowMatrix<const T> values = attention_.Values(batch_, kv_head_);
    const int64_t depth = sizes_.v_depth;
    const T* first = values.row(keys_.begin);
    if (rows_ < kFewRows) {
      for (int64_t i = 0; i < rows_ * depth; ++i) results_[i] = T{};
      for (int64_t j = 0; j < Width(); ++j) {
        const T* value = first + j * values.stride;
        for (int64_t r = 0; r < rows_; ++r) {
          const T share = Scores(r)[j];
          T* to = results_ + r * depth;
          for (int64_t i = 0; i < depth; ++i) to[i] += share * value[i];
        }
      }
      return;
    }
    AddProducts(OneProduct<T>({1, rows_, depth, Width()}, {scores_, Width(), 1}, {first, values.stride, 1}, results_), thread_);
  }

  const Attention<T>& attention_;
  const AttentionSizes& sizes_;
  const Blocks& blocks_;
  T* queries_;  // the block's, scaled
  T* scores_;   // and then shares
  T* results_;
  bool shows_;
  SameThread thread_;

  // The block at work: rows of queries, and the keys that they see.
  int64_t batch_ = 0;
  int64_t kv_head_ = 0;
  int64_t first_ = 0;
  int64_t rows_ = 0;
  KeyRange keys_{};
};

}  // namespace

template <class T>
Status ComputeAttention(const Attention<T>& attention, Exec& exec) {
  const AttentionSizes& sizes = attention.sizes();
  if (sizes.kv_heads == 0) return Status();
  const Blocks blocks(sizes);
  const int64_t workers = blocks.count < kMostWorkers ? blocks.count : kMostWorkers;
  if (workers <= 0) return Status();
  const int64_t row = sizes.depth + sizes.keys + sizes.v_depth;
  if (row > kMostElements / (workers * blocks.size)) return Failed("attention has too many keys");
  const int64_t elements = blocks.size * row;
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(workers * elements) * sizeof(T), &memory));
  const int64_t per_row = Times(sizes.keys, sizes.depth + sizes.v_depth + kSoftmaxCost);
  const int64_t cost = Times(Times(per_row, blocks.size), (blocks.count + workers - 1) / workers);
  // Neighbouring blocks go to different workers: under a causal mask the later ones cost more.
  ParallelFor(exec, workers, cost, [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; ++w) {
      Worker<T> worker(attention, blocks, static_cast<T*>(memory) + w * elements);
      for (int64_t block = w; block < blocks.count; block += workers) worker.Run(block);
    }
  });
  return Status();
}

<% for _, cpp in types %>
template Status ComputeAttention(const Attention<<%= cpp %>>&, Exec&);
<% endfor %>

}  // namespace <%= ns %>
