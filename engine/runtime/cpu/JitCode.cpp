// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one file that includes LLJIT.
#include "runtime/cpu/JitCode.h"

#include "runtime/cpu/AllowedSymbols.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace lh;
namespace orc = llvm::orc;

JitCode::JitCode() = default;
JitCode::~JitCode() = default;

namespace {
/// Collects what ORC reports on the side: names it couldn't resolve, and the
/// text of everything else.
struct LinkErrors {
  std::set<std::string> unresolved;
  std::string text;

  void add(llvm::Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [&](const orc::SymbolsNotFound &missing) {
          for (const orc::SymbolStringPtr &name : missing.getSymbols())
            unresolved.insert((*name).str());
        },
        [](const orc::FailedToMaterialize &) {}, // follows from the others
        [&](const llvm::ErrorInfoBase &other) {
          text += (text.empty() ? "" : "; ") + other.message();
        });
  }

  LogicalResult report(const SourceSpan &where, DiagnosticSink &sink) const {
    if (unresolved.empty())
      return sink.error(DiagKind::BackendCompileFailed, where,
                        "the compiled code can't be loaded: " +
                            (text.empty() ? "no reason is known" : text));
    std::string names;
    for (const std::string &name : unresolved)
      names += (names.empty() ? "'" : ", '") + name + "'";
    return sink.error(DiagKind::BackendUnresolvedSymbol, where,
                      "the compiled code calls " + names +
                          ", which neither the engine nor a library loaded "
                          "here has");
  }
};
} // namespace

static llvm::Expected<std::unique_ptr<orc::LLJIT>> createJit() {
  // The default dispatcher starts threads, after which a fork is not safe.
  auto control = orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control)
    return control.takeError();
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  return orc::LLJITBuilder()
      .setExecutorProcessControl(std::move(*control))
      .setJITTargetMachineBuilder(std::move(*machine))
      .create();
}

static llvm::Error define(orc::LLJIT &jit, ArrayRef<RuntimeSymbol> runtime) {
  orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : runtime)
    symbols[jit.mangleAndIntern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

LogicalResult JitCode::link(std::string object, ArrayRef<RuntimeSymbol> runtime,
                            ArrayRef<std::string> entries,
                            const SourceSpan &where, DiagnosticSink &sink) {
  LinkErrors errors;
  auto created = createJit();
  if (!created) {
    errors.add(created.takeError());
    return errors.report(where, sink);
  }
  jit = std::move(*created);
  orc::ExecutionSession &session = jit->getExecutionSession();
  session.setErrorReporter(
      [&](llvm::Error failed) { errors.add(std::move(failed)); });
  llvm::Error error = define(*jit, runtime);
  if (!error)
    error = jit->addObjectFile(
        llvm::MemoryBuffer::getMemBufferCopy(object, "lh.o"));
  for (size_t i = 0; !error && i < entries.size(); ++i) {
    auto address = jit->lookup(entries[i]);
    if (!address)
      error = address.takeError();
    else
      addresses.push_back(address->toPtr<void *>());
  }
  bool good = !error;
  errors.add(std::move(error));
  // `errors` goes away; what could still come is of no interest.
  session.setErrorReporter(
      [](llvm::Error late) { consumeError(std::move(late)); });
  return good ? success() : errors.report(where, sink);
}

FailureOr<std::unique_ptr<JitCode>>
JitCode::load(std::string object, ArrayRef<RuntimeSymbol> runtime,
              ArrayRef<std::string> entries, const SourceSpan &where,
              DiagnosticSink &sink) {
  auto isOurs = [&](StringRef name) {
    return llvm::any_of(runtime, [&](const RuntimeSymbol &symbol) {
      return symbol.name == name;
    });
  };
  auto code = std::make_unique<JitCode>();
  if (failed(checkSymbols(object, isOurs, where, sink)) ||
      failed(code->link(std::move(object), runtime, entries, where, sink)))
    return failure();
  return code;
}
