// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ptxas on files in memory.
#include "runtime/gpu/Assembler.h"

#include "runtime/emulated/Launch.h"

using namespace lh;

static LogicalResult reportMissing(StringRef tool, const SourceSpan &where,
                                   DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendToolNotFound, where,
                    "there is no '" + tool +
                        "' here; NVIDIA's CUDA toolkit brings it, and "
                        "CUDA_HOME says where it is");
}

/// Runs `words`, which write to `output`. `said`: their standard error.
static FailureOr<std::string>
produce(ArrayRef<std::string> words, ArrayRef<const MemoryFile *> files,
        const MemoryFile &output, const SourceSpan &where, DiagnosticSink &sink,
        std::string *said = nullptr) {
  for (const MemoryFile *file : files)
    if (!file->isUsable())
      return sink.error(DiagKind::BackendCompileFailed, where,
                        "there is no memory for the assembler's files");
  LaunchResult done = launch(words, files);
  if (said)
    *said = done.errors;
  if (done.problem.empty() && done.exitCode == 0 && done.signal == 0)
    return output.read();
  constexpr unsigned shownLines = 5;
  return sink.error(DiagKind::BackendCompileFailed, where,
                    "'" + words.front() + "' fails: " +
                        (done.problem.empty()
                             ? lastLines(done.errors, shownLines)
                             : StringRef(done.problem)));
}

static FailureOr<std::string>
assemble(StringRef ptx, StringRef chip, const DeviceTools &tools,
         const SourceSpan &where, DiagnosticSink &sink, std::string *said) {
  if (tools.ptxas.empty())
    return reportMissing("ptxas", where, sink);
  MemoryFile input, output;
  if (!input.isUsable() || !input.write(ptx))
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "there is no memory for the assembler's files");
  std::vector<std::string> words{tools.ptxas, "--gpu-name=" + chip.str(),
                                 input.path(), "-o", output.path()};
  if (said)
    words.push_back("-v");
  return produce(words, {&input, &output}, output, where, sink, said);
}

FailureOr<std::string> lh::assemblePtx(StringRef ptx, StringRef chip,
                                       const DeviceTools &tools,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  return assemble(ptx, chip, tools, where, sink, nullptr);
}

FailureOr<std::string> lh::reportOnPtx(StringRef ptx, StringRef chip,
                                       const DeviceTools &tools,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  std::string said;
  if (failed(assemble(ptx, chip, tools, where, sink, &said)))
    return failure();
  return said;
}
