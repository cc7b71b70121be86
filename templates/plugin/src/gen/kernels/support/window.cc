<%= banner %>
#include "gen/kernels/support/window.h"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"

namespace <%= ns %> {

namespace {

constexpr size_t kMaxSpatial = 3;
constexpr int64_t kMaxTaps = 1 << 24;
constexpr const char* kAutoPads[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};  // as AutoPad

// Reads a list whose values lie in [least, 2^31), so that sums and products of them stay exact.
Status ReadSizes(const Node& node, const char* name, int64_t least, std::vector<int64_t>* values) {
  EP_RETURN_IF_ERROR(node.Get(name, values));
  for (int64_t value : *values) {
    if (value < least || value > INT32_MAX) {
      return InvalidArgument(Text() << name << " " << *values << " has the value " << value);
    }
  }
  return Status();
}

Status CheckCount(const std::vector<int64_t>& values, size_t count, const char* name) {
  if (values.empty() || values.size() == count) return Status();
  return InvalidArgument(Text() << name << " " << values << " must have " << count << " values");
}

// The output size for padding that is given in `slide`.
Status SizePadded(bool ceil_mode, Slide* slide) {
  const int64_t room = slide->input + slide->pad_begin + slide->pad_end - slide->reach() - 1;
  if (room < 0) {
    return InvalidArgument(Text() << "a window of " << (slide->reach() + 1) << " does not fit into " << slide->input << " elements and their padding");
  }
  slide->output = room / slide->stride + 1;
  // One more window for the rest, provided that it starts before the padding at the end.
  if (ceil_mode && room % slide->stride != 0 &&
      slide->output * slide->stride < slide->input + slide->pad_begin) {
    ++slide->output;
  }
  return Status();
}

// The output size and the padding of SAME_UPPER and SAME_LOWER.
void SizeSame(AutoPad auto_pad, Slide* slide) {
  slide->output = (slide->input + slide->stride - 1) / slide->stride;
  const int64_t needed = (slide->output - 1) * slide->stride + slide->reach() + 1 - slide->input;
  const int64_t total = needed > 0 ? needed : 0;
  slide->pad_begin = auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
  slide->pad_end = total - slide->pad_begin;
}

}  // namespace

Status ReadWindow(const Node& node, WindowAttrs* attrs) {
  size_t auto_pad = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "auto_pad", kAutoPads, &auto_pad));
  attrs->auto_pad = static_cast<AutoPad>(auto_pad);
  EP_RETURN_IF_ERROR(ReadSizes(node, "kernel_shape", 1, &attrs->kernel));
  EP_RETURN_IF_ERROR(ReadSizes(node, "strides", 1, &attrs->strides));
  EP_RETURN_IF_ERROR(ReadSizes(node, "dilations", 1, &attrs->dilations));
  EP_RETURN_IF_ERROR(ReadSizes(node, "pads", 0, &attrs->pads));
  int64_t ceil_mode = 0;
  EP_RETURN_IF_ERROR(node.Get("ceil_mode", &ceil_mode));
  attrs->ceil_mode = ceil_mode != 0;
  if (attrs->kernel.size() > kMaxSpatial) {
    return NotImplemented("windows of more than three dimensions");
  }
  return Status();
}

Taps TapsAtEdge(const Slide& slide, int64_t start) { return ClipTaps(slide, start); }

Status LayWindow(const WindowAttrs& attrs, const int64_t* kernel, size_t count, const Shape& input,
                 Window* window, Shape* output) {
  if (input.size() < 3) {
    return InvalidArgument(Text() << "the input must have rank 3 or more, not shape " << input);
  }
  EP_RETURN_IF_ERROR(CheckShape(input));
  const size_t rank = input.size() - 2;
  if (rank > kMaxSpatial) return NotImplemented("windows of more than three dimensions");
  if (count != rank) {
    return InvalidArgument(Text() << "kernel_shape must have " << rank << " values, not " << count);
  }
  EP_RETURN_IF_ERROR(CheckCount(attrs.strides, rank, "strides"));
  EP_RETURN_IF_ERROR(CheckCount(attrs.dilations, rank, "dilations"));
  EP_RETURN_IF_ERROR(CheckCount(attrs.pads, 2 * rank, "pads"));

  int64_t taps = 1;
  *window = Window();
  *output = input;
  Slide* slides[kMaxSpatial] = {&window->depth, &window->height, &window->width};
  for (size_t i = 0; i < rank; ++i) {
    Slide& slide = *slides[kMaxSpatial - rank + i];
    slide.input = input[i + 2];
    slide.kernel = kernel[i];
    if (slide.kernel < 1) return InvalidArgument(Text() << "kernel_shape has the value " << slide.kernel);
    if (slide.kernel > kMaxTaps / taps) return NotImplemented("a kernel_shape as large as this one");
    taps *= slide.kernel;
    if (!attrs.strides.empty()) slide.stride = attrs.strides[i];
    if (!attrs.dilations.empty()) slide.dilation = attrs.dilations[i];
    if (attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower) {
      SizeSame(attrs.auto_pad, &slide);
    } else {
      const bool explicit_pads = attrs.auto_pad == AutoPad::kNotSet && !attrs.pads.empty();
      if (explicit_pads) slide.pad_begin = attrs.pads[i];
      if (explicit_pads) slide.pad_end = attrs.pads[i + rank];
      EP_RETURN_IF_ERROR(SizePadded(attrs.ceil_mode && attrs.auto_pad == AutoPad::kNotSet, &slide));
    }
    (*output)[i + 2] = slide.output;
  }
  return Status();
}

}  // namespace <%= ns %>
