// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long passes take, and the ops of a schedule.
#ifndef LH_COMPILER_SESSION_PASSCLOCK_H
#define LH_COMPILER_SESSION_PASSCLOCK_H

#include "core/plan/RunRecord.h"

#include "mlir/IR/BuiltinOps.h"

#include <chrono>

namespace lh {

/// Listens while it lives: to MLIR's actions, which tell of every pass, those
/// inside `apply_registered_pass` too, and to the remarks of schedules that
/// instrumentClock() has changed. One at a time for a context.
class PassClock {
public:
  explicit PassClock(mlir::MLIRContext &context);
  ~PassClock();
  PassClock(const PassClock &) = delete;
  PassClock &operator=(const PassClock &) = delete;

  /// True, and noted, when `text` is a remark of an instrumented schedule.
  bool take(StringRef text);

  std::vector<PassTime> takeTimes() { return std::move(times); }

private:
  /// What runs now.
  struct Frame {
    size_t time = 0;        ///< index into `times`
    unsigned operation = 0; ///< of a schedule; 0: a pass
    double begin = 0;
    bool isMerged = false; ///< one of too many like it: its time is added
    std::map<std::string, std::pair<size_t, size_t>> inside = {};
  };

  double now() const;
  void enter(const std::string &name, unsigned operation);
  void leave();
  void leaveOperation(unsigned operation);

  mlir::MLIRContext &context;
  std::chrono::steady_clock::time_point start;
  std::vector<PassTime> times;
  std::vector<Frame> running;
  Frame outermost;
};

/// Makes every transform op of `schedule` say when it begins and ends.
void instrumentClock(mlir::ModuleOp schedule);

} // namespace lh

#endif // LH_COMPILER_SESSION_PASSCLOCK_H
