<%= banner %>
#include "gen/kernels/support/recurrent.h"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

constexpr const char* kDirections[] = {"forward", "reverse", "bidirectional", "foward"};

Status CheckIs(const Shape& shape, const Shape& wanted, const char* name) {
  if (shape == wanted) return Status();
  return InvalidArgument(Text() << name << " must have the shape " << wanted << ", not " << shape);
}

template <class T>
class RowProducts final : public Products<T> {
 public:
  RowProducts(const ProductSizes& sizes, const T* left, const T* weights, T* sums)
      : Products<T>(sizes), left_(left), weights_(weights), sums_(sums) {}

  MatrixView<T> Left(int64_t) const override { return {left_, this->sizes().depth, 1}; }
  void PackRight(int64_t, const Piece& piece, T* to) const override {
    PackMatrix({weights_, 1, this->sizes().depth}, T{1}, piece, to);
  }
  T* Result(int64_t) const override { return sums_; }

 private:
  const T* left_;
  const T* weights_;
  T* sums_;
};

}  // namespace

Status ReadRecurrent(const Node& node, const std::vector<std::string>& activations, RecurrentAttrs* attrs) {
  size_t direction = 0;  // the default of GRU's first version is misspelled
  EP_RETURN_IF_ERROR(ReadChoice(node, "direction", kDirections, &direction));
  attrs->reverse = direction == 1;
  attrs->directions = direction == 2 ? 2 : 1;
  int64_t layout = 0;
  EP_RETURN_IF_ERROR(node.Get("layout", &layout));
  if (layout != 0 && layout != 1) return InvalidArgument(Text() << "layout is " << layout);
  attrs->batch_first = layout == 1;
  EP_RETURN_IF_ERROR(node.Get("hidden_size", &attrs->hidden_size));
  EP_RETURN_IF_ERROR(node.Get("clip", &attrs->clip));
  if (!(attrs->clip >= 0)) return InvalidArgument("clip is negative");
  // The schema of RNN names those of two directions, whatever the node has.
  const size_t copies = activations.size() == 1 ? 2 : attrs->directions;
  std::vector<std::string> names;
  for (size_t i = 0; i < copies; ++i) names.insert(names.end(), activations.begin(), activations.end());
  return ReadActivations(node, names, activations.size() * attrs->directions, &attrs->activations);
}

Status ResolveRecurrent(const RecurrentAttrs& attrs, int64_t gates, Inputs inputs, RecurrentSizes* sizes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  const Shape& r = inputs[2].shape;
  EP_RETURN_IF_ERROR(CheckRank(x, 3, "X"));
  EP_RETURN_IF_ERROR(CheckRank(r, 3, "R"));
  sizes->batch_first = attrs.batch_first;
  sizes->steps = x[attrs.batch_first ? 1 : 0];
  sizes->batch = x[attrs.batch_first ? 0 : 1];
  sizes->input = x[2];
  sizes->directions = static_cast<int64_t>(attrs.directions);
  sizes->hidden = r[2];
  const int64_t hidden = sizes->hidden;
  if (attrs.hidden_size != 0 && attrs.hidden_size != hidden) {
    return InvalidArgument(Text() << "hidden_size is " << attrs.hidden_size << ", but R has the shape " << r);
  }
  if (hidden < 1 || hidden > INT32_MAX) return InvalidArgument(Text() << "R has the shape " << r);
  EP_RETURN_IF_ERROR(CheckIs(r, {sizes->directions, gates * hidden, hidden}, "R"));
  EP_RETURN_IF_ERROR(CheckIs(inputs[1].shape, {sizes->directions, gates * hidden, sizes->input}, "W"));
  if (inputs.has(3)) EP_RETURN_IF_ERROR(CheckIs(inputs[3].shape, {sizes->directions, 2 * gates * hidden}, "B"));
  if (inputs.has(4)) EP_RETURN_IF_ERROR(CheckIs(inputs[4].shape, {sizes->batch}, "sequence_lens"));
  EP_RETURN_IF_ERROR(CheckState(*sizes, inputs, 5, "initial_h"));
  // What the kernel keeps of every step must be countable, too.
  return CheckShape({sizes->steps, sizes->batch, sizes->directions, gates * hidden});
}

Status CheckState(const RecurrentSizes& sizes, Inputs inputs, size_t input, const char* name) {
  if (!inputs.has(input)) return Status();
  const Shape batch_first = {sizes.batch, sizes.directions, sizes.hidden};
  const Shape batch_second = {sizes.directions, sizes.batch, sizes.hidden};
  return CheckIs(inputs[input].shape, sizes.batch_first ? batch_first : batch_second, name);
}

void ShapeRecurrent(const RecurrentSizes& sizes, Shapes& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = shapes[i];
    shape = {sizes.directions, sizes.batch, sizes.hidden};
    if (sizes.batch_first) shape = {sizes.batch, sizes.directions, sizes.hidden};
    if (i == 0) shape.insert(shape.begin() + (sizes.batch_first ? 1 : 0), sizes.steps);
  }
}

Status ReadLengths(const RecurrentSizes& sizes, Inputs inputs, std::vector<int64_t>* lengths) {
  lengths->assign(static_cast<size_t>(sizes.batch), sizes.steps);
  if (!inputs.has(4)) return Status();
  const int32_t* given = inputs[4].data<int32_t>();
  for (size_t i = 0; i < lengths->size(); ++i) {
    if (given[i] < 0 || given[i] > sizes.steps) {
      return InvalidArgument(Text() << "sequence_lens has the value " << int64_t{given[i]} << " for " << sizes.steps << " steps");
    }
    (*lengths)[i] = given[i];
  }
  return Status();
}

template <class T>
void AddRowProducts(const T* left, int64_t rows, const T* weights, int64_t count, int64_t depth, T* sums, Exec& exec) {
  AddProducts(RowProducts<T>({1, rows, count, depth}, left, weights, sums), exec);
}

template <class T>
std::vector<T> SumInputs(const RecurrentSizes& sizes, Inputs inputs, int64_t direction,
                         const GateRange& range, Exec& exec) {
  const int64_t rows = sizes.steps * sizes.batch;
  const int64_t width = range.count * sizes.hidden;
  const int64_t begin = range.first * sizes.hidden;
  const int64_t all = range.gates * sizes.hidden;
  std::vector<T> sums(static_cast<size_t>(rows * width));
  if (inputs.has(3)) {
    const T* bias = inputs[3].data<T>() + 2 * direction * all + begin;
    for (int64_t i = 0; i < rows * width; ++i) {
      const int64_t j = i % width;
      sums[static_cast<size_t>(i)] = range.with_recurrent_bias ? bias[j] + bias[all + j] : bias[j];
    }
  }
  const T* weights = inputs[1].data<T>() + (direction * all + begin) * sizes.input;
  AddRowProducts(inputs[0].data<T>(), rows, weights, width, sizes.input, sums.data(), exec);
  return sums;
}

template <class T>
std::vector<T> InitialState(const RecurrentSizes& sizes, Inputs inputs, size_t input,
                            int64_t direction) {
  std::vector<T> state(static_cast<size_t>(sizes.batch * sizes.hidden));
  if (!inputs.has(input)) return state;
  for (int64_t i = 0; i < sizes.batch; ++i) {
    const T* from = inputs[input].data<T>() + sizes.state_row(i, direction) * sizes.hidden;
    for (int64_t j = 0; j < sizes.hidden; ++j) state[static_cast<size_t>(i * sizes.hidden + j)] = from[j];
  }
  return state;
}

template <class T>
void TakeRows(const T* from, int64_t width, const int64_t* rows, int64_t batch, T* to) {
  for (int64_t i = 0; i < batch; ++i, to += width) {
    if (rows[i] == kOver) continue;
    for (int64_t j = 0; j < width; ++j) to[j] = from[rows[i] * width + j];
  }
}

<% for _, cpp in types %>
template void AddRowProducts(const <%= cpp %>*, int64_t, const <%= cpp %>*, int64_t, int64_t, <%= cpp %>*, Exec&);
template std::vector<<%= cpp %>> SumInputs(const RecurrentSizes&, Inputs, int64_t, const GateRange&, Exec&);
template std::vector<<%= cpp %>> InitialState(const RecurrentSizes&, Inputs, size_t, int64_t);
template void TakeRows(const <%= cpp %>*, int64_t, const int64_t*, int64_t, <%= cpp %>*);
<% endfor %>

}  // namespace <%= ns %>
