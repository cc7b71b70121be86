<%= banner %>
#include "<%= k.header %>"

#include <cstring>
#include <vector>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kGates = 4;  // input, output, forget, cell

// i = f(X Wi + H Ri + Pi C + biases), and so forget; c = g(X Wc + H Rc + biases)
// C = forget C + i c;  o = f(X Wo + H Ro + Po C + biases);  H = o h(C)
template <class T>
class Cell {
 public:
  Cell(const <%= k.attrs %>& attrs, const RecurrentSizes& sizes, int64_t index, Inputs inputs, Exec& exec)
      : sizes_(sizes),
        couple_(attrs.input_forget),
        activations_(&attrs.common, index),
        r_(inputs[2].data<T>() + index * kGates * sizes.hidden * sizes.hidden),
        peepholes_(inputs.has(7) ? inputs[7].data<T>() + index * 3 * sizes.hidden : nullptr),
        from_input_(SumInputs<T>(sizes, inputs, index, {kGates, 0, kGates, true}, exec)),
        hidden_(InitialState<T>(sizes, inputs, 5, index)),
        memory_(InitialState<T>(sizes, inputs, 6, index)),
        gates_(hidden_.size() * kGates) {}

  const T* hidden() const { return hidden_.data(); }
  const T* memory() const { return memory_.data(); }

  // Moves the sequences on to the inputs in `rows`.
  void Step(const int64_t* rows, Exec& exec) {
    const int64_t hidden = sizes_.hidden;
    TakeRows(from_input_.data(), kGates * hidden, rows, sizes_.batch, gates_.data());
    AddRowProducts(hidden_.data(), sizes_.batch, r_, kGates * hidden, hidden, gates_.data(), exec);
    ParallelFor(exec, sizes_.batch, 128 * hidden, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (rows[i] != kOver) Update(hidden_.data() + i * hidden, memory_.data() + i * hidden, gates_.data() + i * kGates * hidden);
      }
    });
  }

 private:
  // The state of one sequence, from the sums of its gates.
  void Update(T* h, T* c, T* gates) const {
    enum : size_t { kF, kG, kH };
    const int64_t hidden = sizes_.hidden;
    T* in = gates;
    T* out = gates + hidden;
    T* forget = gates + 2 * hidden;
    T* cell = gates + 3 * hidden;
    AddPeephole(0, c, in);
    AddPeephole(2, c, forget);
    activations_.Apply(kF, in, hidden);
    activations_.Apply(kG, cell, hidden);
    if (couple_) {
      for (int64_t j = 0; j < hidden; ++j) forget[j] = T{1} - in[j];
    } else {
      activations_.Apply(kF, forget, hidden);
    }
    for (int64_t j = 0; j < hidden; ++j) c[j] = forget[j] * c[j] + in[j] * cell[j];
    AddPeephole(1, c, out);
    activations_.Apply(kF, out, hidden);
    for (int64_t j = 0; j < hidden; ++j) h[j] = c[j];
    activations_.ApplyUnclipped(kH, h, hidden);  // what is clipped are the gates
    for (int64_t j = 0; j < hidden; ++j) h[j] *= out[j];
  }

  // The weights are those of the gates input, output and forget.
  void AddPeephole(int64_t gate, const T* c, T* sums) const {
    if (peepholes_ == nullptr) return;
    const T* weights = peepholes_ + gate * sizes_.hidden;
    for (int64_t j = 0; j < sizes_.hidden; ++j) sums[j] += weights[j] * c[j];
  }

  const RecurrentSizes& sizes_;
  bool couple_;
  CellActivations activations_;
  const T* r_;
  const T* peepholes_;
  std::vector<T> from_input_;
  std::vector<T> hidden_;
  std::vector<T> memory_;
  std::vector<T> gates_;
};

<% include "kernels/recurrent.inc" %>

}  // namespace <%= ns %>
