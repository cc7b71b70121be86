<%= banner %>
#include "<%= k.header %>"

#include <cstring>
#include <vector>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kGates = 1;

// H = f(X W + H R + biases)
template <class T>
class Cell {
 public:
  Cell(const <%= k.attrs %>& attrs, const RecurrentSizes& sizes, int64_t index, Inputs inputs, Exec& exec)
      : sizes_(sizes),
        f_(&attrs.common, index),
        r_(inputs[2].data<T>() + index * sizes.hidden * sizes.hidden),
        from_input_(SumInputs<T>(sizes, inputs, index, {kGates, 0, 1, true}, exec)),
        hidden_(InitialState<T>(sizes, inputs, 5, index)),
        sums_(hidden_.size()) {}

  const T* hidden() const { return hidden_.data(); }

  // Moves the sequences on to the inputs in `rows`.
  void Step(const int64_t* rows, Exec& exec) {
    const int64_t hidden = sizes_.hidden;
    TakeRows(from_input_.data(), hidden, rows, sizes_.batch, sums_.data());
    AddRowProducts(hidden_.data(), sizes_.batch, r_, hidden, hidden, sums_.data(), exec);
    ParallelFor(exec, sizes_.batch, 32 * hidden, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (rows[i] == kOver) continue;
        T* sums = sums_.data() + i * hidden;
        f_.Apply(0, sums, hidden);
        std::memcpy(hidden_.data() + i * hidden, sums, static_cast<size_t>(hidden) * sizeof(T));
      }
    });
  }

 private:
  const RecurrentSizes& sizes_;
  CellActivations f_;
  const T* r_;
  std::vector<T> from_input_;
  std::vector<T> hidden_;
  std::vector<T> sums_;
};

<% include "kernels/recurrent.inc" %>

}  // namespace <%= ns %>
