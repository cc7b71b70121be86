<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/api/node.h"
#include "gen/api/status.h"

// The activation functions that a recurrent node may name.
namespace <%= ns %> {

enum class ActivationKind {
  kAffine,
  kElu,
  kHardSigmoid,
  kLeakyRelu,
  kRelu,
  kScaledTanh,
  kSigmoid,
  kSoftplus,
  kSoftsign,
  kTanh,
  kThresholdedRelu,
};

struct Activation {
  ActivationKind kind = ActivationKind::kTanh;
  float alpha = 0;
  float beta = 0;
};

// Reads "activations", the names of `count` functions or more, and their numbers: a function takes the
// next of "activation_alpha" if it has an alpha, likewise beta. `names` are those of a node that has
// none; where runtimes do not let kernels read texts, it is what the schema says.
Status ReadActivations(const Node& node, std::vector<std::string> names, size_t count,
                       std::vector<Activation>* activations);

// Replaces numbers by the function's values.
template <class T>
void Activate(const Activation& activation, T* x, int64_t count);

}  // namespace <%= ns %>
