// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes that NonMaxSuppression selected, judged by the numbers it looked at.
#include "core/plan/Selections.h"

#include <algorithm>
#include <cmath>

using namespace lh;

/// Areas of boxes with greater coordinates may overflow in float32.
static constexpr double mostMagnitude = 0x1p60;
/// Areas below this may underflow there: such boxes meet or don't.
static constexpr double leastArea = 0x1p-100;
static constexpr double roundoff = 0x1p-24;
/// An overlap is rounded about a dozen times; none of it cancels.
static constexpr double overlapSlack = 16 * roundoff;

std::optional<SelectionRules> SelectionRules::from(const Tensor &numbers) {
  if (numbers.elementCount() != 4)
    return std::nullopt;
  return SelectionRules{int64_t(numbers.at(0)), numbers.at(1), numbers.at(2),
                        numbers.at(3) != 0};
}

namespace {

struct Interval {
  double low = 0, high = 0;
};

/// Two opposite corners in order, each coordinate off by `slack` at most.
struct Box {
  double top, left, bottom, right;
};

/// Certainty about a condition or a box.
enum class Answer { No, Maybe, Yes };

/// One class of one image on the way.
class ClassReplay {
public:
  ClassReplay(const SelectionSource &source, double cornerSlack, int64_t image,
              int64_t klass)
      : source(source), cornerSlack(cornerSlack), image(image),
        count(source.scores.shape()[2]),
        scoresAt((image * source.scores.shape()[1] + klass) * count),
        state(static_cast<size_t>(count)) {
    for (int64_t i = 0; i < count; ++i)
      state[size_t(i)] =
          isAbove({score(i) - source.scoreSlack, score(i) + source.scoreSlack},
                  source.rules.scoreLimit);
  }

  /// What is wrong with selecting this box now.
  std::string select(int64_t box);
  /// What is wrong with stopping now.
  std::string finish() const;

private:
  static Answer isAbove(Interval value, double limit) {
    return value.low > limit    ? Answer::Yes
           : value.high > limit ? Answer::Maybe
                                : Answer::No;
  }
  double score(int64_t box) const { return source.scores.at(scoresAt + box); }
  /// Whether `other` certainly goes before `box`.
  bool isBetter(int64_t other, int64_t box) const {
    double ahead = score(other) - score(box);
    return ahead > 2 * source.scoreSlack ||
           (source.scoreSlack == 0 && ahead == 0 && other < box);
  }
  Box boxAt(int64_t i) const;
  Interval area(const Box &box) const;
  Interval overlap(const Box &a, const Box &b) const;

  const SelectionSource &source;
  double cornerSlack;
  int64_t image, count, scoresAt, selected = 0;
  std::vector<Answer> state; ///< whether a box can still be selected
};

} // namespace

Box ClassReplay::boxAt(int64_t i) const {
  int64_t at = (image * count + i) * 4;
  double v[4];
  for (int64_t k = 0; k < 4; ++k)
    v[k] = source.boxes.at(at + k);
  if (source.rules.isCentred)
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]),
          std::max(v[1], v[3])};
}

Interval ClassReplay::area(const Box &box) const {
  double wide = box.right - box.left, high = box.bottom - box.top;
  double slack = 2 * cornerSlack;
  return {std::max(wide - slack, 0.0) * std::max(high - slack, 0.0),
          std::max(wide + slack, 0.0) * std::max(high + slack, 0.0)};
}

/// Intersection over union; 0 where boxes don't meet or have no area.
Interval ClassReplay::overlap(const Box &a, const Box &b) const {
  Interval shared =
      area({std::max(a.top, b.top), std::max(a.left, b.left),
            std::min(a.bottom, b.bottom), std::min(a.right, b.right)});
  Interval first = area(a), second = area(b);
  if (shared.high <= 0)
    return {0, 0};
  Interval ratio;
  if (shared.low > leastArea)
    ratio.low = shared.low / (first.high + second.high - shared.low);
  double total = first.low + second.low - shared.high;
  ratio.high = total > 0 ? std::min(shared.high / total, 1.0) : 1;
  return {ratio.low * (1 - overlapSlack), ratio.high * (1 + overlapSlack)};
}

std::string ClassReplay::select(int64_t box) {
  if (box < 0 || box >= count)
    return "there is no such box";
  if (++selected > source.rules.limit)
    return "it is one more than may be selected";
  if (state[size_t(box)] == Answer::No)
    return "it was selected before, overlaps one that was, or its score is too "
           "low";
  for (int64_t other = 0; other < count; ++other)
    if (state[size_t(other)] == Answer::Yes && isBetter(other, box))
      return "box " + std::to_string(other) + " comes first";
  state[size_t(box)] = Answer::No;
  Box chosen = boxAt(box);
  for (int64_t other = 0; other < count; ++other) {
    Answer &answer = state[size_t(other)];
    if (answer == Answer::No)
      continue;
    Interval shared = overlap(chosen, boxAt(other));
    // Boxes that don't meet stay, however low the limit.
    Answer goes = shared.high > 0 ? isAbove(shared, source.rules.overlapLimit)
                                  : Answer::No;
    if (goes == Answer::Yes && shared.low <= 0)
      goes = Answer::Maybe;
    if (goes != Answer::No)
      answer = goes == Answer::Yes ? Answer::No : Answer::Maybe;
  }
  return "";
}

std::string ClassReplay::finish() const {
  auto left = std::find(state.begin(), state.end(), Answer::Yes);
  if (selected >= source.rules.limit || left == state.end())
    return "";
  return "box " + std::to_string(left - state.begin()) + " is left out";
}

/// The largest magnitude; NaN and infinity count as infinite.
static double magnitudeOf(const Tensor &tensor) {
  double most = 0;
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i) {
    double value = std::fabs(tensor.at(i));
    most = std::isfinite(value) ? std::max(most, value) : HUGE_VAL;
  }
  return most;
}

static bool fits(const Tensor &rows, const SelectionSource &source) {
  ArrayRef<int64_t> boxes = source.boxes.shape(),
                    scores = source.scores.shape();
  return rows.shape().size() == 2 && rows.shape()[1] == 3 &&
         boxes.size() == 3 && boxes[2] == 4 && scores.size() == 3 &&
         boxes[0] == scores[0] && boxes[1] == scores[2];
}

std::optional<std::string> lh::faultOfSelection(const Tensor &rows,
                                                const SelectionSource &source) {
  double most = fits(rows, source) ? magnitudeOf(source.boxes) : HUGE_VAL;
  if (most > mostMagnitude || !std::isfinite(magnitudeOf(source.scores)) ||
      !std::isfinite(source.boxSlack) || !std::isfinite(source.scoreSlack))
    return std::nullopt;
  // Corners are computed only from centres: each half a size away, rounded.
  double cornerSlack = source.rules.isCentred
                           ? 1.5 * source.boxSlack + 4 * roundoff * most
                           : source.boxSlack;
  int64_t classes = source.scores.shape()[1], row = 0, end = rows.shape()[0];
  for (int64_t line = 0; line < source.scores.shape()[0] * classes; ++line) {
    int64_t image = line / classes, klass = line % classes;
    auto fault = [&](const std::string &what, const std::string &why) {
      return "image " + std::to_string(image) + ", class " +
             std::to_string(klass) + ": " + what + why;
    };
    ClassReplay replay(source, cornerSlack, image, klass);
    for (; row < end && int64_t(rows.at(3 * row)) == image &&
           int64_t(rows.at(3 * row + 1)) == klass;
         ++row) {
      auto box = int64_t(rows.at(3 * row + 2));
      if (std::string why = replay.select(box); !why.empty())
        return fault("box " + std::to_string(box) + " is wrong: ", why);
    }
    if (std::string why = replay.finish(); !why.empty())
      return fault("", why);
  }
  if (row < end)
    return "row " + std::to_string(row) +
           " is out of order, or of no image or class";
  return "";
}
