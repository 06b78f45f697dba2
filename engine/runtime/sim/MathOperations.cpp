// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Floating Point Instructions"; approximate ones are exact here.
#include "runtime/sim/OperationFamilies.h"

#include "runtime/sim/Numbers.h"

#include "llvm/ADT/SmallVector.h"

#include <cfenv>
#include <cmath>

using namespace lh;

namespace {
/// What comes after an operation's name: "approx.ftz.f".
struct Modifiers {
  int rounding = FE_TONEAREST;
  bool flush = false, saturate = false, relu = false, propagateNan = false;
  StringRef type;
};
} // namespace

static std::optional<Modifiers> readModifiers(ArrayRef<StringRef> parts) {
  Modifiers modifiers;
  for (StringRef part : parts) {
    if (part == "rz")
      modifiers.rounding = FE_TOWARDZERO;
    else if (part == "rm")
      modifiers.rounding = FE_DOWNWARD;
    else if (part == "rp")
      modifiers.rounding = FE_UPWARD;
    else if (part == "ftz")
      modifiers.flush = true;
    else if (part == "sat")
      modifiers.saturate = true;
    else if (part == "relu")
      modifiers.relu = true;
    else if (part == "nan")
      modifiers.propagateNan = true;
    else if (part == "f" || part == "d" || part == "f32" || part == "f64" ||
             part == "f16" || part == "bf16" || part == "f16x2" ||
             part == "bf16x2")
      modifiers.type = part;
    else if (part != "rn" && part != "approx" && part != "full")
      return std::nullopt;
  }
  return modifiers;
}

/// Rounds the host's way for as long as it exists.
class RoundingScope {
public:
  explicit RoundingScope(int mode) : before(std::fegetround()) {
    if (mode != before)
      std::fesetround(mode);
  }
  ~RoundingScope() { std::fesetround(before); }

private:
  int before;
};

template <typename T> static T flushed(T value, const Modifiers &modifiers) {
  return modifiers.flush && std::fpclassify(value) == FP_SUBNORMAL
             ? std::copysign(T(0), value)
             : value;
}

template <typename T> static T finished(T value, const Modifiers &modifiers) {
  if (modifiers.saturate)
    value = std::isnan(value) ? T(0) : std::fmin(std::fmax(value, T(0)), T(1));
  if (modifiers.relu)
    value = std::isnan(value) ? value : std::fmax(value, T(0));
  return flushed(value, modifiers);
}

/// How numbers of each type lie in a frame.
namespace {
struct Single {
  using Value = float;
  static constexpr size_t bytes = 4;
  static float read(const char *from) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static void write(char *to, float value) {
    std::memcpy(to, &value, sizeof(value));
  }
};
struct Double {
  using Value = double;
  static constexpr size_t bytes = 8;
  static double read(const char *from) {
    double value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static void write(char *to, double value) {
    std::memcpy(to, &value, sizeof(value));
  }
};
template <float (*widen)(uint16_t), uint16_t (*narrow)(float)> struct Narrow {
  using Value = float;
  static constexpr size_t bytes = 2;
  static float read(const char *from) {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    return widen(bits);
  }
  static void write(char *to, float value) {
    uint16_t bits = narrow(value);
    std::memcpy(to, &bits, sizeof(bits));
  }
};
using Half = Narrow<halfToFloat, floatToHalf>;
using BFloat = Narrow<bfloatToFloat, floatToBFloat>;
} // namespace

template <typename Format, typename Compute>
static SimOperation compute(const Modifiers &modifiers, unsigned elements,
                            Compute function) {
  return SimOperation::ofThread([=](SimThread &, const SimCall &call) {
    using T = typename Format::Value;
    RoundingScope rounding(modifiers.rounding);
    for (unsigned i = 0; i < elements; ++i) {
      T operands[3] = {};
      for (size_t k = 0; k < 3 && k < call.argumentCount(); ++k)
        operands[k] =
            flushed(Format::read(call.at(k) + i * Format::bytes), modifiers);
      volatile T a = operands[0], b = operands[1], c = operands[2];
      volatile T result = function(T(a), T(b), T(c));
      Format::write(call.result() + i * Format::bytes,
                    finished(T(result), modifiers));
    }
  });
}

template <typename Compute>
static std::optional<SimOperation> computeTyped(const Modifiers &modifiers,
                                                Compute function) {
  StringRef type = modifiers.type;
  if (type.empty() || type == "f" || type == "f32")
    return compute<Single>(modifiers, 1, function);
  if (type == "d" || type == "f64")
    return compute<Double>(modifiers, 1, function);
  if (type == "f16" || type == "f16x2")
    return compute<Half>(modifiers, type == "f16" ? 1 : 2, function);
  return compute<BFloat>(modifiers, type == "bf16" ? 1 : 2, function);
}

/// Functions of up to three numbers of one type.
static std::optional<SimOperation> findFunction(StringRef base,
                                                const Modifiers &modifiers) {
  bool nan = modifiers.propagateNan;
  auto of = [&](auto function) { return computeTyped(modifiers, function); };
  if (base == "ex2")
    return of([](auto a, auto, auto) { return std::exp2(a); });
  if (base == "lg2")
    return of([](auto a, auto, auto) { return std::log2(a); });
  if (base == "sin")
    return of([](auto a, auto, auto) { return std::sin(a); });
  if (base == "cos")
    return of([](auto a, auto, auto) { return std::cos(a); });
  if (base == "tanh")
    return of([](auto a, auto, auto) { return std::tanh(a); });
  if (base == "rcp")
    return of([](auto a, auto, auto) { return 1 / a; });
  if (base == "sqrt")
    return of([](auto a, auto, auto) { return std::sqrt(a); });
  if (base == "rsqrt")
    return of([](auto a, auto, auto) { return 1 / std::sqrt(a); });
  if (base == "fabs" || base == "abs")
    return of([](auto a, auto, auto) { return std::fabs(a); });
  if (base == "neg")
    return of([](auto a, auto, auto) { return -a; });
  if (base == "floor")
    return of([](auto a, auto, auto) { return std::floor(a); });
  if (base == "ceil")
    return of([](auto a, auto, auto) { return std::ceil(a); });
  if (base == "trunc")
    return of([](auto a, auto, auto) { return std::trunc(a); });
  if (base == "round")
    return of([](auto a, auto, auto) { return std::nearbyint(a); });
  if (base == "saturate")
    return of([](auto a, auto, auto) {
      return std::isnan(a) ? a * 0 : std::fmin(std::fmax(a, a * 0), a * 0 + 1);
    });
  if (base == "add")
    return of([](auto a, auto b, auto) { return a + b; });
  if (base == "mul")
    return of([](auto a, auto b, auto) { return a * b; });
  if (base == "div")
    return of([](auto a, auto b, auto) { return a / b; });
  if (base == "fma")
    return of([](auto a, auto b, auto c) { return std::fma(a, b, c); });
  if (base == "fmin")
    return of([=](auto a, auto b, auto) {
      return nan && (std::isnan(a) || std::isnan(b)) ? a + b : std::fmin(a, b);
    });
  if (base == "fmax")
    return of([=](auto a, auto b, auto) {
      return nan && (std::isnan(a) || std::isnan(b)) ? a + b : std::fmax(a, b);
    });
  return std::nullopt;
}

std::optional<SimOperation> lh::findMathOperation(const SimOperationName &name,
                                                  const SimChip &) {
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm."))
    return std::nullopt;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '.');
  std::optional<Modifiers> modifiers =
      readModifiers(ArrayRef<StringRef>(parts).drop_front());
  if (!modifiers)
    return std::nullopt;
  return findFunction(parts[0], *modifiers);
}
