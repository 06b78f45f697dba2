// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters: their values checked against their declarations, and put in
// place of `${params.x}`.
#ifndef LH_CORE_GRAPH_PARAMETERS_H
#define LH_CORE_GRAPH_PARAMETERS_H

#include "core/manifest/Manifest.h"

#include <set>

namespace lh {

/// The values of one scope. They may still depend on target facts and the case.
struct NamedValues {
  std::map<std::string, Expression> values;
  std::set<std::string> used;
  /// Declared, but without a value, which was reported.
  std::set<std::string> broken;
  /// Further ones may be declared where that can't be read.
  bool lacksSome = false;
};

/// What one file's expressions may use: its parameters, and what it computes.
struct Environment {
  NamedValues params, lets;
};

/// `value` as `parameter`'s type (an integer serves as a float; a relative
/// path becomes absolute against `baseFolder`), checked against its bounds and
/// choices. Errors stand at `where`, with a note at the declaration.
FailureOr<Value> checkedValue(const Value &value,
                              const ParameterDecl &parameter,
                              StringRef baseFolder, const SourceSpan &where,
                              DiagnosticSink &sink);

/// The value that `--set name=text` gives, by the parameter's type.
FailureOr<Value> settingValue(StringRef text, const ParameterDecl &parameter,
                              StringRef workingDirectory, DiagnosticSink &sink);

/// `expression` with every `${params.x}` and `${let.x}` replaced. Marks what it
/// uses; a name that isn't there is an error. Fails without one for what is
/// broken.
FailureOr<Expression> substitute(const Expression &expression,
                                 Environment &environment,
                                 DiagnosticSink &sink);

/// An expression that is `value`.
Expression literalExpression(Value value, const SourceSpan &where);

/// A literal text as a path: absolute against the folder of the file that
/// `path.where` names. One that begins with a reference is left as it is.
Expression absoluteExpression(Expression path);

/// The declared parameters that `environment` never used, as errors.
void reportUnused(ArrayRef<ParameterDecl> parameters,
                  const Environment &environment, DiagnosticSink &sink);
/// The same for computed values.
void reportUnused(ArrayRef<LetDecl> lets, const Environment &environment,
                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_PARAMETERS_H
