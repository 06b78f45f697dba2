// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What MLIR's remark engine says during a step.
#include "steps/RemarkCatcher.h"

#include "compiler/session/MlirDiagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"

using namespace lh;
namespace remark = mlir::remark;

/// A vectorizer may remark on every loop of a large net.
static constexpr size_t mostCaught = 200;

static StringRef kindWord(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return "done";
  case llvm::remarks::Type::Missed:
    return "missed";
  case llvm::remarks::Type::Failure:
    return "failed";
  default:
    return "analysis";
  }
}

static Diagnostic convert(const remark::detail::Remark &remark,
                          const SourceSpan &fallback) {
  Diagnostic diagnostic{DiagKind::IrRemark,
                        Severity::Remark,
                        spanOf(remark.getLocation()),
                        "",
                        {}};
  if (!diagnostic.where.isKnown())
    diagnostic.where = fallback;
  StringRef category = remark.getCombinedCategoryName();
  diagnostic.message = (kindWord(remark.getRemarkType()) + ": " +
                        (category.empty() ? "" : category + ": ") +
                        remark.getRemarkName() + ": ")
                           .str();
  for (const remark::detail::Remark::Arg &argument : remark.getArgs())
    diagnostic.message += argument.key == "Remark"
                              ? argument.val
                              : argument.key + "=" + argument.val + " ";
  diagnostic.message = StringRef(diagnostic.message).rtrim(" :").str();
  std::string names = namesIn(remark.getLocation());
  if (!names.empty())
    diagnostic.message += " (at " + names + ")";
  return diagnostic;
}

namespace {
class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  Streamer(std::vector<Diagnostic> &caught, SourceSpan fallback)
      : caught(caught), fallback(std::move(fallback)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (caught.size() < mostCaught)
      caught.push_back(convert(remark, fallback));
  }

private:
  std::vector<Diagnostic> &caught;
  SourceSpan fallback;
};
} // namespace

RemarkCatcher::RemarkCatcher(mlir::MLIRContext &context, SourceSpan fallback)
    : context(context) {
  remark::RemarkCategories all;
  all.all = all.passed = all.missed = all.analysis = all.failed = ".*";
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer>(caught, std::move(fallback)),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), all);
}

RemarkCatcher::~RemarkCatcher() { context.setRemarkEngine(nullptr); }

void RemarkCatcher::flushTo(DiagnosticSink &sink) {
  for (Diagnostic &diagnostic : caught)
    sink.emit(std::move(diagnostic));
  caught.clear();
}
