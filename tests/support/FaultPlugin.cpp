// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass plugin whose pass fails in the ways a step can fail; for tests only.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

/// `lh-test-fault{kind=crash|abort|fatal|exit|hang|memory|fail|invalid|once|slow|
/// print|fork|daemon|none}`; with `on=OP` only where the module has such an
/// operation.
struct FaultPass
    : mlir::PassWrapper<FaultPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FaultPass)

  FaultPass() = default;
  FaultPass(const FaultPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const final { return "lh-test-fault"; }
  llvm::StringRef getDescription() const final {
    return "fails in the way that 'kind' names";
  }

  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<mlir::LLVM::LLVMDialect, mlir::arith::ArithDialect,
                    mlir::scf::SCFDialect>();
  }

  void runOnOperation() override {
    if (!on.empty() && !holds(on))
      return;
    if (kind == "crash")
      std::raise(SIGSEGV);
    if (kind == "abort")
      std::abort();
    if (kind == "fatal")
      llvm::report_fatal_error("asked to fail fatally\x1b[2J");
    if (kind == "exit")
      std::exit(3);
    if (kind == "hang")
      std::this_thread::sleep_for(std::chrono::hours(1));
    if (kind == "memory")
      useMemory();
    if (kind == "fork" || kind == "daemon")
      leaveBehind(kind == "daemon");
    if (kind == "once" && std::ifstream(file).fail())
      spoil();
    if (kind == "slow")
      slowDown();
    if (kind == "print")
      print();
    if (kind == "invalid")
      makeInvalid();
    if (kind == "fail") {
      getOperation().emitError("asked to fail");
      signalPassFailure();
    }
  }

  /// To standard output in every way, with what a terminal acts on.
  static void print() {
    std::printf("by printf \x1b[31m\n");
    std::cout << "by cout \xc2\x9b\n";
    llvm::outs() << "by outs \xff\n";
    (void)!write(STDOUT_FILENO, "by write\r\n", 10);
    llvm::errs() << "by errs \x07\n";
  }

  /// A process that waits; a daemon has turned its back on this one.
  static void leaveBehind(bool daemon) {
    if (fork() != 0)
      return;
    if (daemon && (setsid() < 0 || fork() != 0))
      _exit(0);
    std::this_thread::sleep_for(std::chrono::minutes(10));
    _exit(0);
  }

  /// In front of each function's body, a loop that only takes time.
  void slowDown() {
    getOperation()->walk([](mlir::FunctionOpInterface function) {
      if (function.isExternal())
        return;
      auto builder =
          mlir::OpBuilder::atBlockBegin(&function.getFunctionBody().front());
      mlir::Location loc = function.getLoc();
      auto constant = [&](int64_t value) {
        return mlir::arith::ConstantIndexOp::create(builder, loc, value);
      };
      mlir::Value one = mlir::arith::ConstantIntOp::create(
          builder, loc, builder.getI64Type(), 1);
      mlir::Value place = mlir::LLVM::AllocaOp::create(
          builder, loc, mlir::LLVM::LLVMPointerType::get(builder.getContext()),
          builder.getI64Type(), one);
      auto loop = mlir::scf::ForOp::create(builder, loc, constant(0),
                                           constant(1 << 20), constant(1));
      builder.setInsertionPointToStart(loop.getBody());
      mlir::LLVM::StoreOp::create(builder, loc, one, place, /*alignment=*/0,
                                  /*isVolatile=*/true);
    });
  }

  /// Multiplications become additions; the file says that they did.
  void spoil() {
    std::ofstream(file) << "spoilt\n";
    getOperation().walk([](mlir::arith::MulFOp op) {
      mlir::OpBuilder builder(op);
      op.replaceAllUsesWith(mlir::arith::AddFOp::create(
                                builder, op.getLoc(), op.getLhs(), op.getRhs())
                                .getResult());
    });
  }

  /// Products of floats become indices.
  void makeInvalid() {
    getOperation().walk([](mlir::arith::MulFOp op) {
      op.getResult().setType(mlir::IndexType::get(op.getContext()));
    });
  }

  bool holds(llvm::StringRef name) {
    return getOperation()
        ->walk([&](mlir::Operation *operation) {
          return operation->getName().getStringRef() == name
                     ? mlir::WalkResult::interrupt()
                     : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  static void useMemory() {
    std::vector<char *> blocks;
    for (int i = 0; i < 1 << 14; ++i) {
      blocks.push_back(new char[1 << 24]);
      std::memset(blocks.back(), i, 1 << 24);
    }
  }

  Option<std::string> kind{*this, "kind", llvm::cl::desc("how to fail"),
                           llvm::cl::init("none")};
  Option<std::string> file{*this, "file",
                           llvm::cl::desc("'once': where there is none yet")};
  Option<std::string> on{*this, "on",
                         llvm::cl::desc("the operation that it fails on")};
};

} // namespace

/// With LH_TEST_LOADS_SLOWLY lh-run stays where it loads plugins.
static void registerFaults() {
  if (std::getenv("LH_TEST_LOADS_SLOWLY"))
    std::this_thread::sleep_for(std::chrono::minutes(10));
  mlir::PassRegistration<FaultPass>();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "LighthouseFaults", LLVM_VERSION_STRING,
          registerFaults};
}
