<%= banner %>
#include "gen/kernels/support/activation.h"

#include "gen/kernels/support/math.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

struct Description {
  const char* name;  // without capitals
  bool has_alpha;
  bool has_beta;
  float alpha;  // where the node gives none
  float beta;
};

constexpr Description kDescriptions[] = {  // as ActivationKind
    {"affine", true, true, 1.0f, 0.0f},
    {"elu", true, false, 1.0f, 0.0f},
    {"hardsigmoid", true, true, 0.2f, 0.5f},
    {"leakyrelu", true, false, 0.01f, 0.0f},
    {"relu", false, false, 0.0f, 0.0f},
    {"scaledtanh", true, true, 1.0f, 1.0f},
    {"sigmoid", false, false, 0.0f, 0.0f},
    {"softplus", false, false, 0.0f, 0.0f},
    {"softsign", false, false, 0.0f, 0.0f},
    {"tanh", false, false, 0.0f, 0.0f},
    {"thresholdedrelu", true, false, 1.0f, 0.0f},
};
constexpr size_t kKinds = sizeof(kDescriptions) / sizeof(kDescriptions[0]);

Status FindActivation(const std::string& name, ActivationKind* kind) {
  std::string plain;
  for (char c : name) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (size_t i = 0; i < kKinds; ++i) {
    if (plain == kDescriptions[i].name) {
      *kind = static_cast<ActivationKind>(i);
      return Status();
    }
  }
  return InvalidArgument(Text() << "there is no activation " << name.c_str());
}

template <class T, class Function>
void Replace(T* x, int64_t count, Function function) {
  for (int64_t i = 0; i < count; ++i) x[i] = function(x[i]);
}

}  // namespace

Status ReadActivations(const Node& node, std::vector<std::string> names, size_t count,
                       std::vector<Activation>* activations) {
  std::vector<float> alphas;
  std::vector<float> betas;
  EP_RETURN_IF_ERROR(node.Get("activations", &names));
  EP_RETURN_IF_ERROR(node.Get("activation_alpha", &alphas));
  EP_RETURN_IF_ERROR(node.Get("activation_beta", &betas));
  if (names.size() < count) {
    return InvalidArgument(Text() << names.size() << " activations where " << count << " are needed");
  }
  activations->assign(count, Activation());
  size_t alpha = 0;
  size_t beta = 0;
  for (size_t i = 0; i < count; ++i) {
    Activation& activation = (*activations)[i];
    EP_RETURN_IF_ERROR(FindActivation(names[i], &activation.kind));
    const Description& known = kDescriptions[static_cast<size_t>(activation.kind)];
    activation.alpha = known.has_alpha && alpha < alphas.size() ? alphas[alpha++] : known.alpha;
    activation.beta = known.has_beta && beta < betas.size() ? betas[beta++] : known.beta;
  }
  return Status();
}

template <class T>
void Activate(const Activation& activation, T* x, int64_t count) {
  const T alpha = static_cast<T>(activation.alpha);
  const T beta = static_cast<T>(activation.beta);
  switch (activation.kind) {
    case ActivationKind::kAffine:
      return Replace(x, count, [=](T v) { return alpha * v + beta; });
    case ActivationKind::kElu:
      return Replace(x, count, [=](T v) { return v < T(0) ? alpha * Expm1(v) : v; });
    case ActivationKind::kHardSigmoid:
      return Replace(x, count, [=](T v) {
        const T line = alpha * v + beta;
        return line < T(0) ? T(0) : (line > T(1) ? T(1) : line);
      });
    case ActivationKind::kLeakyRelu:
      return Replace(x, count, [=](T v) { return v < T(0) ? alpha * v : v; });
    case ActivationKind::kRelu:
      return Replace(x, count, [](T v) { return v < T(0) ? T(0) : v; });
    case ActivationKind::kScaledTanh:
      return Replace(x, count, [=](T v) { return alpha * Tanh(beta * v); });
    case ActivationKind::kSigmoid:
      return Replace(x, count, [](T v) { return Sigmoid(v); });
    case ActivationKind::kSoftplus:
      return Replace(x, count, [](T v) { return v > T(0) ? v + Log1p(Exp(-v)) : Log1p(Exp(v)); });
    case ActivationKind::kSoftsign:
      return Replace(x, count, [](T v) { return v / (T(1) + (v < T(0) ? -v : v)); });
    case ActivationKind::kTanh:
      return Replace(x, count, [](T v) { return Tanh(v); });
    case ActivationKind::kThresholdedRelu:
      return Replace(x, count, [=](T v) { return v > alpha ? v : T(0); });
  }
}

<% for _, cpp in types %>
template void Activate(const Activation&, <%= cpp %>*, int64_t);
<% endfor %>

}  // namespace <%= ns %>
