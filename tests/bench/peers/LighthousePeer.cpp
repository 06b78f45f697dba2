// lh-run's code: a lowered module, compiled and loaded as `execute:` does it.
#include "Worker.h"

#include "backend/HostFacts.h"
#include "backend/WeightFiles.h"
#include "backend/cpu/Arena.h"
#include "backend/cpu/CodeGeneration.h"
#include "backend/cpu/JitCode.h"
#include "backend/cpu/PackedEntry.h"
#include "backend/cpu/TargetMachine.h"
#include "backend/cpu/Translation.h"
#include "ir/MlirSession.h"
#include "manifest/ManifestParser.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>

using namespace peers;

namespace {
/// Diagnostics become the reason why there is nothing to measure.
class Complaints : public lh::CollectingSink {
public:
  [[noreturn]] void raise() const {
    std::string text = "lh-run's code:";
    for (const lh::Diagnostic &diagnostic : diagnostics())
      text += " " + diagnostic.message;
    throw Unusable(text);
  }
  template <typename T> T take(lh::FailureOr<T> result) const {
    if (lh::failed(result))
      raise();
    return std::move(*result);
  }
};

using Packed = void (*)(void **);

/// MLIR descriptors of buffers: allocated, aligned, offset, sizes, strides.
class Arguments {
public:
  void add(const void *bytes, lh::ArrayRef<int64_t> shape);
  void call(Packed function) { function(pointers.data()); }

private:
  std::vector<std::unique_ptr<int64_t[]>> descriptors;
  std::vector<void *> pointers;
};

/// Loaded code with everything it refers to.
struct Loaded {
  lh::ModuleAbi abi;
  lh::Arena arena; // after the code: its allocator refers to the arena
  std::unique_ptr<lh::JitCode> code;
  lh::WeightFiles weights;
  std::vector<lh::Tensor> prepared;
  Arguments arguments;
};
} // namespace

void Arguments::add(const void *bytes, lh::ArrayRef<int64_t> shape) {
  size_t rank = shape.size();
  auto descriptor = std::make_unique<int64_t[]>(3 + 2 * rank);
  auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(bytes));
  descriptor[0] = descriptor[1] = address;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= shape[i]) {
    descriptor[3 + i] = shape[i];
    descriptor[3 + rank + i] = stride;
  }
  pointers.push_back(descriptor.get());
  descriptors.push_back(std::move(descriptor));
}

static std::string textOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    throw Unusable(path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// The same steps as CpuBackend::compile, which keeps the code to itself.
static void compile(const Work &work, Loaded &loaded, Complaints &sink) {
  const std::string &modulePath = work.option("module");
  const std::string &targetPath = work.option("target");
  lh::MlirSession session;
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(modulePath, &session.context());
  if (!module)
    throw Unusable(modulePath + " is no MLIR module");
  lh::SourceSpan where{modulePath, 1, 1};
  lh::TargetSpec target =
      sink.take(lh::parseTarget(textOf(targetPath), targetPath, sink));
  auto machine =
      sink.take(lh::makeTargetMachine(target, lh::detectHost(), sink));
  loaded.abi = sink.take(lh::readEntryAbi(*module, "main", where, sink));
  lh::TranslatedModule translated =
      sink.take(lh::translateForTarget(*module, *machine, target, where, sink));
  std::vector<std::string> entries{lh::packedName("main")};
  std::vector<const lh::EntryAbi *> abis{&loaded.abi.entry};
  if (loaded.abi.prepare) {
    abis.push_back(&*loaded.abi.prepare);
    entries.push_back(lh::packedName(abis.back()->name));
  }
  for (const lh::EntryAbi *abi : abis)
    if (lh::failed(lh::addPackedEntry(*translated.module, *abi, where, sink)))
      sink.raise();
  lh::bindAllocator(*translated.module, loaded.arena);
  lh::internalizeAllButPacked(*translated.module);
  lh::optimizeModule(*translated.module, *machine);
  std::string object = sink.take(lh::generateCode(
      *translated.module, *machine, lh::CodeForm::Object, where, sink));
  loaded.code = sink.take(lh::JitCode::load(
      std::move(object), lh::runtimeSymbols(), entries, where, sink));
}

static const std::byte *weight(Loaded &loaded, const lh::EntryArgument &of,
                               Complaints &sink) {
  return sink.take(loaded.weights.bind(of, 64, {"weights", 1, 1}, sink));
}

static void requireOutParameters(const lh::EntryAbi &abi) {
  if (abi.convention != lh::EntryConvention::OutParams)
    throw Unusable("lh-run's code: '" + abi.name +
                   "' returns its results; only static shapes are measured");
}

static void prepare(Loaded &loaded, Complaints &sink) {
  if (!loaded.abi.prepare)
    return;
  const lh::EntryAbi &abi = *loaded.abi.prepare;
  requireOutParameters(abi);
  Arguments arguments;
  for (const lh::EntryArgument &argument : abi.arguments)
    arguments.add(weight(loaded, argument, sink), argument.tensor.shape);
  for (const lh::TensorSignature &result : abi.results) {
    lh::Tensor &tensor =
        loaded.prepared.emplace_back(result.dtype, result.shape);
    arguments.add(tensor.data(), result.shape);
  }
  arguments.call(reinterpret_cast<Packed>(loaded.code->entry(1)));
}

/// The argument's bytes; inputs that aren't named by the work are an error.
static const void *bytesOf(const lh::EntryArgument &argument, Loaded &loaded,
                           const Work &work, Complaints &sink) {
  if (argument.role == lh::ArgumentRole::Weight)
    return weight(loaded, argument, sink);
  if (argument.role == lh::ArgumentRole::Prepared)
    return loaded.prepared.at(argument.preparedIndex).data();
  for (const Operand &input : work.inputs)
    if (input.name == argument.tensor.name &&
        input.shape == argument.tensor.shape)
      return input.bytes.get();
  throw Unusable("lh-run's code takes '" + argument.tensor.name +
                 "', which isn't given in that shape");
}

static std::vector<Operand> bindArguments(Loaded &loaded, const Work &work,
                                          Complaints &sink) {
  const lh::EntryAbi &abi = loaded.abi.entry;
  requireOutParameters(abi);
  for (const lh::EntryArgument &argument : abi.arguments)
    loaded.arguments.add(bytesOf(argument, loaded, work, sink),
                         argument.tensor.shape);
  if (abi.results.size() != work.outputs.size())
    throw Unusable("lh-run's code gives another number of results");
  std::vector<Operand> outputs;
  for (size_t i = 0; i < abi.results.size(); ++i) {
    Operand output = unwritten(work.outputs[i]);
    if (output.shape != abi.results[i].shape)
      throw Unusable("lh-run's code gives '" + output.name + "' another shape");
    loaded.arguments.add(output.bytes.get(), output.shape);
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  Complaints sink;
  auto loaded = std::make_shared<Loaded>();
  compile(work, *loaded, sink);
  prepare(*loaded, sink);
  std::vector<Operand> outputs = bindArguments(*loaded, work, sink);
  auto function = reinterpret_cast<Packed>(loaded->code->entry(0));
  return {{work.option("label"),
           [loaded, function] { loaded->arguments.call(function); }, outputs}};
}
