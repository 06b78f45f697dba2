// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target's sweep as a list of points.
#include "core/plan/Sweep.h"

#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

static bool refersTo(const Expression &expression, StringRef sweepName) {
  return llvm::any_of(expression.pieces, [&](const auto &piece) {
    const auto *reference = std::get_if<Reference>(&piece);
    return reference && reference->scope == Reference::Scope::Sweep &&
           reference->name == sweepName;
  });
}

std::vector<SweepPoint> lh::sweepPoints(const TargetRunDecl &run,
                                        bool isNative) {
  std::vector<SweepPoint> points = {{}};
  for (const auto &[name, values] : run.sweep) {
    bool forEmulator =
        llvm::any_of(run.emulator, [&, &name = name](const Expression &word) {
          return refersTo(word, name);
        });
    if (values.empty() || (isNative && forEmulator))
      continue;
    std::vector<SweepPoint> extended;
    for (const SweepPoint &point : points)
      for (const Value &value : values) {
        extended.push_back(point);
        extended.back().emplace(name, value);
      }
    points = std::move(extended);
  }
  return points;
}

std::string lh::sweepText(const SweepPoint &point) {
  std::string text;
  for (const auto &[name, value] : point)
    text += (text.empty() ? "" : ", ") + name + "=" + valueText(value);
  return text;
}
