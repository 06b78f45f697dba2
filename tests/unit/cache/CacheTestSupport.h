// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for one test, and plans in a few words.
#ifndef LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H
#define LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H

#include "core/plan/Plan.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <fstream>

namespace lh {

class TestFolder {
public:
  TestFolder() { (void)llvm::sys::fs::createUniqueDirectory("lh-cache", path); }
  ~TestFolder() { (void)llvm::sys::fs::remove_directories(path); }

  std::string file(StringRef name) const { return (path + "/" + name).str(); }
  std::string write(StringRef name, StringRef text) const {
    std::ofstream(file(name)) << text.str();
    return file(name);
  }

private:
  llvm::SmallString<128> path;
};

/// Adds a step below `parent`.
inline StepId addStep(Plan &plan, std::string bubble, StepAction action,
                      std::optional<StepId> parent = std::nullopt) {
  Step step;
  step.id = plan.steps.size();
  step.bubble = std::move(bubble);
  step.declaredAt = {"job.yaml", 10, 3, 4};
  step.action = std::move(action);
  step.parent = parent;
  if (parent)
    plan.steps[*parent].children.push_back(step.id);
  else
    plan.roots.push_back(step.id);
  plan.steps.push_back(std::move(step));
  return plan.steps.back().id;
}

} // namespace lh

#endif // LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H
