// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of CHLO that have no instruction and no function in libm's MLIR
// form: as series in float64. Formulas by number are of the NIST Digital
// Library of Mathematical Functions.
#include "compiler/ingress/stablehlo/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace lh;
using namespace mlir;

namespace {
/// Float64 arithmetic with the functions that series need.
struct Reals : Scalars {
  explicit Reals(const Scalars &s) : Scalars(s) {}

  Value log(Value x) const { return math::LogOp::create(builder, loc, x); }
  Value sin(Value x) const { return math::SinOp::create(builder, loc, x); }
  Value cos(Value x) const { return math::CosOp::create(builder, loc, x); }
  Value sqrt(Value x) const { return math::SqrtOp::create(builder, loc, x); }
  Value floor(Value x) const { return math::FloorOp::create(builder, loc, x); }
  Value erf(Value x) const { return math::ErfOp::create(builder, loc, x); }
  Value pow(Value x, Value y) const {
    return math::PowFOp::create(builder, loc, x, y);
  }
  Value plus(Value x, double y) const { return add(x, number(y)); }
  Value times(Value x, double y) const { return mul(x, number(y)); }
  Value over(double x, Value y) const { return div(number(x), y); }
  Value both(Value a, Value b) const {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  Value isWhole(Value x) const { return equal(floor(x), x); }
  Value infinity() const {
    return number(std::numeric_limits<double>::infinity());
  }
  Value notANumber() const {
    return number(std::numeric_limits<double>::quiet_NaN());
  }
};
} // namespace

/// Lanczos' approximation for g = 7 with nine terms, of relative error 1e-15
/// (Godfrey's coefficients): Gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t S(z),
/// t = z + g + 1/2, S = sum of a_k / (z + k).
static constexpr double lanczosShift = 7.0;
static constexpr double lanczosFirst = 0.99999999999980993227684700473478;
static constexpr double lanczosTerms[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

/// log Gamma(x) for x >= 1/2.
static Value logGammaAbove(const Reals &r, Value x) {
  Value z = r.plus(x, -1.0);
  Value sum = r.number(lanczosFirst);
  for (auto [k, term] : llvm::enumerate(lanczosTerms))
    sum = r.add(sum, r.over(term, r.plus(z, static_cast<double>(k + 1))));
  Value t = r.plus(z, lanczosShift + 0.5);
  Value power = r.sub(r.mul(r.plus(z, 0.5), r.log(t)), t);
  return r.plus(r.add(power, r.log(sum)),
                0.5 * std::log(2.0 * std::numbers::pi));
}

/// log |Gamma(x)|; below 1/2 by reflection (5.5.3).
static Value logGammaOf(const Reals &r, Value x) {
  Value half = r.number(0.5);
  Value isBelow = r.less(x, half);
  Value above = logGammaAbove(r, r.select(isBelow, r.sub(r.number(1.0), x), x));
  Value size = r.abs(x);
  Value rest = r.sub(size, r.floor(size));
  Value nearer = r.select(r.less(half, rest), r.sub(r.number(1.0), rest), rest);
  Value sine = r.log(r.sin(r.times(nearer, std::numbers::pi)));
  Value reflected =
      r.sub(r.sub(r.number(std::log(std::numbers::pi)), sine), above);
  Value isPole = r.both(r.isWhole(x), r.lessEqual(x, r.number(0.0)));
  Value result = r.select(isBelow, reflected, above);
  result = r.select(isPole, r.infinity(), result);
  return r.select(r.equal(size, r.infinity()), r.infinity(), result);
}

static Value logGamma(const ScalarOp &x) {
  return logGammaOf(Reals(x.s), x.in[0]);
}

static constexpr double bernoulli[] = {
    1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
    5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
    43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};

/// psi(x): the recurrence (5.5.2) up to x >= 10, then the asymptotic series
/// (5.11.2); below 1/2 by reflection (5.5.4).
static Value digammaOf(const Reals &r, Value x) {
  Value isBelow = r.less(x, r.number(0.5));
  Value z = r.select(isBelow, r.sub(r.number(1.0), x), x);
  Value sum = r.number(0.0);
  for (int step = 0; step < 10; ++step) {
    Value isSmall = r.less(z, r.number(10.0));
    sum = r.select(isSmall, r.sub(sum, r.over(1.0, z)), sum);
    z = r.select(isSmall, r.plus(z, 1.0), z);
  }
  Value inverse = r.over(1.0, z), square = r.mul(inverse, inverse);
  Value tail = r.number(0.0);
  for (size_t k = 7; k-- > 0;)
    tail = r.mul(r.plus(tail, bernoulli[k] / (2.0 * double(k + 1))), square);
  Value value = r.sub(r.add(sum, r.log(z)), r.add(r.times(inverse, 0.5), tail));
  Value rest = r.sub(x, r.floor(x));
  Value angle = r.times(rest, std::numbers::pi);
  Value cotangent = r.div(r.cos(angle), r.sin(angle));
  Value reflected = r.sub(value, r.times(cotangent, std::numbers::pi));
  Value isPole = r.both(r.isWhole(x), r.lessEqual(x, r.number(0.0)));
  Value result = r.select(isBelow, reflected, value);
  return r.select(isPole, r.notANumber(), result);
}

static Value digamma(const ScalarOp &x) {
  return digammaOf(Reals(x.s), x.in[0]);
}

/// The sum over k of (q + k)^-s: nine terms, then Euler and Maclaurin's formula
/// (25.11.5 with the remainder's series, 2.10.1).
static Value zetaOf(const Reals &r, Value s, Value q) {
  Value minus = r.neg(s), sum = r.number(0.0), at = q;
  for (int k = 0; k < 9; ++k) {
    sum = r.add(sum, r.pow(at, minus));
    at = r.plus(at, 1.0);
  }
  Value last = r.pow(at, minus);
  sum = r.add(sum, r.div(r.mul(last, at), r.plus(s, -1.0)));
  sum = r.add(sum, r.times(last, 0.5));
  // B_2k / (2k)! s (s + 1) ... (s + 2k - 2) at^(-s - 2k + 1)
  Value factor = r.div(r.mul(last, s), at);
  Value squared = r.mul(at, at);
  double factorial = 2.0;
  for (size_t k = 0; k < std::size(bernoulli); ++k) {
    auto twice = static_cast<double>(2 * k);
    sum = r.add(sum, r.times(factor, bernoulli[k] / factorial));
    factor = r.div(
        r.mul(factor, r.mul(r.plus(s, twice + 1.0), r.plus(s, twice + 2.0))),
        squared);
    factorial *= (twice + 3.0) * (twice + 4.0);
  }
  return sum;
}

/// Hurwitz' zeta; infinite at its poles, NaN where it is not defined.
static Value zeta(const ScalarOp &x) {
  Reals r(x.s);
  Value s = x.in[0], q = x.in[1];
  Value sum = zetaOf(r, s, q);
  Value zero = r.number(0.0), one = r.number(1.0);
  Value isPole = r.both(r.lessEqual(q, zero), r.isWhole(q));
  Value isEven = r.equal(r.times(r.floor(r.times(s, 0.5)), 2.0), s);
  Value pole =
      r.select(r.both(r.isWhole(s), isEven), r.infinity(), r.notANumber());
  Value result = r.select(isPole, pole, sum);
  result = r.select(r.equal(s, one), r.infinity(), result);
  return r.select(r.less(s, one), r.notANumber(), result);
}

/// The derivative of order n of psi: (-1)^(n+1) n! zeta(n + 1, x) (5.15.1 and
/// 25.11.12).
static Value polygamma(const ScalarOp &x) {
  Reals r(x.s);
  Value n = x.in[0], at = x.in[1];
  Value order = r.plus(n, 1.0);
  Value size = r.mul(r.exp(logGammaOf(r, order)), zetaOf(r, order, at));
  Value isEven = r.equal(r.times(r.floor(r.times(n, 0.5)), 2.0), n);
  Value value = r.select(isEven, r.neg(size), size);
  value = r.select(r.equal(n, r.number(0.0)), digammaOf(r, at), value);
  Value isDefined = r.both(r.isWhole(n), r.lessEqual(r.number(0.0), n));
  return r.select(isDefined, value, r.notANumber());
}

/// The inverse of erf: a start of relative error 1e-3 (Winitzki), then Halley's
/// iteration.
static Value inverseErf(const ScalarOp &x) {
  Reals r(x.s);
  Value y = x.in[0], one = r.number(1.0);
  constexpr double a = 0.147;
  Value logarithm = r.log(r.mul(r.sub(one, y), r.add(one, y)));
  Value half = r.plus(r.times(logarithm, 0.5), 2.0 / (std::numbers::pi * a));
  Value root = r.sqrt(r.sub(r.mul(half, half), r.times(logarithm, 1.0 / a)));
  Value guess = r.sqrt(r.max(r.sub(root, half), r.number(0.0)));
  Value z = math::CopySignOp::create(r.builder, r.loc, guess, y);
  for (int step = 0; step < 3; ++step) {
    Value miss = r.sub(r.erf(z), y);
    Value slope =
        r.times(r.exp(r.neg(r.mul(z, z))), 2.0 / std::sqrt(std::numbers::pi));
    Value newton = r.div(miss, slope);
    z = r.sub(z, r.div(newton, r.add(one, r.mul(z, newton))));
  }
  Value size = r.abs(y);
  Value limit = math::CopySignOp::create(r.builder, r.loc, r.infinity(), y);
  Value result = r.select(r.equal(size, one), limit, z);
  result = r.select(r.equal(y, r.number(0.0)), y, result);
  return r.select(r.less(one, size), r.notANumber(), result);
}

/// e^-|x| I_1(x): the power series (10.25.2), all of whose terms have one sign,
/// up to 30; beyond, the asymptotic one (10.40.1).
static Value besselI1Scaled(const ScalarOp &x) {
  Reals r(x.s);
  constexpr double limit = 30.0;
  Value size = r.abs(x.in[0]);
  Value near = r.min(size, r.number(limit));
  Value quarter = r.times(r.mul(near, near), 0.25), sum = r.number(1.0);
  for (int k = 70; k > 0; --k)
    sum =
        r.plus(r.mul(r.times(quarter, 1.0 / (double(k) * (k + 1))), sum), 1.0);
  Value small = r.mul(r.mul(r.times(near, 0.5), sum), r.exp(r.neg(near)));
  Value far = r.max(size, r.number(limit));
  Value inverse = r.over(0.125, far), series = r.number(1.0);
  for (int k = 20; k > 0; --k) {
    double odd = 2.0 * k - 1.0;
    series = r.plus(
        r.mul(r.times(inverse, -(4.0 - odd * odd) / double(k)), series), 1.0);
  }
  Value large = r.div(series, r.sqrt(r.times(far, 2.0 * std::numbers::pi)));
  Value value = r.select(r.less(size, r.number(limit)), small, large);
  value = math::CopySignOp::create(r.builder, r.loc, value, x.in[0]);
  return r.select(r.isNaN(x.in[0]), x.in[0], value);
}

static llvm::StringMap<ScalarRow> makeSpecialTable() {
  llvm::StringMap<ScalarRow> t;
  auto add = [&](StringRef name, unsigned operands, ScalarFunction compute) {
    t[("chlo." + name).str()] = {operands, Takes::Float, ScalarRow::Same,
                                 compute, /*inDouble=*/true};
  };
  add("lgamma", 1, logGamma);
  add("digamma", 1, digamma);
  add("zeta", 2, zeta);
  add("polygamma", 2, polygamma);
  add("erf_inv", 1, inverseErf);
  add("bessel_i1e", 1, besselI1Scaled);
  return t;
}

static const llvm::StringMap<ScalarRow> &specialTable() {
  static const llvm::StringMap<ScalarRow> rows = makeSpecialTable();
  return rows;
}

const ScalarRow *lh::findSpecialFunction(StringRef name) {
  auto found = specialTable().find(name);
  return found == specialTable().end() ? nullptr : &found->second;
}

std::vector<std::string> lh::specialFunctionNames() {
  std::vector<std::string> names;
  for (const auto &row : specialTable())
    names.push_back(row.first().str());
  return names;
}
