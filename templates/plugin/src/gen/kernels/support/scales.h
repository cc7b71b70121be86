<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

// How the scales and zero points of a quantized tensor lie to its elements: one for all, one for each
// index of an axis, or one for each block of such indices.
namespace <%= ns %> {

// What a node says of its scales.
struct ScaleAttrs {
  bool one = false;  // all that the version has is one scale for all elements
  int64_t axis = 1;
  int64_t block_size = 0;  // 0: no scale is for a block
};

Status ReadScaleAttrs(const Node& node, ScaleAttrs* attrs);

// Elements that lie next to each other. Their scales, and zero points, do so too, or are the same.
struct ScaledRun {
  int64_t begin;  // the first element
  int64_t count;
  int64_t scale;  // that of the first element
  int64_t step;   // from the scale of an element to that of the next: 0 or 1
};

// A tensor cut into runs.
struct ScaleLayout {
  enum class Kind { kOne, kAxis, kBlocks };

  Kind kind = Kind::kOne;
  int64_t axis = 1;    // elements of the axis
  int64_t inner = 1;   // elements of the tensor to one of the axis
  int64_t block = 1;   // elements of the axis to a scale
  int64_t blocks = 1;  // scales to the axis
  int64_t size = 0;    // elements of the tensor
  int64_t length = 1;  // of a run, at most
  int64_t runs = 0;

  ScaledRun Run(int64_t index) const;
};

// Checks the shapes of the scales, and of the zero points if they are there, and lays them on a
// tensor. These are the inputs of QuantizeLinear and DequantizeLinear: the tensor, its scales, its
// zero points.
Status LayScales(const ScaleAttrs& attrs, Inputs inputs, ScaleLayout* layout);

}  // namespace <%= ns %>
