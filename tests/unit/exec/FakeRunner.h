// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A runner that does what a step's text says, and a tree to run it on.
#ifndef LH_TESTS_EXEC_FAKERUNNER_H
#define LH_TESTS_EXEC_FAKERUNNER_H

#include "../TestFolder.h"

#include "core/exec/Executor.h"

#include <functional>

namespace lh {

/// Its state is the text of the steps so far. A `passes` step is a command:
/// "segv", "abort", "exit", "hang", "memory", "fail", "big", "print", "thread",
/// "fork", "daemon"; all other texts pass. A run step returns the state as its
/// only output's name.
class FakeRunner : public StepRunner {
public:
  /// `journal` gets a line per step, from whatever process.
  explicit FakeRunner(std::string journal) : journal(std::move(journal)) {}

  StepOutcome run(const Step &step) override;
  std::unique_ptr<SavedState> save() override;
  void restore(const SavedState &state) override;

private:
  std::string journal, state;
};

/// A plan in the making.
struct TestPlan {
  Plan plan;
  StepId passes(std::optional<StepId> parent, const std::string &text);
  /// A run step below `parent`, with its result.
  StepId run(StepId parent, const std::string &caseName,
             const std::string &pipeline, unsigned repeat = 0);
};

struct JournalFolder : TestFolder {
  /// The lines of `<path>/journal`.
  std::vector<std::string> journal() const;
};

} // namespace lh

#endif // LH_TESTS_EXEC_FAKERUNNER_H
