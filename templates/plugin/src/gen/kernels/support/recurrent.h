<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/activation.h"

// What recurrent operators have in common: attributes, shapes, and the sums that gates are made of.
namespace <%= ns %> {

struct RecurrentAttrs {
  bool batch_first = false;
  bool reverse = false;  // the first direction, which may be the only one
  size_t directions = 1;
  int64_t hidden_size = 0;  // 0: as the weights have it
  float clip = 0;           // 0: what goes into an activation is not clipped
  std::vector<Activation> activations;  // of the first direction, then of the second
};

// `activations` are those of a direction, where the node has no others.
Status ReadRecurrent(const Node& node, const std::vector<std::string>& activations, RecurrentAttrs* attrs);

struct RecurrentSizes {
  int64_t steps = 0;
  int64_t batch = 0;
  int64_t input = 0;
  int64_t hidden = 0;
  int64_t directions = 1;
  bool batch_first = false;

  // Where in X, counted in rows of it, a step of a sequence is.
  int64_t input_row(int64_t step, int64_t sequence) const {
    return batch_first ? sequence * steps + step : step * batch + sequence;
  }
  // The same in Y, for one of the directions.
  int64_t output_row(int64_t step, int64_t sequence, int64_t direction) const {
    return batch_first ? (sequence * steps + step) * directions + direction
                       : (step * directions + direction) * batch + sequence;
  }
  // In a state: initial_h, Y_h and the like.
  int64_t state_row(int64_t sequence, int64_t direction) const {
    return batch_first ? sequence * directions + direction : direction * batch + sequence;
  }
};

// Checks the shapes of the inputs that the operators share: X, W, R, B, sequence_lens, initial_h.
// `gates` is how many the operator has.
Status ResolveRecurrent(const RecurrentAttrs& attrs, int64_t gates, Inputs inputs, RecurrentSizes* sizes);

Status CheckState(const RecurrentSizes& sizes, Inputs inputs, size_t input, const char* name);

// Y, Y_h and Y_c, as many as the node has.
void ShapeRecurrent(const RecurrentSizes& sizes, Shapes& shapes);

// The length of every sequence.
Status ReadLengths(const RecurrentSizes& sizes, Inputs inputs, std::vector<int64_t>* lengths);

// Adds the products of the rows of `left` and those of `weights`, `depth` numbers each, to `sums`:
// sums[i, j] += left[i, :] . weights[j, :].
template <class T>
void AddRowProducts(const T* left, int64_t rows, const T* weights, int64_t count, int64_t depth, T* sums, Exec& exec);

// What the inputs, and biases, add to some of the gates of one direction: a row for each row of X.
struct GateRange {
  int64_t gates;  // of the operator
  int64_t first;
  int64_t count;
  bool with_recurrent_bias;
};
template <class T>
std::vector<T> SumInputs(const RecurrentSizes& sizes, Inputs inputs, int64_t direction,
                         const GateRange& range, Exec& exec);

// A row for each sequence: that of an input, or zeros where there is none.
template <class T>
std::vector<T> InitialState(const RecurrentSizes& sizes, Inputs inputs, size_t input,
                            int64_t direction);

// The row of X of a sequence that is over; its state stays.
constexpr int64_t kOver = -1;

// Copies the given rows, of `width` numbers each, to `to`, where there is a row for each sequence.
template <class T>
void TakeRows(const T* from, int64_t width, const int64_t* rows, int64_t batch, T* to);

// The activations of one direction, with what is clipped before them.
class CellActivations {
 public:
  CellActivations(const RecurrentAttrs* attrs, int64_t direction)
      : first_(attrs->activations.data() + attrs->activations.size() / attrs->directions * static_cast<size_t>(direction)),
        clip_(attrs->clip) {}

  template <class T>
  void Apply(size_t which, T* x, int64_t count) const {
    if (clip_ > 0) Clip(x, count);
    Activate(first_[which], x, count);
  }
  template <class T>
  void ApplyUnclipped(size_t which, T* x, int64_t count) const {
    Activate(first_[which], x, count);
  }

 private:
  template <class T>
  void Clip(T* x, int64_t count) const {
    const T limit = static_cast<T>(clip_);
    for (int64_t i = 0; i < count; ++i) x[i] = x[i] < -limit ? -limit : (x[i] > limit ? limit : x[i]);
  }

  const Activation* first_;
  float clip_;
};

}  // namespace <%= ns %>
