// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences between poisons against differences between repetitions.
#include "runtime/abi/WrittenCheck.h"

#include "runtime/abi/ResultChecks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace lh;

/// Pairs of repetitions. A sum that falls on one of two sides by chance would
/// have to do so the same way with each poison every time.
static constexpr int repetitions = 3;
/// And where repetitions differ. That the poisons differ more than all of them so
/// far happens by chance in one of 3, 5, 7, ... times: in one of two million.
static constexpr int noisyRepetitions = 7;
static constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far element `i` of one is from that of the other: 0 for the same bits
/// and for two NaNs, infinite between a NaN and a number.
static double distance(const Tensor &a, const Tensor &b, int64_t i) {
  size_t size = byteSize(a.dtype()), offset = static_cast<size_t>(i) * size;
  if (std::memcmp(a.data() + offset, b.data() + offset, size) == 0)
    return 0;
  double x = a.at(i), y = b.at(i);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? 0 : infinity;
  // Wide integers may round to the same.
  return std::max(std::fabs(x - y), std::numeric_limits<double>::denorm_min());
}

namespace {
/// What one output was under both poisons.
struct Pair {
  Tensor nan, numbers;
};

/// One output, whose elements are suspected until repetitions clear them.
class Suspicion {
public:
  Suspicion(const Tensor &nan, Tensor numbers);

  bool isRaised() const { return ofShape || !elements.empty(); }
  bool isNoisy() const { return noise > 0; }
  /// Clears what differs no more than the same poison's results do.
  void hear(const Tensor &firstNan, const Pair &again);
  std::string describe(const Tensor &firstNan) const;

private:
  void hearElements(const Tensor &firstNan, const Pair &again);

  Tensor firstNumbers;
  bool ofShape = false;
  std::vector<int64_t> elements;
  double noise = 0; ///< the largest between repetitions, if finite
};
} // namespace

Suspicion::Suspicion(const Tensor &nan, Tensor numbers)
    : firstNumbers(std::move(numbers)) {
  ofShape = nan.shape() != firstNumbers.shape();
  if (ofShape || haveSameBits(nan, firstNumbers))
    return;
  for (int64_t i = 0; i < nan.elementCount(); ++i)
    if (distance(nan, firstNumbers, i) > 0)
      elements.push_back(i);
}

void Suspicion::hear(const Tensor &firstNan, const Pair &again) {
  bool repeats = again.nan.shape() == firstNan.shape() &&
                 again.numbers.shape() == firstNumbers.shape();
  ofShape &= repeats;
  if (!repeats)
    elements.clear();
  if (!elements.empty())
    hearElements(firstNan, again);
}

void Suspicion::hearElements(const Tensor &firstNan, const Pair &again) {
  auto between = [&](int64_t i) {
    return std::max(distance(firstNan, again.nan, i),
                    distance(firstNumbers, again.numbers, i));
  };
  for (int64_t i = 0; i < firstNan.elementCount(); ++i)
    if (double moved = between(i); std::isfinite(moved))
      noise = std::max(noise, moved);
  std::erase_if(elements, [&](int64_t i) {
    return !(distance(again.nan, again.numbers, i) >
             std::max(noise, between(i)));
  });
}

/// "4 of 16 elements, the first at [0, 3], depend"; of rank 0 "its value
/// depends".
std::string Suspicion::describe(const Tensor &firstNan) const {
  if (ofShape)
    return "its shape, " + shapeText(firstNan.shape()) + " or " +
           shapeText(firstNumbers.shape()) + ", depends";
  ArrayRef<int64_t> shape = firstNan.shape();
  if (shape.empty())
    return "its value depends";
  std::string place;
  int64_t rest = elements.front();
  for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
    place = std::to_string(rest % shape[axis]) + (place.empty() ? "" : ", ") +
            place;
  bool isOne = elements.size() == 1;
  return std::to_string(elements.size()) + " of " +
         std::to_string(firstNan.elementCount()) + " elements, " +
         (isOne ? "at [" : "the first at [") + place + "], " +
         (isOne ? "depends" : "depend");
}

static LogicalResult reportUnwritten(const std::string &output,
                                     const std::string &what,
                                     const RunOptions &options,
                                     DiagnosticSink &sink) {
  std::string whose =
      options.isReference
          ? "the payload itself leaves output '" + output + "' undefined: "
          : "output '" + output + "' is unwritten: ";
  return sink.error(DiagKind::BackendUnwritten, options.where,
                    whose + what +
                        " on what memory held before the run, and may on the "
                        "inputs alone; 'tensor.empty' and 'memref.alloc' give "
                        "memory that is to be filled before it is read");
}

LogicalResult lh::checkWritten(const EntryAbi &abi, ArrayRef<Tensor> results,
                               PoisonedCall call, const RunOptions &options,
                               DiagnosticSink &sink) {
  auto numbers = call(Poison::Numbers);
  if (failed(numbers))
    return failure();
  std::vector<Suspicion> suspicions;
  for (size_t i = 0; i < results.size(); ++i)
    suspicions.emplace_back(results[i], std::move((*numbers)[i]));
  auto isRaised = [](const Suspicion &each) { return each.isRaised(); };
  int rounds = repetitions;
  for (int i = 0; i < rounds; ++i) {
    if (std::none_of(suspicions.begin(), suspicions.end(), isRaised))
      return success();
    // Not by turns: what changes with every other call is no sign either.
    bool numbersFirst = i % 2 == 0;
    auto one = call(numbersFirst ? Poison::Numbers : Poison::NotANumber);
    if (failed(one))
      return failure();
    auto other = call(numbersFirst ? Poison::NotANumber : Poison::Numbers);
    if (failed(other))
      return failure();
    if (numbersFirst)
      std::swap(*one, *other);
    for (size_t k = 0; k < results.size(); ++k)
      suspicions[k].hear(results[k],
                         {std::move((*one)[k]), std::move((*other)[k])});
    if (llvm::any_of(suspicions, std::mem_fn(&Suspicion::isNoisy)))
      rounds = noisyRepetitions;
  }
  LogicalResult outcome = success();
  for (size_t i = 0; i < results.size(); ++i)
    if (suspicions[i].isRaised())
      outcome =
          reportUnwritten(abi.results[i].name,
                          suspicions[i].describe(results[i]), options, sink);
  return outcome;
}
