// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO's tests as models and tensor files.
#include "steps/ProgramTests.h"

#include "compiler/ingress/stablehlo/TestFile.h"
#include "core/numerics/Npy.h"
#include "core/support/FileSystem.h"

#include "llvm/Support/Path.h"

using namespace lh;

static FailureOr<std::vector<std::string>>
writeTensors(const std::string &folder, StringRef prefix,
             ArrayRef<Tensor> tensors, DiagnosticSink &sink) {
  std::vector<std::string> files;
  for (size_t i = 0; i < tensors.size(); ++i) {
    files.push_back(folder + "/" + prefix.str() + std::to_string(i) + ".npy");
    if (failed(writeNpy(files.back(), tensors[i], sink)))
      return failure();
  }
  return files;
}

FailureOr<std::vector<ProgramTest>>
ProgramTests::read(const std::string &path, DiagnosticSink &sink) {
  if (auto found = known.find(path); found != known.end())
    return found->second;
  if (!scratch)
    scratch = std::make_unique<ScratchFolder>();
  if (!scratch->isUsable())
    return sink.error(DiagKind::PlanBadCase, {path},
                      "there is no folder to take the tests apart in; TMPDIR "
                      "must name one that can be written");
  FailureOr<std::vector<HloTest>> tests =
      readHloTests(path, session.context(), sink);
  if (failed(tests))
    return failure();
  std::vector<ProgramTest> programs;
  std::string place = scratch->path() + "/" + std::to_string(known.size());
  for (const HloTest &test : *tests) {
    // The file's own name is what results and reproducers show.
    std::string folder = place + (test.name.empty() ? "" : "/" + test.name);
    ProgramTest program;
    program.name = test.name;
    program.model = folder + "/" + llvm::sys::path::filename(path).str();
    auto inputs = writeTensors(folder, "input_", test.inputs, sink);
    auto expected = writeTensors(folder, "output_", test.expected, sink);
    if (failed(inputs) || failed(expected) ||
        failed(writeFileAtomically(program.model, test.program, {}, sink)))
      return failure();
    program.inputs = std::move(*inputs);
    program.expected = std::move(*expected);
    programs.push_back(std::move(program));
  }
  return known.emplace(path, std::move(programs)).first->second;
}
