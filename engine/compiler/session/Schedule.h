// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transform schedule: parsed, linked, its parameters bound, ready to run.
#ifndef LH_COMPILER_SESSION_SCHEDULE_H
#define LH_COMPILER_SESSION_SCHEDULE_H

#include "compiler/session/ModuleKernels.h"
#include "core/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace mlir {
class Pass;
namespace transform {
class NamedSequenceOp;
} // namespace transform
} // namespace mlir

namespace lh {

/// What the entry's arguments after the payload root are bound to; a list of
/// integers associates several attributes with one parameter.
using BoundArguments =
    llvm::SmallVector<llvm::SmallVector<mlir::Attribute, 1>, 4>;

/// Binds `parameters` in `schedule`: entry arguments by their `lh.name`,
/// attributes by `lh.bind` (those are replaced). With a kernel, its name is
/// "kernel.name", the rows and columns of its largest tile are "kernel.rows"
/// and "kernel.columns". Reports every unmatched, missing and mistyped
/// parameter.
FailureOr<BoundArguments> bindParameters(mlir::ModuleOp schedule,
                                         mlir::transform::NamedSequenceOp entry,
                                         const ScheduleAction &action,
                                         DiagnosticSink &sink);

/// A schedule with its libraries; values in place of what `lh.bind` names.
struct BoundSchedule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  BoundArguments arguments; ///< of the entry, which still takes them
};

/// One entry of one schedule with bound parameters. Matches in it report how
/// many operations they found (see MlirDiagnostics::matches).
class Schedule {
public:
  /// Runs the entry on `payload`; MLIR's diagnostics say why it failed. What
  /// the schedule calls of its own functions, the payload has afterwards.
  LogicalResult apply(mlir::ModuleOp payload) const;

  /// Calls `ask` while `payload` has the functions that the schedule lends it.
  void withFunctions(mlir::ModuleOp payload,
                     llvm::function_ref<void()> ask) const;

  /// The schedule with its libraries, to be read.
  mlir::ModuleOp source() const { return *module; }

  /// The sequence that is applied.
  mlir::Operation *entrySequence() const { return entry; }

private:
  friend class ScheduleStore;
  LogicalResult interpret(mlir::ModuleOp payload) const;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *entry = nullptr;
  BoundArguments arguments;
};

/// The pass that applies a schedule, so that a schedule is a step like any
/// other: verified, printed, timed. `schedule` must outlive it.
std::unique_ptr<mlir::Pass> makeSchedulePass(const Schedule &schedule);

/// A kernel's body for a target. Fails with a diagnostic where it can't be
/// used.
using KernelCodeFunction = std::function<FailureOr<KernelCode>(
    const KernelSpec &, const TargetSpec &, DiagnosticSink &)>;

/// Parses and links each schedule file once.
class ScheduleStore {
public:
  /// `isTimed`: schedules say when each of their ops begins and ends. Without
  /// `kernelCode`, modules that they work on lack the bodies of kernels.
  explicit ScheduleStore(mlir::MLIRContext &context, bool isTimed = false,
                         KernelCodeFunction kernelCode = {})
      : context(context), isTimed(isTimed), kernelCode(std::move(kernelCode)) {}

  /// Errors are at the place in the schedule file or, where a parameter or the
  /// entry's name is at fault, in the manifest. A file's own errors are
  /// reported once, whoever uses it.
  FailureOr<std::unique_ptr<Schedule>> load(const ScheduleAction &action,
                                            DiagnosticSink &sink);

  /// The schedule to be written or taken apart: its matches don't count.
  FailureOr<BoundSchedule> bound(const ScheduleAction &action,
                                 DiagnosticSink &sink);

private:
  /// Null after an error.
  mlir::ModuleOp linked(const ScheduleAction &action, DiagnosticSink &sink);
  LogicalResult merge(mlir::ModuleOp target, const std::string &library,
                      DiagnosticSink &sink);
  void warnOfSuppression(mlir::ModuleOp schedule, DiagnosticSink &sink);
  LogicalResult addTuned(mlir::ModuleOp schedule, const ScheduleAction &action,
                         DiagnosticSink &sink);
  /// Null after an error, which is reported once.
  const KernelCode *codeFor(const ScheduleAction &action, DiagnosticSink &sink);
  /// A copy of the linked schedule, with its kernel; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> copyFor(const ScheduleAction &action,
                                            DiagnosticSink &sink);

  mlir::MLIRContext &context;
  bool isTimed;
  KernelCodeFunction kernelCode;
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> files;
  /// By kernel and target; nothing where it can't be used.
  std::map<std::string, std::optional<KernelCode>> codes;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_SCHEDULE_H
