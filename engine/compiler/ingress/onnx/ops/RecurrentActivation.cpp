// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that RNN, LSTM and GRU may name for their gates.
#include "compiler/ingress/onnx/ops/Recurrent.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

static Value hyperbolic(const Scalars &s, Value x) {
  return math::TanhOp::create(s.builder, s.loc, x);
}
static Value relu(const Scalars &s, Value x, double, double) {
  return s.max(x, s.number(0));
}
static Value tanh(const Scalars &s, Value x, double, double) {
  return hyperbolic(s, x);
}
static Value sigmoid(const Scalars &s, Value x, double, double) {
  Value one = s.number(1);
  return s.div(one, s.add(one, s.exp(s.neg(x))));
}
static Value affine(const Scalars &s, Value x, double alpha, double beta) {
  return s.add(s.mul(s.number(alpha), x), s.number(beta));
}
static Value leakyRelu(const Scalars &s, Value x, double alpha, double) {
  Value scaled = s.mul(s.number(alpha), x);
  return s.select(s.less(x, s.number(0)), scaled, x);
}
static Value thresholdedRelu(const Scalars &s, Value x, double alpha, double) {
  return s.select(s.less(x, s.number(alpha)), s.number(0), x);
}
static Value scaledTanh(const Scalars &s, Value x, double alpha, double beta) {
  return s.mul(s.number(alpha), hyperbolic(s, s.mul(s.number(beta), x)));
}
static Value hardSigmoid(const Scalars &s, Value x, double alpha, double beta) {
  Value line = affine(s, x, alpha, beta);
  return s.max(s.number(0), s.min(s.number(1), line));
}
static Value elu(const Scalars &s, Value x, double alpha, double) {
  Value rise = math::ExpM1Op::create(s.builder, s.loc, x);
  Value curve = s.mul(s.number(alpha), rise);
  return s.select(s.less(x, s.number(0)), curve, x);
}
static Value softsign(const Scalars &s, Value x, double, double) {
  return s.div(x, s.add(s.number(1), s.abs(x)));
}
static Value softplus(const Scalars &s, Value x, double, double) {
  Value small = s.exp(s.neg(s.abs(x)));
  Value curve = math::Log1pOp::create(s.builder, s.loc, small);
  return s.add(s.max(x, s.number(0)), curve);
}

/// A function's name, its body, and which parameters it takes.
struct NamedFunction {
  StringRef name;
  GateFunction::Body body;
  std::optional<double> alpha, beta;
};

static const NamedFunction *findFunction(StringRef name) {
  static const NamedFunction known[] = {
      {"Relu", relu, {}, {}},
      {"Tanh", tanh, {}, {}},
      {"Sigmoid", sigmoid, {}, {}},
      {"Affine", affine, 1.0, 0.0},
      {"LeakyRelu", leakyRelu, 0.01, {}},
      {"ThresholdedRelu", thresholdedRelu, 1.0, {}},
      {"ScaledTanh", scaledTanh, 1.0, 1.0},
      {"HardSigmoid", hardSigmoid, 0.2, 0.5},
      {"Elu", elu, 1.0, {}},
      {"Softsign", softsign, {}, {}},
      {"Softplus", softplus, {}, {}},
  };
  for (const NamedFunction &function : known)
    if (name.equals_insensitive(function.name))
      return &function;
  return nullptr;
}

/// The next given parameter, if the function takes one.
static double takeParameter(std::optional<double> otherwise,
                            ArrayRef<float> &given) {
  if (!otherwise || given.empty())
    return otherwise.value_or(0.0);
  auto value = static_cast<double>(given.front());
  given = given.drop_front();
  return value;
}

FailureOr<std::vector<GateFunction>>
lh::gateFunctions(NodeContext &node, ArrayRef<StringRef> defaults,
                  size_t directions) {
  SmallVector<StringRef> names;
  if (const OnnxAttribute *attribute = node.attribute("activations")) {
    for (std::string_view name : attribute->strings)
      names.push_back(StringRef(name));
  } else {
    for (size_t i = 0; i < directions; ++i)
      names.append(defaults.begin(), defaults.end());
  }
  if (names.size() != defaults.size() * directions)
    return node.error("'activations' names " + Twine(names.size()) +
                      " functions; " + Twine(defaults.size() * directions) +
                      " are needed");
  std::vector<float> alphas =
      node.numbers("activation_alpha").value_or(std::vector<float>());
  std::vector<float> betas =
      node.numbers("activation_beta").value_or(std::vector<float>());
  ArrayRef<float> alpha(alphas), beta(betas);
  std::vector<GateFunction> functions;
  for (StringRef name : names) {
    const NamedFunction *found = findFunction(name);
    if (!found)
      return node.error("unknown activation '" + name + "'");
    double first = takeParameter(found->alpha, alpha);
    double second = takeParameter(found->beta, beta);
    functions.push_back({found->body, first, second});
  }
  return functions;
}
