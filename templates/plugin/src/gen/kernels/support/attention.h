<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"

// Scaled dot product attention, for all the operators that compute it: of every batch and head
//
//   result = softmax(scale * queries * transposed keys + bias) * values
//
// The scores of some queries at a time are in memory, never those of all. Compiled once, in
// attention.cc, for the element types of the kernels that use it.
namespace <%= ns %> {

// A matrix whose row i begins at data + i * stride, with its elements side by side.
template <class T>
struct RowMatrix {
  T* data;
  int64_t stride;

  T* row(int64_t i) const { return data + i * stride; }
};

struct AttentionSizes {
  int64_t batches;
  int64_t heads;     // of the queries
  int64_t kv_heads;  // of keys and values; heads / kv_heads neighbouring ones share each
  int64_t queries;   // rows of queries and of the result
  int64_t keys;      // rows of keys and of values
  int64_t depth;     // columns of queries and of keys
  int64_t v_depth;   // columns of values and of the result
};

// One query.
struct QueryAt {
  int64_t batch;
  int64_t head;
  int64_t row;
};

// The keys that a query may see: [begin, end).
struct KeyRange {
  int64_t begin;
  int64_t end;
};

// The score of a query and a key, step by step.
enum class ScoreStep {
  kProduct,  // the scaled product
  kCapped,   // after the soft cap
  kBiased,   // after the bias; -infinity for keys that are not seen
  kShare,    // after softmax; 0 for keys that are not seen
};

// What is computed, by a class that knows the operator's inputs. Called from several threads.
template <class T>
class Attention {
 public:
  // `softcap`: 0 for none.
  Attention(const AttentionSizes& sizes, T scale, T softcap)
      : sizes_(sizes), scale_(scale), softcap_(softcap) {}

  const AttentionSizes& sizes() const { return sizes_; }
  T scale() const { return scale_; }
  T softcap() const { return softcap_; }

  virtual RowMatrix<const T> Queries(int64_t batch, int64_t head) const = 0;
  virtual RowMatrix<const T> Keys(int64_t batch, int64_t kv_head) const = 0;
  virtual RowMatrix<const T> Values(int64_t batch, int64_t kv_head) const = 0;
  virtual RowMatrix<T> Result(int64_t batch, int64_t head) const = 0;

  // Other keys count for nothing, whatever is in memory there. The range may be empty, or reach
  // beyond the keys that there are.
  virtual KeyRange Visible(const QueryAt&) const { return {0, sizes_.keys}; }

  // Adds the bias to the scores of the keys in `range`; scores[0] is that of the first of them. A
  // score of -infinity hides a key. False where the bias hides them all. A query that sees no key
  // has a result of zeros.
  virtual bool AddBias(const QueryAt&, const KeyRange&, T* /*scores*/) const { return true; }

  // Whether a score without a key and a value takes part in softmax, and which.
  virtual bool Sink(int64_t /*head*/, T* /*score*/) const { return false; }

  // Where somebody wants to see the scores of all keys: which, and what to do with those of a query.
  virtual bool Shows(ScoreStep) const { return false; }
  virtual void Show(const QueryAt&, const T* /*scores*/) const {}

 protected:
  ~Attention() = default;

 private:
  AttentionSizes sizes_;
  T scale_;
  T softcap_;
};

// Writes the results.
template <class T>
Status ComputeAttention(const Attention<T>& attention, Exec& exec);

}  // namespace <%= ns %>
