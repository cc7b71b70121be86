<%= banner %>
#include "gen/kernels/support/halves.h"

namespace <%= ns %> {

void HalvesToFloats(DType type, const uint16_t* halves, float* floats, int64_t count) noexcept {
  if (type == DType::kFloat16) {
    for (int64_t i = 0; i < count; ++i) floats[i] = FromFloat16(halves[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) floats[i] = FromBfloat16(halves[i]);
  }
}

void FloatsToHalves(DType type, const float* floats, uint16_t* halves, int64_t count) noexcept {
  if (type == DType::kFloat16) {
    for (int64_t i = 0; i < count; ++i) halves[i] = ToFloat16(floats[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) halves[i] = ToBfloat16(floats[i]);
  }
}

}  // namespace <%= ns %>
