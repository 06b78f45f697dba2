// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass string checked against MLIR's registry, ready to be built.
#ifndef LH_COMPILER_SESSION_PASSPIPELINE_H
#define LH_COMPILER_SESSION_PASSPIPELINE_H

#include "compiler/session/PassPipelineText.h"

namespace mlir {
class MLIRContext;
class OpPassManager;
} // namespace mlir

namespace lh {

/// The names of all registered passes and pipelines, sorted.
ArrayRef<StringRef> registeredPassNames();

/// A pass string's meaning. The string is a list of passes for the whole
/// module, in the syntax of mlir-opt's --pass-pipeline:
///  - `builtin.module(...)` or `any(...)` round the whole string is optional;
///  - `func.func(...)`, `gpu.module(...)` and so on nest as written;
///  - a bare pass that can't run on a module is nested as mlir-opt's
///    `--pass-a --pass-b` would: in the operation it is declared for, else (a
///    pass on function interfaces) in func.func.
/// What would silently run nothing is an error: a module inside the module, an
/// anchor that isn't an isolated operation, a pass inside an anchor that it
/// can't run on.
class PassPipeline {
public:
  /// Reports every unknown name, bad option and misplaced anchor at its place.
  static FailureOr<PassPipeline> parse(StringRef text, const SourceSpan &where,
                                       mlir::MLIRContext &context,
                                       DiagnosticSink &sink);

  /// Adds the passes to a pass manager anchored on builtin.module.
  void addTo(mlir::OpPassManager &manager) const;

  /// `builtin.module(...)`, as mlir-opt's --pass-pipeline takes it.
  std::string text() const;

  /// The passes, in order of appearance, with where they stand.
  std::vector<std::pair<std::string, SourceSpan>> passes() const;

  /// One pass, as a pass string that runs it alone.
  struct Part {
    std::string name, text;
    SourceSpan where;
  };
  /// The passes one by one, in the order in which they run, those of registered
  /// pipelines too. Passes that are nested together run on one operation after
  /// the other; as parts, each runs on all of them.
  std::vector<Part> parts() const;

  /// The gap passes among them: stock mlir-opt lacks these.
  std::vector<std::string> gapPasses() const;

private:
  PassPipeline(std::vector<PassElement> elements, PassStringPlace place)
      : elements(std::move(elements)), place(std::move(place)) {}

  std::vector<PassElement> elements;
  PassStringPlace place;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_PASSPIPELINE_H
