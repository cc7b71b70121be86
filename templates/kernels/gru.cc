<%= banner %>
#include "<%= k.header %>"

#include <cstring>
#include <vector>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kGates = 3;  // update, reset, hidden

// z = f(X Wz + H Rz + biases), and so r; H = (1 - z) h + z H, where h is
//   g(X Wh + (r H) Rh + biases), or after linear_before_reset g(X Wh + bias + r (H Rh + bias)).
template <class T>
class Cell {
 public:
  Cell(const <%= k.attrs %>& attrs, const RecurrentSizes& sizes, int64_t index, Inputs inputs, Exec& exec)
      : sizes_(sizes),
        linear_first_(attrs.linear_before_reset),
        activations_(&attrs.common, index),
        r_(inputs[2].data<T>() + index * kGates * sizes.hidden * sizes.hidden),
        linear_bias_(inputs.has(3) ? inputs[3].data<T>() + (2 * index + 1) * kGates * sizes.hidden + 2 * sizes.hidden : nullptr),
        gates_from_input_(SumInputs<T>(sizes, inputs, index, {kGates, 0, 2, true}, exec)),
        hidden_from_input_(SumInputs<T>(sizes, inputs, index, {kGates, 2, 1, !linear_first_}, exec)),
        hidden_(InitialState<T>(sizes, inputs, 5, index)),
        gates_(2 * hidden_.size()),
        candidate_(hidden_.size()),
        reset_(hidden_.size()) {}

  const T* hidden() const { return hidden_.data(); }

  // Moves the sequences on to the inputs in `rows`.
  void Step(const int64_t* rows, Exec& exec) {
    enum : size_t { kF, kG };
    const int64_t hidden = sizes_.hidden;
    const int64_t batch = sizes_.batch;
    const T* r_hidden = r_ + 2 * hidden * hidden;
    TakeRows(gates_from_input_.data(), 2 * hidden, rows, batch, gates_.data());
    TakeRows(hidden_from_input_.data(), hidden, rows, batch, candidate_.data());
    AddRowProducts(hidden_.data(), batch, r_, 2 * hidden, hidden, gates_.data(), exec);
    ParallelFor(exec, batch, 64 * hidden, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) activations_.Apply(kF, gates_.data() + i * 2 * hidden, 2 * hidden);
    });
    if (linear_first_) {
      for (int64_t i = 0; i < batch * hidden; ++i) reset_[static_cast<size_t>(i)] = linear_bias_ == nullptr ? T{} : linear_bias_[i % hidden];
      AddRowProducts(hidden_.data(), batch, r_hidden, hidden, hidden, reset_.data(), exec);
      Reset(reset_.data());
      for (size_t i = 0; i < candidate_.size(); ++i) candidate_[i] += reset_[i];
    } else {
      reset_ = hidden_;
      Reset(reset_.data());
      AddRowProducts(reset_.data(), batch, r_hidden, hidden, hidden, candidate_.data(), exec);
    }
    ParallelFor(exec, batch, 32 * hidden, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (rows[i] == kOver) continue;
        T* candidate = candidate_.data() + i * hidden;
        T* h = hidden_.data() + i * hidden;
        const T* z = gates_.data() + i * 2 * hidden;
        activations_.Apply(kG, candidate, hidden);
        for (int64_t j = 0; j < hidden; ++j) h[j] = (T{1} - z[j]) * candidate[j] + z[j] * h[j];
      }
    });
  }

 private:
  // Multiplies by the gate "reset".
  void Reset(T* values) const {
    const int64_t hidden = sizes_.hidden;
    for (int64_t i = 0; i < sizes_.batch * hidden; ++i) {
      values[i] *= gates_[static_cast<size_t>((i / hidden * 2 + 1) * hidden + i % hidden)];
    }
  }

  const RecurrentSizes& sizes_;
  bool linear_first_;
  CellActivations activations_;
  const T* r_;
  const T* linear_bias_;
  std::vector<T> gates_from_input_;
  std::vector<T> hidden_from_input_;
  std::vector<T> hidden_;
  std::vector<T> gates_;
  std::vector<T> candidate_;
  std::vector<T> reset_;
};

<% include "kernels/recurrent.inc" %>

}  // namespace <%= ns %>
