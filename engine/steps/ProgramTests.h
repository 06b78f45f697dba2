// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO's tests as models and tensor files.
#ifndef LH_STEPS_PROGRAMTESTS_H
#define LH_STEPS_PROGRAMTESTS_H

#include "compiler/session/MlirSession.h"
#include "core/plan/MakePlan.h"
#include "core/support/ScratchFolder.h"

#include <map>
#include <memory>

namespace lh {

/// Takes files of tests apart, each once; what it writes goes with it.
class ProgramTests {
public:
  explicit ProgramTests(MlirSession &session) : session(session) {}

  FailureOr<std::vector<ProgramTest>> read(const std::string &path,
                                           DiagnosticSink &sink);

private:
  MlirSession &session;
  std::unique_ptr<ScratchFolder> scratch; ///< none before the first test
  std::map<std::string, std::vector<ProgramTest>> known;
};

} // namespace lh

#endif // LH_STEPS_PROGRAMTESTS_H
