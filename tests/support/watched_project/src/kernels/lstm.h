#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace contoso_watched {

inline constexpr bool kReadyLSTM = true;
inline constexpr uint64_t kHostInputsLSTM = 0;

struct LSTMAttrs {
  int64_t hidden_size = 0;
};

Status Read(const Node& node, LSTMAttrs& attrs);
Status InferShapes(const LSTMAttrs& attrs, Inputs inputs, Shapes& shapes);
Status Compute(const LSTMAttrs& attrs, Inputs inputs, Outputs outputs, Exec& exec);

}  // namespace contoso_watched
