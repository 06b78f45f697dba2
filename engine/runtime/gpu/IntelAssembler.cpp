// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ocloc on files in a folder of their own: it writes by name alone.
#include "runtime/gpu/IntelAssembler.h"

#include "core/support/FileSystem.h"
#include "core/support/ScratchFolder.h"
#include "runtime/emulated/Launch.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

/// The section `.ze_info`; empty without one.
static std::string infoIn(llvm::MemoryBufferRef file) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(file);
  if (!object) {
    llvm::consumeError(object.takeError());
    return "";
  }
  for (const llvm::object::SectionRef &section : (*object)->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    llvm::Expected<StringRef> contents = section.getContents();
    if (name && contents && *name == ".ze_info")
      return contents->str();
    llvm::consumeError(name.takeError());
    llvm::consumeError(contents.takeError());
  }
  return "";
}

/// "Double type is not supported on this platform, in kernel: 'main_kernel'" of
/// what ocloc says; the end of it where it names no error.
static std::string causeIn(StringRef said) {
  llvm::SmallVector<StringRef> lines;
  said.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef line = lines[i];
    if (!line.consume_front("error: "))
      continue;
    bool isNamed =
        i + 1 < lines.size() && lines[i + 1].starts_with("in kernel");
    return (line.rtrim(" .") + (isNamed ? ", " + lines[i + 1] : "")).str();
  }
  constexpr unsigned shownLines = 5;
  return lastLines(said.trim(), shownLines).str();
}

FailureOr<Zebin> lh::assembleSpirV(StringRef spirv, StringRef chip,
                                   const DeviceTools &tools,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink) {
  if (tools.ocloc.empty())
    return sink.error(DiagKind::BackendToolNotFound, where,
                      "there is no 'ocloc' here; package intel-opencl-icd "
                      "brings it");
  ScratchFolder folder;
  std::string input = folder.path() + "/kernels.spv";
  MemoryFile said;
  if (!folder.isUsable() || !said.isUsable())
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "there is no room in TMPDIR for ocloc's files");
  if (failed(writeFileAtomically(input, spirv, where, sink)))
    return failure();
  LaunchResult done = launch(
      {tools.ocloc, "compile", "-file", input, "-spirv_input", "-device",
       chip.str(), "--format", "zebin", "-exclude_ir", "-output_no_suffix",
       "-output", "kernels.bin", "-out_dir", folder.path()},
      {}, &said);
  std::string problem = whyLaunchFailed(done);
  auto file = llvm::MemoryBuffer::getFile(folder.path() + "/kernels.bin");
  Zebin native;
  if (problem.empty() && file) {
    native.bytes = (*file)->getBuffer().str();
    native.info = infoIn(**file);
  }
  if (!native.info.empty())
    return native;
  std::string cause = causeIn(said.read());
  return sink.error(DiagKind::BackendCompileFailed, where,
                    "'" + tools.ocloc + "' makes no code for '" + chip +
                        "': " + (cause.empty() ? "it " + problem : cause));
}
