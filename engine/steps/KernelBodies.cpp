// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads bodies of kernels, and has clang compile those in C.
#include "steps/KernelBodies.h"

#include "core/manifest/KernelParser.h"
#include "core/support/LlvmTools.h"
#include "core/support/Needs.h"
#include "runtime/cpu/LinkKernels.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/emulated/Launch.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace lh;

static constexpr StringRef cpuBackend = "cpu",
                           onCpusAlone = "kernels are called on CPUs alone",
                           onHostAlone = "its libraries are loaded, by code "
                                         "that runs here alone";

bool lh::needsCompiler(const KernelSpec &kernel) {
  return std::holds_alternative<CSource>(kernel.body);
}

bool lh::loadsLibrary(const KernelSpec &kernel) {
  const auto *source = std::get_if<CSource>(&kernel.body);
  return source ? !source->links.empty()
                : std::holds_alternative<LibraryCode>(kernel.body);
}

static std::vector<std::string> compilerLine(const std::string &compiler,
                                             const CSource &source,
                                             const llvm::TargetMachine &machine,
                                             const std::string &prefix,
                                             const std::string &output) {
  std::vector<std::string> words{
      compiler, "--target=" + machine.getTargetTriple().str(), "-O2", "-fPIC"};
  if (source.links.empty())
    words.insert(words.end(), {"-c", "-emit-llvm"});
  else
    words.push_back("-shared");
  auto toFrontend = [&](const std::string &flag, const std::string &value) {
    for (const std::string &word : {flag, value}) {
      words.push_back("-Xclang");
      words.push_back(word);
    }
  };
  toFrontend("-target-cpu", machine.getTargetCPU().str());
  llvm::SmallVector<StringRef> features;
  machine.getTargetFeatureString().split(features, ',', -1, false);
  for (StringRef feature : features)
    toFrontend("-target-feature", feature.str());
  words.insert(words.end(), source.flags.begin(), source.flags.end());
  words.insert(words.end(),
               {"-include", prefix, source.file.value, "-o", output});
  for (const std::string &library : source.links)
    words.push_back("-l" + library);
  return words;
}

static FailureOr<std::string> compile(const KernelSpec &kernel,
                                      const llvm::TargetMachine &machine,
                                      DiagnosticSink &sink) {
  const auto &source = std::get<CSource>(kernel.body);
  std::string compiler = findLlvmTool("clang");
  if (compiler.empty())
    return sink.error(DiagKind::BackendToolNotFound, source.file.where,
                      "there is no compiler 'clang' here for the body of "
                      "kernel '" +
                          kernel.name + "'; package " + llvmName("clang") +
                          " brings it");
  MemoryFile output, prefix;
  std::string plain =
      ("__attribute__((used)) static void " + plainFunction + "(void) {}\n")
          .str();
  if (!output.isUsable() || !prefix.isUsable() || !prefix.write(plain))
    return sink.error(DiagKind::BackendLinkFailed, source.file.where,
                      "there is no memory for the compiler's files");
  // A linker wants a file, which clang tries to remove where it fails.
  std::string place = source.links.empty() ? "-" : output.path();
  LaunchResult done =
      launch(compilerLine(compiler, source, machine, prefix.path(), place),
             {&output, &prefix}, &output);
  if (done.problem.empty() && done.exitCode == 0 && done.signal == 0)
    return output.read();
  constexpr unsigned lines = 12;
  StringRef said = done.problem.empty() ? lastLines(done.errors, lines)
                                        : StringRef(done.problem);
  std::string end = done.signal > 0
                        ? "it ended by signal " + std::to_string(done.signal)
                        : "it ended with code " + std::to_string(done.exitCode);
  return sink.error(DiagKind::BackendBadKernel, source.file.where,
                    "kernel '" + kernel.name +
                        "': its body can't be compiled: " +
                        (said.empty() ? StringRef(end) : said));
}

std::string lh::whyNoCandidate(const KernelSpec &kernel,
                               const TargetSpec &target,
                               const HostFacts &host) {
  if (target.backend != cpuBackend)
    return onCpusAlone.str();
  if (std::string missing = missingNeed(kernel.needs); !missing.empty())
    return missing;
  CollectingSink found;
  auto machine = makeTargetMachine(target, host, found);
  if (succeeded(machine)) {
    llvm::Triple here(llvm::sys::getDefaultTargetTriple());
    if (loadsLibrary(kernel) &&
        (*machine)->getTargetTriple().getArch() != here.getArch())
      return onHostAlone.str();
    (void)checkKernelFeatures(kernel, target, **machine, found);
  }
  return found.diagnostics().empty() ? "" : found.diagnostics().front().message;
}

/// LLVM IR that is checked, as bitcode.
static FailureOr<KernelCode> checkedIr(StringRef code, const KernelSpec &kernel,
                                       const TargetSpec &target,
                                       const llvm::TargetMachine &machine,
                                       DiagnosticSink &sink) {
  FailureOr<std::string> bitcode =
      kernelBody(code, kernel, target, machine, sink);
  if (failed(bitcode))
    return failure();
  return KernelCode{KernelCode::Form::Bitcode, std::move(*bitcode), ""};
}

static FailureOr<KernelCode> codeOfC(const KernelSpec &kernel,
                                     const TargetSpec &target,
                                     const llvm::TargetMachine &machine,
                                     DiagnosticSink &sink) {
  FailureOr<std::string> compiled = compile(kernel, machine, sink);
  if (failed(compiled))
    return failure();
  if (std::get<CSource>(kernel.body).links.empty())
    return checkedIr(*compiled, kernel, target, machine, sink);
  if (failed(checkBinary(*compiled, kernel, target, machine, sink)))
    return failure();
  return KernelCode{KernelCode::Form::Library, std::move(*compiled), ""};
}

FailureOr<KernelCode> lh::kernelCode(const KernelSpec &kernel,
                                     const TargetSpec &target,
                                     const HostFacts &host, bool compiles,
                                     DiagnosticSink &sink) {
  if (target.backend != cpuBackend)
    return sink.error(DiagKind::BackendBadKernel, SourceSpan{kernel.file},
                      "kernel '" + kernel.name +
                          "' can't be called on target '" + target.name +
                          "': " + onCpusAlone);
  auto machine = makeTargetMachine(target, host, sink);
  if (failed(machine) ||
      failed(checkKernelFeatures(kernel, target, **machine, sink)))
    return failure();
  if (needsCompiler(kernel))
    return compiles ? codeOfC(kernel, target, **machine, sink) : KernelCode();
  if (std::holds_alternative<MlirCode>(kernel.body))
    return KernelCode(); // it comes with the functions
  const Located<std::string> &file = bodyFile(kernel);
  auto buffer = llvm::MemoryBuffer::getFile(file.value);
  if (!buffer)
    return sink.error(DiagKind::SupportCannotRead, file.where,
                      "can't read '" + file.value +
                          "': " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  if (std::holds_alternative<LlvmCode>(kernel.body))
    return checkedIr(bytes, kernel, target, **machine, sink);
  if (failed(checkBinary(bytes, kernel, target, **machine, sink)))
    return failure();
  if (loadsLibrary(kernel))
    return KernelCode{KernelCode::Form::Library, "", file.value};
  return KernelCode{KernelCode::Form::Object, bytes.str(), ""};
}
