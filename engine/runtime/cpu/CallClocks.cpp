// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the clock round the outermost loop nests of an entry.
#include "runtime/cpu/CallClocks.h"

#include "compiler/session/Inspect.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {
/// Which of several looks at one place comes first.
enum class Turn { Entry, EndOfNest, EndOfOthers };

/// Where a piece ends: before this operation.
struct Look {
  mlir::Operation *before;
  size_t piece;
  Turn turn;
};

class ClockAdder {
public:
  ClockAdder(mlir::LLVM::LLVMFuncOp entry, bool onX86)
      : entry(entry), module(entry->getParentOfType<mlir::ModuleOp>()),
        onX86(onX86) {}

  std::vector<ProfiledPiece> run();

private:
  /// A node's operations in a piece: as the text has them, and with those in
  /// inner loops counted more often.
  struct Count {
    int64_t code = 0, work = 0;
  };
  using OriginCounts = std::map<std::string, Count>;

  void countOrigins(mlir::Operation *op, OriginCounts &counts,
                    unsigned depth = 0);
  size_t addPiece(bool isNest, const OriginCounts &origins);
  void lookRoundLoops();
  void lookRoundThreads(mlir::Block &block);
  size_t straightPiece(mlir::Block *block);
  void emit();
  mlir::LLVM::LLVMFuncOp makeLook(mlir::OpBuilder &builder);

  mlir::LLVM::LLVMFuncOp entry;
  mlir::ModuleOp module;
  bool onX86;
  std::vector<ProfiledPiece> pieces;
  std::vector<Look> looks;
  llvm::DenseSet<mlir::Block *> inLoops;
  llvm::DenseMap<mlir::Block *, size_t> straight; ///< pieces that aren't nests
};
} // namespace

/// How often a loop's body is taken to run: a product's loop over k is a line
/// of code beside a long epilogue, and yet has most to do.
static constexpr unsigned tripsLog2 = 3, deepest = 10;

/// Counts, by what they come from, the operations in and under `op`, which is
/// so many loops deep in the piece. Constants are shared by nodes, and what
/// comes from the model as a whole is no node's.
void ClockAdder::countOrigins(mlir::Operation *op, OriginCounts &counts,
                              unsigned depth) {
  int64_t work = int64_t(1) << tripsLog2 * std::min(depth, deepest);
  op->walk([&](mlir::Operation *inner) {
    if (inner->getNumOperands() == 0 || inner->getLoc() == entry.getLoc())
      return;
    for (const std::string &origin : originsOf(inner->getLoc())) {
      ++counts[origin].code;
      counts[origin].work += work;
    }
  });
}

/// A node that has less of a piece's code or work, as a share of what the node
/// with most has, isn't named: equal ops of several nodes (zeros, padding)
/// become one.
static constexpr double leastOfCode = 0.1;

size_t ClockAdder::addPiece(bool isNest, const OriginCounts &origins) {
  llvm::SmallVector<std::pair<std::string, Count>> sorted(origins.begin(),
                                                          origins.end());
  llvm::stable_sort(sorted, [](const auto &one, const auto &other) {
    return one.second.work > other.second.work;
  });
  Count most;
  for (const auto &[name, count] : sorted) {
    most.code = std::max(most.code, count.code);
    most.work = std::max(most.work, count.work);
  }
  auto isPart = [](int64_t count, int64_t most) {
    return static_cast<double>(count) >=
           leastOfCode * static_cast<double>(most);
  };
  ProfiledPiece piece;
  piece.isNest = isNest;
  for (const auto &[name, count] : sorted)
    if (isPart(count.code, most.code) || isPart(count.work, most.work))
      piece.nodes.push_back(name);
  pieces.push_back(std::move(piece));
  return pieces.size() - 1;
}

/// What stands in a block outside of loops, as one piece.
size_t ClockAdder::straightPiece(mlir::Block *block) {
  auto [found, isNew] = straight.try_emplace(block);
  if (!isNew)
    return found->second;
  OriginCounts origins;
  for (mlir::Operation &op : *block)
    if (op.getNumRegions() == 0)
      countOrigins(&op, origins);
  return straight[block] = addPiece(/*isNest=*/false, origins);
}

void ClockAdder::lookRoundLoops() {
  if (entry.getBody().hasOneBlock())
    return; // and no tree of dominance
  mlir::DominanceInfo dominance(entry);
  mlir::CFGLoopInfo loops(dominance.getDomTree(&entry.getBody()));
  for (mlir::CFGLoop *loop : loops.getTopLevelLoops())
    for (mlir::Block *block : loop->getBlocks())
      inLoops.insert(block);
  for (mlir::CFGLoop *loop : llvm::reverse(loops.getTopLevelLoops())) {
    llvm::SmallVector<mlir::Block *> exits;
    loop->getUniqueExitBlocks(exits);
    mlir::Block *before = loop->getLoopPredecessor();
    // A look at the exit must not be one at another loop's beginning, too.
    if (!before || llvm::any_of(exits, [&](mlir::Block *exit) {
          return inLoops.contains(exit);
        }))
      continue;
    OriginCounts origins;
    for (mlir::Block *block : loop->getBlocks())
      for (mlir::Operation &op : *block)
        countOrigins(&op, origins, loops.getLoopDepth(block) - 1);
    looks.push_back(
        {before->getTerminator(), straightPiece(before), Turn::EndOfOthers});
    size_t nest = addPiece(/*isNest=*/true, origins);
    for (mlir::Block *exit : exits)
      looks.push_back({&exit->front(), nest, Turn::EndOfNest});
  }
}

/// Regions of threads (omp.parallel) are operations of a block.
void ClockAdder::lookRoundThreads(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    if (op.getNumRegions() == 0)
      continue;
    OriginCounts origins;
    countOrigins(&op, origins);
    looks.push_back({&op, straightPiece(&block), Turn::EndOfOthers});
    looks.push_back({op.getNextNode(), addPiece(/*isNest=*/true, origins),
                     Turn::EndOfNest});
  }
}

/// void lh_look(counter): adds what has passed since the last look.
mlir::LLVM::LLVMFuncOp ClockAdder::makeLook(mlir::OpBuilder &b) {
  namespace LLVM = mlir::LLVM;
  mlir::Location loc = entry.getLoc();
  mlir::Type number = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto counters = LLVM::LLVMArrayType::get(
      number, static_cast<unsigned>(pieces.size()) + 2);
  b.setInsertionPointToStart(module.getBody());
  auto all = LLVM::GlobalOp::create(b, loc, counters, /*isConstant=*/false,
                                    LLVM::Linkage::External, clocksName,
                                    mlir::Attribute());
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.createBlock(&all.getInitializerRegion());
    LLVM::ReturnOp::create(b, loc,
                           LLVM::ZeroOp::create(b, loc, counters).getResult());
  }
  auto look = LLVM::LLVMFuncOp::create(
      b, loc, "lh_look",
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {number}),
      LLVM::Linkage::Internal);
  b.setInsertionPointToStart(look.addEntryBlock(b));
  mlir::Value first = LLVM::AddressOfOp::create(b, loc, all);
  auto place = [&](LLVM::GEPArg index) -> mlir::Value {
    return LLVM::GEPOp::create(b, loc, pointer, number, first, {index});
  };
  auto read = [&](mlir::Value from) -> mlir::Value {
    return LLVM::LoadOp::create(b, loc, number, from);
  };
  mlir::Value now = LLVM::CallIntrinsicOp::create(
                        b, loc, number,
                        b.getStringAttr(onX86 ? "llvm.readcyclecounter"
                                              : "llvm.readsteadycounter"),
                        mlir::ValueRange())
                        .getResult(0);
  mlir::Value last = place(static_cast<int32_t>(pieces.size()) + 1);
  mlir::Value own = place(look.getArgument(0));
  mlir::Value passed = LLVM::SubOp::create(b, loc, now, read(last));
  LLVM::StoreOp::create(b, loc, LLVM::AddOp::create(b, loc, read(own), passed),
                        own);
  LLVM::StoreOp::create(b, loc, now, last);
  LLVM::ReturnOp::create(b, loc, mlir::ValueRange());
  return look;
}

void ClockAdder::emit() {
  mlir::OpBuilder builder(module.getContext());
  mlir::LLVM::LLVMFuncOp look = makeLook(builder);
  for (const Look &each : looks) {
    builder.setInsertionPoint(each.before);
    mlir::Location loc = entry.getLoc();
    mlir::Value counter = mlir::LLVM::ConstantOp::create(
        builder, loc, builder.getI64Type(),
        builder.getI64IntegerAttr(static_cast<int64_t>(each.piece)));
    mlir::LLVM::CallOp::create(builder, loc, look, counter);
  }
}

std::vector<ProfiledPiece> ClockAdder::run() {
  lookRoundLoops();
  for (mlir::Block &block : entry.getBody())
    if (!inLoops.contains(&block))
      lookRoundThreads(block);
  if (looks.empty())
    return {};
  for (mlir::Block &block : entry.getBody())
    if (block.hasNoSuccessors())
      looks.push_back(
          {block.getTerminator(), straightPiece(&block), Turn::EndOfOthers});
  // Time outside of the entry is nobody's: the counter behind the pieces'.
  looks.push_back(
      {&entry.getBody().front().front(), pieces.size(), Turn::Entry});
  llvm::stable_sort(looks, [](const Look &one, const Look &other) {
    return one.turn < other.turn;
  });
  emit();
  return std::move(pieces);
}

std::vector<ProfiledPiece> lh::addClocks(mlir::ModuleOp module, StringRef entry,
                                         bool onX86) {
  auto function = module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(entry);
  if (!function || function.isExternal())
    return {};
  return ClockAdder(function, onX86).run();
}
