<% from "kernels/conv.inc" import resolve, read_attributes %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/bytes.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/integer_product.h"

namespace <%= ns %> {
namespace {

<%= resolve(k) %>

// A zero point<% if k.p.scaled %> or a scale<% endif %> is one number, or one for each of `channels`.
Status CheckChannels(Inputs inputs, size_t input, int64_t channels) {
  if (!inputs.has(input) || inputs[input].size() == 1 || IsVectorOf(channels, inputs[input].shape)) return Status();
  return BadShape(<%= k.label | cpp_string %>, input, inputs[input].shape, "is neither one number nor one for each channel");
}

// Checks all shapes and lays the window on the input.
Status ResolveAll(const <%= k.attrs %>& attrs, Inputs inputs, Window* window, Shape* output) {
  const Tensor* list[] = {inputs.at(0), inputs.at(<%= k.p.w %>)<% if k.p.scaled %>, inputs.at(<%= k.p.bias %>)<% endif %>};
  EP_RETURN_IF_ERROR(Resolve(attrs, Inputs(list, sizeof list / sizeof list[0]), window, output));
  const int64_t channels = (*output)[1];
  EP_RETURN_IF_ERROR(CheckChannels(inputs, <%= k.p.x_zero %>, 1));
<% if k.p.scaled %>
  EP_RETURN_IF_ERROR(CheckChannels(inputs, <%= k.p.x_scale %>, 1));
  EP_RETURN_IF_ERROR(CheckChannels(inputs, <%= k.p.y_scale %>, 1));
  EP_RETURN_IF_ERROR(CheckChannels(inputs, <%= k.p.y_zero %>, 1));
  EP_RETURN_IF_ERROR(CheckChannels(inputs, <%= k.p.w_scale %>, channels));
<% endif %>
  return CheckChannels(inputs, <%= k.p.w_zero %>, channels);
}

// One product of matrices for each image and group: of the weights and the group's input.
class GroupProducts final : public IntegerProducts {
 public:
  GroupProducts(const IntegerProductSizes& sizes, const Window& window, int64_t group, Inputs inputs, const MutableTensor& y)
      : IntegerProducts(sizes), window_(window), group_(group), inputs_(inputs), x_(inputs[0]), w_(inputs[<%= k.p.w %>]), x_zero_(At(<%= k.p.x_zero %>, 0)), y_(y) {}

  void PackRow(int64_t index, int64_t row, int64_t p, int64_t p_end, int16_t* to) const override {
    const int64_t channel = index % group_ * sizes().m + row;
    const int zero = At(<%= k.p.w_zero %>, channel);
    for (; p < p_end; ++p) *to++ = static_cast<int16_t>(w_.at(channel * sizes().depth + p) - zero);
  }
  // What lies outside of the input is as far from the zero point as padding: not at all.
  void PackCol(int64_t index, int64_t col, int64_t p, int64_t p_end, int16_t* to) const override {
    const Slide& depth = window_.depth;
    const Slide& height = window_.height;
    const Slide& width = window_.width;
    const int64_t row = col / width.output;
    const int64_t z = depth.start(row / height.output);
    const int64_t y = height.start(row % height.output);
    const int64_t x = width.start(col % width.output);
    const int64_t first = index * (sizes().depth / window_.taps());  // the group's first channel
    for (Tap tap(window_, p); p < p_end; ++p, tap.Next(window_)) {
      const int64_t at_z = z + tap.z * depth.dilation;
      const int64_t at_y = y + tap.y * height.dilation;
      const int64_t at_x = x + tap.x * width.dilation;
      const bool inside = at_z >= 0 && at_z < depth.input && at_y >= 0 && at_y < height.input && at_x >= 0 && at_x < width.input;
      const int64_t from = (((first + tap.channel) * depth.input + at_z) * height.input + at_y) * width.input + at_x;
      *to++ = static_cast<int16_t>(inside ? x_.at(from) - x_zero_ : 0);
    }
  }
  void Take(int64_t index, int64_t row, int64_t col, const int32_t* sums, int64_t count) const override {
    const int64_t to = (index * sizes().m + row) * sizes().n + col;
<% if k.p.scaled %>
    const int64_t channel = index % group_ * sizes().m + row;
    const ByteMaker make(y_.dtype);
    const float scale = ScaleAt(<%= k.p.x_scale %>, 0) * ScaleAt(<%= k.p.w_scale %>, channel) / ScaleAt(<%= k.p.y_scale %>, 0);
    const int zero = At(<%= k.p.y_zero %>, 0);
    const uint32_t bias = inputs_.has(<%= k.p.bias %>) ? static_cast<uint32_t>(inputs_[<%= k.p.bias %>].data<int32_t>()[channel]) : 0;
    uint8_t* y = y_.data<uint8_t>() + to;
    for (int64_t j = 0; j < count; ++j) {
      const int32_t sum = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) + bias);  // may wrap around
      y[j] = make(static_cast<float>(sum) * scale, zero);
    }
<% else %>
    int32_t* y = y_.data<int32_t>() + to;
    for (int64_t j = 0; j < count; ++j) y[j] = sums[j];
<% endif %>
  }

 private:
  // The zero point of a channel.
  int At(size_t input, int64_t channel) const {
    if (!inputs_.has(input)) return 0;
    return ByteReader(inputs_[input]).at(inputs_[input].size() == 1 ? 0 : channel);
  }
<% if k.p.scaled %>
  float ScaleAt(size_t input, int64_t channel) const {
    return inputs_[input].data<float>()[inputs_[input].size() == 1 ? 0 : channel];
  }
<% endif %>

  const Window& window_;
  int64_t group_;
  Inputs inputs_;
  ByteReader x_;
  ByteReader w_;
  int x_zero_;
  const MutableTensor& y_;
};

}  // namespace

<%= read_attributes(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Window window;
  return ResolveAll(attrs, inputs, &window, &shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Window window;
  Shape shape;
  EP_RETURN_IF_ERROR(ResolveAll(attrs, inputs, &window, &shape));
  Flatten(&window);
  const IntegerProductSizes sizes{shape[0] * attrs.group, shape[1] / attrs.group, window.output_size(),
                                  inputs[<%= k.p.w %>].shape[1] * window.taps()};
  Multiply(GroupProducts(sizes, window, attrs.group, inputs, outputs[0]), exec);
  return Status();
}

}  // namespace <%= ns %>
