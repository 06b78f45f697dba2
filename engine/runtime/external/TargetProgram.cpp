// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting a program that a target's file names.
#include "runtime/external/TargetProgram.h"

#include "core/graph/Evaluate.h"
#include "core/manifest/Placeholders.h"
#include "runtime/emulated/Launch.h"

using namespace lh;

static FailureOr<std::vector<std::string>> wordsOf(const TargetProgram &program,
                                                   const TargetSpec &target,
                                                   DiagnosticSink &sink) {
  std::map<std::string, Value> facts = factValues(target);
  Scope scope;
  scope.target = &facts;
  scope.sweep = &program.sweepPoint;
  std::vector<std::string> words;
  for (const Expression &word : program.words) {
    FailureOr<std::string> text = evaluateText(word, scope, sink);
    if (failed(text))
      return failure();
    words.push_back(withPlaces(*text, program.places));
  }
  return words;
}

LogicalResult lh::runTargetProgram(const TargetProgram &program,
                                   const TargetSpec &target,
                                   DiagnosticSink &sink) {
  FailureOr<std::vector<std::string>> words = wordsOf(program, target, sink);
  if (failed(words))
    return failure();
  std::string why =
      whyLaunchFailed(launch(*words, {}, nullptr, nullptr, program.folder));
  if (why.empty())
    return success();
  return sink.error(DiagKind::BackendProgramFailed, program.words.front().where,
                    "'" + program.key + "' of target '" + target.name + "': '" +
                        words->front() + "' " + why);
}
