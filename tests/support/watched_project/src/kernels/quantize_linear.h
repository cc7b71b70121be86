#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace contoso_watched {

inline constexpr bool kReadyQuantizeLinear = true;
inline constexpr uint64_t kHostInputsQuantizeLinear = 0;

struct QuantizeLinearAttrs {};

Status Read(const Node& node, QuantizeLinearAttrs& attrs);
Status InferShapes(const QuantizeLinearAttrs& attrs, Inputs inputs, Shapes& shapes);
Status Compute(const QuantizeLinearAttrs& attrs, Inputs inputs, Outputs outputs, Exec& exec);

}  // namespace contoso_watched
