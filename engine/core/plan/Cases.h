// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases with their files found: one per model, each with its data sets.
#ifndef LH_CORE_PLAN_CASES_H
#define LH_CORE_PLAN_CASES_H

#include "core/plan/MakePlan.h"

namespace lh {

/// One model and the data to run it on.
struct ExpandedCase {
  std::string name; ///< "digits", "conformance/test_add"; "" without cases
  std::map<std::string, Value> values; ///< what `${case.x}` may name
  std::vector<DataSet> dataSets;       ///< at least one
  ToleranceDecl tolerance;
  std::string absent = {}; ///< why its data isn't on this machine
};

struct CaseParts {
  std::vector<ExpandedCase> cases; ///< at least one
  bool isComplete = true;
};

/// Where cases are looked for. The file system is borrowed.
struct CaseFiles {
  CaseFiles(llvm::vfs::FileSystem &files, ProgramTestReader readPrograms = {})
      : files(files), readPrograms(std::move(readPrograms)) {}

  llvm::vfs::FileSystem &files;
  ProgramTestReader readPrograms;
};

/// The selected cases of `graph`. A graph without cases has one without a name
/// and with generated inputs. It is an error when files are missing, nothing is
/// selected, or a golden is not of its model. For a case that fails, one of its
/// name without data stands in. `lacksCases`: there are further ones, which
/// have errors.
CaseParts expandCaseParts(const ResolvedGraph &graph, bool lacksCases,
                          const Selection &selection, const CaseFiles &files,
                          DiagnosticSink &sink);

/// The same, but fails after any error.
FailureOr<std::vector<ExpandedCase>> expandCases(const ResolvedGraph &graph,
                                                 const Selection &selection,
                                                 const CaseFiles &files,
                                                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_CASES_H
