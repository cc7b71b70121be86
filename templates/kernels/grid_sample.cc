<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

using Mode = <%= k.attrs %>::Mode;
using Padding = <%= k.attrs %>::Padding;

// The names since version 20, and those before, in the order of Mode.
constexpr const char* kModes[] = {"linear", "nearest", "cubic", "bilinear", "nearest", "bicubic"};
constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};  // as Padding

// The elements along one axis that a sample is made of: those in the padding of zeros are left out.
struct Neighbours {
  int count = 0;
  int64_t at[4];
  double weight[4];
};

// Mirrors a place at the borders until it lies between them.
template <class G>
G Reflect(G place, G low, G high) {
  const G range = high - low;
  if (place >= low && place <= high) return place;
  if (!(range > G(0))) return low;
  const G distance = place < low ? low - place : place - high;
  const G turns = Floor(distance / range);
  const G rest = distance - turns * range;
  const bool from_low = (place < low) == (Fmod(turns, G(2)) == G(0));
  return from_low ? low + rest : high - rest;
}

// Adds the element at `index`, which may be in the padding.
void AddNeighbour(Padding padding, bool align_corners, int64_t size, int64_t index, double weight,
                  Neighbours* found) {
  if (index < 0 || index >= size) {
    if (padding == Padding::kZeros) return;
    const double border = align_corners ? 0.0 : -0.5;
    if (padding == Padding::kReflection) {
      index = static_cast<int64_t>(Reflect(static_cast<double>(index), border, static_cast<double>(size - 1) - border));
    }
    index = index < 0 ? 0 : (index < size ? index : size - 1);
  }
  found->at[found->count] = index;
  found->weight[found->count] = weight;
  ++found->count;
}

// The weight of an element at a distance of less than two, in Keys' cubic convolution.
double CubicWeight(double distance) {
  constexpr double kA = -0.75;
  const double x = distance < 0 ? -distance : distance;
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
}

// What `position` of the grid, which counts from -1 to 1, finds along an axis of `size` elements.
template <class G>
Neighbours Find(const <%= k.attrs %>& attrs, int64_t size, G position) {
  constexpr G kFar = G(1 << 30);  // a position may be anything, NaN as well
  const G count = static_cast<G>(size);
  const G low = attrs.align_corners ? G(0) : G(-0.5);
  const G high = count - G(1) - low;
  G place = attrs.align_corners ? (position + G(1)) / G(2) * (count - G(1))
                                : ((position + G(1)) * count - G(1)) / G(2);
  if (!(place > -kFar)) place = -kFar;
  if (place > kFar) place = kFar;
  if (attrs.mode == Mode::kNearest) place = Nearbyint(place);
  // Each axis by itself, as ONNX's reference has it. ONNX Runtime's CPU provider moves a place along
  // both axes once one of them is beyond a border, which only a cubic can tell.
  if (place < low || place > high) {
    if (attrs.padding == Padding::kBorder) place = place < low ? G(0) : count - G(1);
    if (attrs.padding == Padding::kReflection) place = Reflect(place, low, high);
  }
  const int64_t below = static_cast<int64_t>(Floor(place));
  const double rest = static_cast<double>(place - Floor(place));
  Neighbours found;
  const auto add = [&](int64_t offset, double weight) {
    AddNeighbour(attrs.padding, attrs.align_corners, size, below + offset, weight, &found);
  };
  if (attrs.mode == Mode::kNearest) {
    add(0, 1);
  } else if (attrs.mode == Mode::kLinear) {
    add(0, 1 - rest);
    add(1, rest);
  } else {
    for (int64_t i = -1; i < 3; ++i) add(i, CubicWeight(static_cast<double>(i) - rest));
  }
  return found;
}

// The elements of a plane that a sample is made of, all axes together.
template <class T>
struct Taps {
  int count = 0;
  int64_t at[64];
  T weight[64];

  // The axes are depth, height and width.
  Taps(const Neighbours* axes, int64_t height, int64_t width) {
    for (int z = 0; z < axes[0].count; ++z) {
      for (int y = 0; y < axes[1].count; ++y) {
        const int64_t row = (axes[0].at[z] * height + axes[1].at[y]) * width;
        const double factor = axes[0].weight[z] * axes[1].weight[y];
        for (int x = 0; x < axes[2].count; ++x, ++count) {
          at[count] = row + axes[2].at[x];
          weight[count] = static_cast<T>(factor * axes[2].weight[x]);
        }
      }
    }
  }
};

// Finds what each place of the grid is made of once, for all channels.
template <class T, class G>
void SamplePlaces(const <%= k.attrs %>& attrs, Inputs inputs, const MutableTensor& output, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const size_t rank = shape.size() - 2;
  const bool solid = rank == 3;
  const int64_t depth = solid ? shape[2] : 1;
  const int64_t height = shape[rank];
  const int64_t width = shape[rank + 1];
  const int64_t channels = shape[1];
  const int64_t places = Product(output.shape, 2, output.shape.size());
  const T* x = inputs[0].data<T>();
  const G* grid = inputs[1].data<G>();
  T* y = output.data<T>();
  const int64_t cost = (channels + 8) * (attrs.mode == Mode::kCubic ? 16 : 4);
  ParallelFor(exec, shape[0] * places, cost, [&](int64_t begin, int64_t end) {
    Neighbours axes[3];
    axes[0].count = 1;
    axes[0].at[0] = 0;
    axes[0].weight[0] = 1;
    for (int64_t i = begin; i < end; ++i) {
      const G* position = grid + i * static_cast<int64_t>(rank);
      axes[2] = Find(attrs, width, position[0]);
      axes[1] = Find(attrs, height, position[1]);
      if (solid) axes[0] = Find(attrs, depth, position[2]);
      const Taps<T> taps(axes, height, width);
      const int64_t first = i / places * channels;
      const T* plane = x + first * depth * height * width;
      T* to = y + first * places + i % places;
      for (int64_t c = 0; c < channels; ++c, plane += depth * height * width, to += places) {
        T sum{};
        for (int t = 0; t < taps.count; ++t) sum += taps.weight[t] * plane[taps.at[t]];
        *to = sum;
      }
    }
  });
}

template <class T>
Status Sample(const <%= k.attrs %>& attrs, Inputs inputs, const MutableTensor& output, Exec& exec) {
  if (inputs[1].dtype == DType::kFloat32) {
    SamplePlaces<T, float>(attrs, inputs, output, exec);
  } else if (inputs[1].dtype == DType::kFloat64) {
    SamplePlaces<T, double>(attrs, inputs, output, exec);
  } else {
    return UnsupportedType(<%= k.label | cpp_string %>, inputs[1].dtype);
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  size_t mode = 0;
  size_t padding = 0;
  int64_t align_corners = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "mode", kModes, &mode));
  EP_RETURN_IF_ERROR(ReadChoice(node, "padding_mode", kPaddings, &padding));
  EP_RETURN_IF_ERROR(node.Get("align_corners", &align_corners));
  attrs.mode = static_cast<Mode>(mode % 3);
  attrs.padding = static_cast<Padding>(padding);
  attrs.align_corners = align_corners != 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  const Shape& grid = inputs[1].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (x.size() != 4 && x.size() != 5) {
    return NotImplemented(Text() << "X must have rank 4 or 5, not shape " << x);
  }
  EP_RETURN_IF_ERROR(CheckRank(grid, x.size(), "grid"));
  if (grid[0] != x[0] || grid.back() != static_cast<int64_t>(x.size()) - 2) {
    return InvalidArgument(Text() << "grid of shape " << grid << " does not fit X of shape " << x);
  }
  shapes[0] = grid;
  shapes[0].pop_back();
  shapes[0].insert(shapes[0].begin() + 1, x[1]);
  if (inputs[0].size() == 0 && ElementCount(shapes[0]) != 0) {
    return InvalidArgument(Text() << "X of shape " << x << " has nothing to sample");
  }
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  switch (inputs[0].dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Sample<<%= cpp %>>(attrs, inputs, outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
