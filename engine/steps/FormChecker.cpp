// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what a module holds with a contract.
#include "steps/FormChecker.h"

#include "compiler/session/FormGatherer.h"
#include "steps/FileChecker.h"

#include "mlir/IR/BuiltinOps.h"

using namespace lh;

static LogicalResult broken(const ClauseState &clause, const Twine &contract,
                            const SourceSpan &where, DiagnosticSink &sink) {
  std::vector<DiagnosticNote> notes;
  const FactSource &source = clause.source;
  if (source.where.isKnown() || !source.names.empty())
    notes.push_back(
        {source.where, "the first is here" +
                           (source.names.empty() ? "" : ": " + source.names)});
  return sink.error(DiagKind::IrBrokenContract, where,
                    "found " + clause.seen + "; the bubble " + contract,
                    std::move(notes));
}

LogicalResult lh::checkForm(const ModuleForm &found, const FormDecl &form,
                            StringRef what, DiagnosticSink &sink) {
  LogicalResult result = success();
  FormFacts facts = FormFacts::of(found, namesKernels(form));
  for (const ClauseState &clause : judge(facts, form))
    if (clause.met == Known::No)
      result = broken(clause, what + " " + clause.wanted, form.where, sink);
  return result;
}

LogicalResult lh::checkForm(mlir::ModuleOp module, const FormDecl &form,
                            StringRef what, DiagnosticSink &sink) {
  LogicalResult result = checkForm(gatherForm(module), form, what, sink);
  if (form.checkFile && failed(checkText(module, *form.checkFile, sink)))
    return failure();
  return result;
}

LogicalResult lh::checkPreserved(const ModuleForm &before,
                                 const ModuleForm &after,
                                 ArrayRef<std::string> preserved,
                                 const SourceSpan &where,
                                 DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const ClauseState &clause : brokenPromises(before, after, preserved))
    result = broken(clause, "preserves what it got, which had " + clause.wanted,
                    where, sink);
  return result;
}
