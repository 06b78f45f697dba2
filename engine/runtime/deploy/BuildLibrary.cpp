// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts a library together: code, model, weights and the runtime of deploy/.
#include "runtime/deploy/BuildLibrary.h"

#include "core/support/FileSystem.h"
#include "runtime/cpu/AllowedSymbols.h"
#include "runtime/cpu/TargetMachine.h"
#include "runtime/deploy/CpuFeatures.h"
#include "runtime/deploy/Description.h"
#include "runtime/deploy/Model.h"
#include "runtime/deploy/ModelObject.h"
#include "runtime/emulated/Linker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace lh;

namespace path = llvm::sys::path;

/// Code reaches its weights by 32 bits; the rest is for the code itself.
static constexpr uint64_t mostEmbedded = uint64_t(3) << 29;

/// Whether C or C++ has another use for `struct <name>`, or the runtime for
/// functions that begin so.
static bool isTaken(StringRef name) {
  static constexpr StringRef words[] = {
      "auto",     "bool",     "break",    "case",      "char",     "class",
      "const",    "continue", "default",  "delete",    "do",       "double",
      "else",     "enum",     "explicit", "extern",    "false",    "float",
      "for",      "friend",   "goto",     "if",        "inline",   "int",
      "long",     "mutable",  "new",      "operator",  "private",  "public",
      "register", "restrict", "return",   "short",     "signed",   "sizeof",
      "static",   "struct",   "switch",   "template",  "this",     "true",
      "try",      "typedef",  "union",    "unsigned",  "using",    "virtual",
      "void",     "volatile", "while",    "namespace", "protected"};
  return name.starts_with("lh_") || llvm::is_contained(words, name);
}

std::string lh::libraryName(StringRef file) {
  StringRef stem = path::stem(file);
  if (stem.size() > 3)
    stem.consume_front("lib");
  std::string name;
  for (char c : stem)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()) || isTaken(name))
    name = "net_" + name;
  return name;
}

std::vector<std::string> lh::libraryFiles(const LibraryFile &file) {
  std::string name = libraryName(file.path);
  std::vector<std::string> files = {path::filename(file.path).str(),
                                    name + ".h", name + ".json",
                                    name + "-config.cmake"};
  if (file.weightsBeside)
    files.push_back(name + ".weights");
  return files;
}

namespace {

/// One library on its way.
class LibraryBuilder {
public:
  LibraryBuilder(const CompiledCode &code, const LibraryFile &file,
                 const TargetSpec &target, const LibraryDevice *device,
                 const HostFacts &host, StringRef folder,
                 const SourceSpan &where, DiagnosticSink &sink)
      : code(code), file(file), target(target), device(device), host(host),
        folder(folder.str()), where(where), sink(sink), weights(code.abi) {}

  FailureOr<std::string> build();

private:
  LogicalResult checkModel();
  FailureOr<std::string> readPart(StringRef name);
  LogicalResult readRuntime();
  LogicalResult gatherFacts();
  LogicalResult writeTexts();
  FailureOr<std::string> linkShared();
  LogicalResult writeArchive();
  LogicalResult write(StringRef name, StringRef contents) {
    return writeFileAtomically(place(name), contents, where, sink);
  }
  std::string place(StringRef name) const {
    return (folder + "/" + name).str();
  }
  bool isStatic() const { return StringRef(file.path).ends_with(".a"); }
  LogicalResult fail(const Twine &message) {
    return sink.error(DiagKind::BackendLibrary, where, message);
  }

  const CompiledCode &code;
  const LibraryFile &file;
  const TargetSpec &target;
  const LibraryDevice *device;
  const HostFacts &host;
  std::string folder;
  const SourceSpan &where;
  DiagnosticSink &sink;
  LibraryWeights weights;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string runtime, gpuRuntime, model; ///< objects; no GPU: no runtime of it
  LibraryFacts facts;
};

} // namespace

/// What no library can have.
LogicalResult LibraryBuilder::checkModel() {
  if (!code.libraries.empty())
    return fail("the code calls kernels in a shared library, which a built "
                "library can't bring along; object files, C and LLVM IR are "
                "linked into it");
  LogicalResult result = success();
  auto check = [&](const TensorSignature &tensor) {
    if (tensor.shape.size() > LH_MAX_RANK)
      result = fail("'" + tensor.name + "' has " + Twine(tensor.shape.size()) +
                    " dimensions, a library's arrays have at most " +
                    Twine(LH_MAX_RANK));
  };
  for (const EntryAbi *function :
       {&code.abi.entry, code.abi.prepare ? &*code.abi.prepare : nullptr}) {
    if (!function)
      continue;
    for (const EntryArgument &argument : function->arguments)
      check(argument.tensor);
    for (const TensorSignature &tensor : function->results)
      check(tensor);
  }
  if (!file.weightsBeside && weights.bytes() > mostEmbedded)
    result = fail("its weights take " + Twine(weights.bytes() >> 20) +
                  " MiB, a library has room for " + Twine(mostEmbedded >> 20) +
                  "; put them into a file beside it (--weights)");
  return succeeded(result) ? weights.check(where, sink) : failure();
}

/// An object file beside lh-run (deploy/CMakeLists.txt).
FailureOr<std::string> LibraryBuilder::readPart(StringRef name) {
  std::string path = (host.programFolder + "/" + name + "-" +
                      machine->getTargetTriple().getArchName() + ".o")
                         .str();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return sink.error(
        DiagKind::BackendToolNotFound, where,
        "there is no '" + path +
            "', which is linked into libraries; it is built with lh-run where "
            "there is a C compiler for that architecture");
  return (*buffer)->getBuffer().str();
}

LogicalResult LibraryBuilder::readRuntime() {
  FailureOr<std::string> part = readPart("lh-net");
  if (failed(part))
    return failure();
  runtime = std::move(*part);
  if (!device)
    return success();
  part = readPart("lh-net-gpu");
  if (failed(part))
    return failure();
  gpuRuntime = std::move(*part);
  return success();
}

LogicalResult LibraryBuilder::gatherFacts() {
  auto made = makeTargetMachine(target, host, sink);
  if (failed(made))
    return failure();
  machine = std::move(*made);
  facts.name = libraryName(file.path);
  facts.entry = &code.abi.entry;
  facts.target = &target;
  facts.device = device;
  facts.triple = machine->getTargetTriple().str();
  facts.features = neededFeatures(*machine);
  facts.needs = {"libc.so.6", "libm.so.6"};
  if (code.usesVectorLibrary)
    facts.needs.push_back("libmvec.so.1");
  if (code.usesThreads)
    facts.needs.push_back("libomp.so.5");
  facts.weightsBytes = weights.bytes();
  if (file.weightsBeside)
    facts.weightsFile = facts.name + ".weights";
  return success();
}

/// Functions that deploy/ and runner/symbols.c have for code.
static bool isOfRuntime(StringRef name) {
  return name == "memrefCopy" || name == "lh_note_reason" ||
         name == "lh_give_up" || name == "lh_arena_allocate" ||
         name == "lh_arena_release";
}

FailureOr<std::string> LibraryBuilder::linkShared() {
  LibraryLink link;
  link.objects = {code.object, model, runtime};
  if (device)
    link.objects.push_back(gpuRuntime);
  link.exports = {"create", "run", "destroy", "error", "description"};
  for (std::string &name : link.exports)
    name = facts.name + "_" + name;
  link.exports.push_back("lh_net_name");
  link.name = path::filename(file.path).str();
  if (isStatic())
    link.name = "lib" + facts.name + ".so";
  link.needs = facts.needs;
  auto linked = linkLibrary(link, *machine, where, sink);
  if (failed(linked))
    return failure();
  std::string shared = place(link.name);
  if (failed(write(link.name, *linked)))
    return failure();
  return shared;
}

/// The runtime is an object of its own: a program that links two nets takes it
/// from one of them.
LogicalResult LibraryBuilder::writeArchive() {
  std::vector<llvm::NewArchiveMember> members;
  std::vector<std::pair<std::string, StringRef>> parts = {
      {facts.name + ".o", code.object},
      {facts.name + "-model.o", model},
      {"lighthouse.o", runtime}};
  if (device)
    parts.emplace_back("lighthouse-gpu.o", gpuRuntime);
  for (auto &[name, bytes] : parts) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
    llvm::NewArchiveMember &member = members.emplace_back(llvm::MemoryBufferRef(
        buffer->getBuffer(), buffer->getBufferIdentifier()));
    member.Buf = std::move(buffer);
    member.MemberName = member.Buf->getBufferIdentifier();
  }
  llvm::Error error = llvm::writeArchive(
      place(path::filename(file.path)), members,
      llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!error)
    return success();
  return fail("the archive can't be written: " +
              llvm::toString(std::move(error)));
}

LogicalResult LibraryBuilder::writeTexts() {
  return success(
      succeeded(write(facts.name + ".h", libraryHeader(facts))) &&
      succeeded(write(facts.name + ".json", describeLibrary(facts))) &&
      succeeded(write(facts.name + "-config.cmake",
                      cmakePackage(facts, path::filename(file.path)))));
}

FailureOr<std::string> LibraryBuilder::build() {
  auto isOurs = [&](StringRef name) {
    return isOfRuntime(name) ||
           (device && llvm::is_contained(device->functions, name));
  };
  if (failed(checkModel()) || failed(gatherFacts()) || failed(readRuntime()) ||
      failed(checkSymbols(code.object, isOurs, where, sink)))
    return failure();
  uint64_t hash = 0;
  if (file.weightsBeside) {
    auto written = weights.writeFile(place(facts.weightsFile), where, sink);
    if (failed(written))
      return failure();
    hash = *written;
  }
  auto object =
      modelObject(facts, code.abi, weights, hash, *machine, where, sink);
  if (failed(object))
    return failure();
  model = std::move(*object);
  FailureOr<std::string> shared = linkShared();
  if (failed(shared) || failed(writeTexts()) ||
      (isStatic() && failed(writeArchive())))
    return failure();
  return shared;
}

FailureOr<std::string>
lh::buildLibrary(const CompiledCode &code, const LibraryFile &file,
                 const TargetSpec &target, const LibraryDevice *device,
                 const HostFacts &host, StringRef folder,
                 const SourceSpan &where, DiagnosticSink &sink) {
  return LibraryBuilder(code, file, target, device, host, folder, where, sink)
      .build();
}
