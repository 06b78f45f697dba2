// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting a program that a target's file names.
#include "runtime/external/TargetProgram.h"

#include "core/graph/Evaluate.h"
#include "runtime/emulated/Launch.h"

using namespace lh;

/// `text` with what the names in braces stand for; each place once, so that
/// nothing in a path is taken for a name.
static std::string filled(StringRef text,
                          const std::map<std::string, std::string> &places) {
  std::string result;
  while (!text.empty()) {
    auto [before, rest] = text.split('{');
    result += before;
    if (before.size() == text.size())
      break;
    size_t end = rest.find('}');
    auto place = end == StringRef::npos
                     ? places.end()
                     : places.find(rest.take_front(end).str());
    if (place == places.end()) {
      result += '{';
      text = rest;
      continue;
    }
    result += place->second;
    text = rest.drop_front(end + 1);
  }
  return result;
}

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
    words.push_back(filled(*text, program.places));
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
