#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace contoso_watched {

inline constexpr bool kReadyDequantizeLinear = true;
inline constexpr uint64_t kHostInputsDequantizeLinear = 0;

struct DequantizeLinearAttrs {};

Status Read(const Node& node, DequantizeLinearAttrs& attrs);
Status InferShapes(const DequantizeLinearAttrs& attrs, Inputs inputs, Shapes& shapes);
Status Compute(const DequantizeLinearAttrs& attrs, Inputs inputs, Outputs outputs, Exec& exec);

}  // namespace contoso_watched
