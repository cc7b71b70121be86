<%= banner %>
#include "<%= k.header %>"

<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// The statistics may be of another type than X.
template <class T>
T ValueAt(const Tensor& tensor, int64_t index) {
  if (tensor.dtype == DType::kFloat64) return static_cast<T>(tensor.data<double>()[index]);
  return static_cast<T>(tensor.data<float>()[index]);
}

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, int64_t channels, int64_t pixels, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const T epsilon = static_cast<T>(attrs.epsilon);
<% if k.base %>
  void* scratch = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(2 * static_cast<size_t>(channels) * sizeof(T), &scratch));
  T* factors = static_cast<T*>(scratch);
  T* offsets = factors + channels;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const T variance = ValueAt<T>(inputs[4], channel);
    const T factor = ValueAt<T>(inputs[1], channel) / Sqrt(variance + epsilon);
    factors[channel] = factor;
    offsets[channel] = ValueAt<T>(inputs[2], channel) - ValueAt<T>(inputs[3], channel) * factor;
  }
  ParallelFor(exec, inputs[0].shape[0] * pixels, channels, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      const T* from = x + pixel * channels;
      T* to = y + pixel * channels;
      for (int64_t i = 0; i < channels; ++i) to[i] = from[i] * factors[i] + offsets[i];
    }
  });
<% else %>
  ParallelFor(exec, inputs[0].shape[0] * channels, pixels, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t channel = plane % channels;
      const T variance = ValueAt<T>(inputs[4], channel);
      const T factor = ValueAt<T>(inputs[1], channel) / Sqrt(variance + epsilon);
      const T offset = ValueAt<T>(inputs[2], channel) - ValueAt<T>(inputs[3], channel) * factor;
      const T* from = x + plane * pixels;
      T* to = y + plane * pixels;
      for (int64_t i = 0; i < pixels; ++i) to[i] = from[i] * factor + offset;
    }
  });
<% endif %>
  return Status();
}

<% if not k.base %>
// What a running statistic becomes with the one of this batch.
void Update(const <%= k.attrs %>& attrs, const Tensor& old, double found, int64_t index, MutableTensor* running) {
  if (running == nullptr) return;
  const double momentum = static_cast<double>(attrs.momentum);
  const double value = momentum * ValueAt<double>(old, index) + (1 - momentum) * found;
  if (running->dtype == DType::kFloat64) {
    running->data<double>()[index] = value;
  } else {
    running->data<float>()[index] = static_cast<float>(value);
  }
}

// By the mean and the variance of the batch.
template <class T>
Status Train(const <%= k.attrs %>& attrs, int64_t channels, int64_t pixels, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = outputs.has(0) ? outputs[0].data<T>() : nullptr;
  const int64_t count = inputs[0].shape[0] * pixels;
  ParallelFor(exec, channels, 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel) {
      const auto place = [&](int64_t i) { return (i / pixels * channels + channel) * pixels + i % pixels; };
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[place(i)]);
      const double mean = sum / static_cast<double>(count);
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(x[place(i)]) - mean;
        squares += value * value;
      }
      const double variance = squares / static_cast<double>(count);
      Update(attrs, inputs[3], mean, channel, outputs.at(1));
      Update(attrs, inputs[4], variance, channel, outputs.at(2));
      if (y == nullptr) continue;
      const double factor = ValueAt<double>(inputs[1], channel) / Sqrt(variance + static_cast<double>(attrs.epsilon));
      const double offset = ValueAt<double>(inputs[2], channel) - mean * factor;
      for (int64_t i = 0; i < count; ++i) {
        y[place(i)] = static_cast<T>(static_cast<double>(x[place(i)]) * factor + offset);
      }
    }
  });
  return Status();
}

<% endif %>
}  // namespace

<% include "kernels/batch_normalization.inc" %>

}  // namespace <%= ns %>
