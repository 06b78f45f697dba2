// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compiles a module for a kind of device, and the code it yields.
#ifndef LH_RUNTIME_ABI_BACKEND_H
#define LH_RUNTIME_ABI_BACKEND_H

#include "core/manifest/Manifest.h"
#include "core/plan/ArithmeticCount.h"
#include "core/plan/CallProfile.h"
#include "core/plan/Plan.h"
#include "runtime/abi/DeviceChoice.h"
#include "runtime/abi/EntryAbi.h"

#include <memory>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

struct RunOptions {
  /// 0: one run, not timed. N: that run, one warm-up and N timed runs. The
  /// first finds its memory poisoned and fenced, and its results are the
  /// output; the last timed run must give the same bits.
  unsigned repeat = 0;
  SourceSpan where;
  /// The point of the target's sweep, for machines that are started for a run.
  std::map<std::string, Value> sweepPoint = {};
  /// Where an emulated run writes how often each piece of the code ran
  /// (runner/CountedCode.h); "": nowhere.
  std::string countsFile = {};
  /// Whether results must be the same whatever memory held before
  /// (WrittenCheck.h).
  bool checksWritten = false;
  /// The code is the payload as it stands: what it leaves undefined is the
  /// payload's fault.
  bool isReference = false;
};

struct RunOutput {
  std::vector<NamedTensor> outputs;
  std::vector<double> seconds; ///< per timed run
  size_t peakBytes = 0;        ///< that the code had allocated at once
  size_t leakedBytes = 0;      ///< that one run didn't free
  /// Blocks of memory that the timed runs took from the system: what the code
  /// allocates, it finds where the warm-up has left it.
  size_t freshBlocks = 0;
};

/// An entry with its inputs, to be called again and again. Borrows both.
class BoundCall {
public:
  virtual ~BoundCall() = default;

  /// Calls it so often and does nothing else but free what a call returned.
  /// Fails with a diagnostic when the code gives up.
  virtual LogicalResult call(uint64_t count, DiagnosticSink &sink) = 0;

  /// Calls it once more: the results must be `expected`'s, bit for bit, and no
  /// input may have been written to by then.
  virtual LogicalResult check(ArrayRef<NamedTensor> expected,
                              DiagnosticSink &sink) = 0;

  /// Whether another process makes the calls.
  virtual bool callsElsewhere() const { return false; }

  /// What the last call() took by the clock of the device that did it; nothing
  /// where the host's clock says it.
  virtual std::optional<double> deviceSeconds() const { return std::nullopt; }

  /// What one call must read: the inputs, and the weights as they came,
  /// before any preparation. The outputs come on top.
  virtual uint64_t bytesRead() const = 0;
};

/// An entry once more, with clocks in it.
struct ClockedCode {
  std::string object;
  std::vector<ProfiledPiece> pieces; ///< that its clocks tell apart
};

/// Loaded code with the weights it needs.
class Executable {
public:
  virtual ~Executable() = default;

  virtual const EntryAbi &signature() const = 0;

  /// Binds the weights to their files and runs `@prepare`, if there is one.
  /// Once, before the first run; it may precede a fork.
  virtual LogicalResult prepare(DiagnosticSink &sink) = 0;

  /// Checks `inputs` and runs the entry. The tensors are not changed.
  virtual FailureOr<RunOutput> run(ArrayRef<NamedTensor> inputs,
                                   const RunOptions &options,
                                   DiagnosticSink &sink) = 0;

  /// What one call of the entry computes, by its code with counters in it, a
  /// build of its own; nothing where there is none.
  virtual FailureOr<std::optional<ArithmeticCount>>
  countArithmetic(ArrayRef<NamedTensor> /*inputs*/,
                  const SourceSpan & /*where*/, DiagnosticSink & /*sink*/) {
    return std::optional<ArithmeticCount>();
  }

  /// Where the time of a call goes, by `clocked`, made of the same module;
  /// after prepare(). Nothing where clocks can't be read.
  virtual FailureOr<std::optional<CallProfile>>
  profile(const ClockedCode & /*clocked*/, ArrayRef<NamedTensor> /*inputs*/,
          const SourceSpan & /*where*/, DiagnosticSink & /*sink*/) {
    return std::optional<CallProfile>();
  }

  /// The same entry on the same inputs without run()'s checks of each call.
  virtual FailureOr<std::unique_ptr<BoundCall>>
  bind(ArrayRef<NamedTensor> inputs, const SourceSpan &where,
       DiagnosticSink &sink) = 0;

  /// Whether a copy of a process that has called run() can bind(): a driver's
  /// state is lost in a fork.
  virtual bool survivesFork() const { return true; }
};

/// A shared library that code calls.
struct KernelLibrary {
  std::string path;  ///< where it lies; empty: it is in `bytes`
  std::string bytes; ///< ELF
  std::vector<std::string> functions; ///< that the code may call
};

/// What compiling a module yields: all that it takes to run it.
struct CompiledCode {
  std::string object;
  ModuleAbi abi;
  /// It calls the runtime of threads.
  bool usesThreads = false;
  /// It calls the system's library of vector functions.
  bool usesVectorLibrary = false;
  /// The entry once more, with counters (cpu/CountingBuild.h); empty: none.
  std::string countingObject = {};
  std::vector<KernelLibrary> libraries = {};
};

/// What code is generated for, beside its runs.
struct CodeUse {
  bool counts = false; ///< also with code that counts its arithmetic
  /// It becomes a part of this library (libraryName()); empty: of none.
  std::string library = {};
};

class Backend {
public:
  virtual ~Backend() = default;

  /// The word in a target's `backend:`.
  virtual StringRef name() const = 0;

  /// Why code for `target` can't run on this machine; empty when it can.
  virtual std::string unavailableReason(const TargetSpec &target) const = 0;

  /// How results of code for `target` are labelled that doesn't run on the
  /// target's own hardware: "simulated", or "software" for a device of Vulkan's
  /// on a CPU; else empty.
  virtual std::string deviceLabel(const TargetSpec &) const { return ""; }

  /// Compiles `module`, in the LLVM dialect with `lh.abi`, for this process or
  /// one that it starts. `where` is what its diagnostics point to. Neither is
  /// kept.
  virtual FailureOr<CompiledCode> generate(mlir::ModuleOp module,
                                           const TargetSpec &target,
                                           StringRef entry, const CodeUse &use,
                                           const SourceSpan &where,
                                           DiagnosticSink &sink) const = 0;

  /// Compiles `module` with clocks round its loop nests, for
  /// Executable::profile(); nothing where that can't be.
  virtual FailureOr<std::optional<ClockedCode>>
  generateClocked(mlir::ModuleOp module, const TargetSpec &target,
                  StringRef entry, const SourceSpan &where,
                  DiagnosticSink &sink) const;

  /// Loads what generate() made for this target, in this process or another of
  /// the same program for which codeFacts() are the same.
  virtual FailureOr<std::unique_ptr<Executable>>
  load(CompiledCode code, const TargetSpec &target, const SourceSpan &where,
       DiagnosticSink &sink) const = 0;

  /// Builds a library of what generate() made for it, into `folder`, and loads
  /// that: what runs is what the user gets. Fails where the target has none.
  virtual FailureOr<std::unique_ptr<Executable>>
  loadLibrary(CompiledCode code, const LibraryFile &library, StringRef folder,
              const TargetSpec &target, const SourceSpan &where,
              DiagnosticSink &sink) const;

  /// What the code for `target` depends on beyond the module and the target:
  /// this machine, and the tools on it.
  virtual std::string codeFacts(const TargetSpec &target) const = 0;

  /// Compiles and loads.
  FailureOr<std::unique_ptr<Executable>>
  compile(mlir::ModuleOp module, const TargetSpec &target, StringRef entry,
          const SourceSpan &where, DiagnosticSink &sink) const;

  /// Why `format` can't be emitted; empty when it can. Not for Mlir, which is
  /// no backend's business.
  virtual std::string unsupportedFormat(EmitFormat format) const = 0;

  /// The module as text or bytes in `format`.
  virtual FailureOr<std::string>
  emit(mlir::ModuleOp module, const TargetSpec &target, EmitFormat format,
       const SourceSpan &where, DiagnosticSink &sink) const = 0;
};

/// The backends by name.
class BackendRegistry {
public:
  void add(std::unique_ptr<Backend> backend);
  /// Null when there is none of that name.
  const Backend *find(StringRef name) const;
  /// Like find(), with a diagnostic in the target's file.
  FailureOr<const Backend *> get(const TargetSpec &target,
                                 DiagnosticSink &sink) const;
  /// Why `target` can't run here, the lack of a backend included.
  std::string unavailableReason(const TargetSpec &target) const;
  /// As Backend::deviceLabel().
  std::string deviceLabel(const TargetSpec &target) const;

private:
  std::vector<std::unique_ptr<Backend>> backends;
};

} // namespace lh

#endif // LH_RUNTIME_ABI_BACKEND_H
