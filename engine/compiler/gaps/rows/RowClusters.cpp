// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds clusters from their last op upwards.
#include "compiler/gaps/rows/RowClusters.h"

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/sparse/SparseArguments.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CastInterfaces.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// More than any normalization has; what is beyond gets a loop of its own.
static constexpr size_t maxMembers = 32;

/// Per loop of an op: the root's loop that it is, or none.
using LoopImage = SmallVector<std::optional<unsigned>>;

static bool isPlainMap(AffineMap map) { return map.isProjectedPermutation(); }

/// One whose loops are told apart by plain maps. Where nothing is computed,
/// there are no rows to cut into blocks; rows of what isn't stored are the
/// sparsifier's.
static bool hasPlainLoops(Operation *op) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() &&
         !llvm::is_contained(linalgOp.getStaticLoopRanges(), 0) &&
         linalgOp.getNumDpsInits() == 1 && linalgOp.getNumLoops() > 0 &&
         isa<linalg::GenericOp, linalg::FillOp>(op) && !hasSparseOperand(op) &&
         llvm::all_of(linalgOp.getIndexingMapsArray(), isPlainMap);
}

/// One that a loop over rows can hold.
static bool canJoin(Operation *op) {
  return hasPlainLoops(op) &&
         !linalg::isaContractionOpInterface(cast<LinalgOp>(op)) &&
         !op->hasAttr(turnMark) && !op->hasAttr(outerMark);
}

bool lh::isElementwiseRowOp(Operation *op) {
  return canJoin(op) && isa<linalg::GenericOp>(op) &&
         cast<LinalgOp>(op).getNumReductionLoops() == 0;
}

bool lh::computes(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && llvm::any_of(generic.getBody()->without_terminator(),
                                 [](Operation &each) {
                                   return !isa<CastOpInterface>(each);
                                 });
}

bool lh::gathers(LinalgOp op) {
  return !op.getBlock()->getOps<tensor::ExtractOp>().empty();
}

bool lh::turnsRows(AffineMap map) {
  unsigned loops = map.getNumDims();
  return loops > 0 && map.isPermutation() &&
         map.getDimPosition(loops - 1) != loops - 1;
}

bool lh::scatters(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 || computes(op))
    return false;
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  return maps[0].isPermutation() && maps[1].isPermutation() &&
         maps[0].getResults().back() != maps[1].getResults().back();
}

/// Which of the root's loops a producer's loops are, when `consumer` reads it
/// through `operand`.
static LoopImage imageOfProducer(OpOperand &operand, const LoopImage &consumer,
                                 LinalgOp producer) {
  auto owner = cast<LinalgOp>(operand.getOwner());
  AffineMap read = owner.getMatchingIndexingMap(&operand);
  AffineMap written =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  LoopImage image(producer.getNumLoops());
  for (unsigned i = 0; i < read.getNumResults(); ++i)
    image[written.getDimPosition(i)] = consumer[read.getDimPosition(i)];
  return image;
}

static bool reaches(const LoopImage &image, unsigned rootLoop) {
  return llvm::is_contained(image, std::optional<unsigned>(rootLoop));
}

/// Whether a cluster may have the op as a member.
using MayJoin = llvm::function_ref<bool(Operation *)>;

/// The root and what is computed with it, last one first, with its loops.
using Members = llvm::MapVector<Operation *, LoopImage>;

/// A producer is computed once per row, and everyone else who reads it comes
/// after the loop, which stands where the root stood.
static bool joins(LinalgOp producer, const LoopImage &image,
                  ArrayRef<bool> tiled, const Members &members) {
  for (auto [loop, isTiled] : llvm::enumerate(tiled))
    if (isTiled && !reaches(image, static_cast<unsigned>(loop)))
      return false;
  Operation *root = members.front().first;
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    if (members.contains(user))
      return true;
    Operation *atLevel = root->getBlock()->findAncestorOpInBlock(*user);
    return !atLevel || root->isBeforeInBlock(atLevel);
  });
}

/// Which of the root's loops an op's loops are for all its users among the
/// members; none at all when it has no such user.
static std::optional<LoopImage> commonImage(LinalgOp op,
                                            const Members &members) {
  std::optional<LoopImage> image;
  for (OpOperand &use : op->getUses()) {
    auto found = members.find(use.getOwner());
    if (found == members.end())
      continue;
    LoopImage seen = imageOfProducer(use, found->second, op);
    if (!image)
      image = seen;
    for (auto [loop, other] : llvm::zip_equal(*image, seen))
      if (loop != other)
        loop.reset();
  }
  return image;
}

/// Whether the loops over rows would cut the rows themselves that an op
/// gathers, which it reads as a whole, or number by number.
static bool cutsGathered(Operation *op, const LoopImage &image,
                         ArrayRef<bool> tiled) {
  return gathers(cast<LinalgOp>(op)) && image.back() && tiled[*image.back()];
}

/// Everything that may be computed with the root when `tiled` loops are rows.
/// A fixed point over program order, last one first: an op's users have all
/// been judged before it.
static Members collect(LinalgOp root, ArrayRef<bool> tiled, MayJoin mayJoin) {
  Members members;
  auto loops = llvm::seq<unsigned>(root.getNumLoops());
  members.insert({root, LoopImage(loops.begin(), loops.end())});
  if (scatters(root))
    return members;
  for (Operation *op = root->getPrevNode(); op; op = op->getPrevNode()) {
    if (members.size() >= maxMembers || !mayJoin(op) || scatters(op))
      continue;
    std::optional<LoopImage> image = commonImage(cast<LinalgOp>(op), members);
    if (image && joins(cast<LinalgOp>(op), *image, tiled, members) &&
        !cutsGathered(op, *image, tiled))
      members.insert({op, *image});
  }
  return members;
}

static bool reduces(const std::pair<Operation *, LoopImage> &member) {
  return cast<LinalgOp>(member.first).getNumReductionLoops() > 0;
}

/// The root's loops that every reduction on the way keeps, but for reductions
/// that would leave none; without any, all parallel loops but the innermost.
static SmallVector<bool> loopsOfRows(LinalgOp root, MayJoin mayJoin) {
  SmallVector<bool> tiled = llvm::map_to_vector(root.getIteratorTypesArray(),
                                                linalg::isParallelIterator);
  SmallVector<bool> anything(tiled.size(), false);
  Members members = collect(root, anything, mayJoin);
  if (llvm::none_of(members, reduces))
    tiled.back() = false;
  for (const auto &member : llvm::drop_begin(members)) {
    if (!reduces(member))
      continue;
    SmallVector<bool> kept = tiled;
    for (auto [loop, isKept] : llvm::enumerate(kept))
      isKept = isKept && reaches(member.second, static_cast<unsigned>(loop));
    if (llvm::is_contained(kept, true))
      tiled = kept;
  }
  return tiled;
}

/// Flattening is better for a lone elementwise op on operands of one shape.
static bool isWorthwhile(LinalgOp root, const Members &members, bool sumsOnly) {
  return llvm::any_of(members, reduces) ||
         (!sumsOnly &&
          !llvm::all_of(root.getIndexingMapsArray(),
                        [](AffineMap map) { return map.isIdentity(); }));
}

static RowCluster clusterOf(const Members &members, ArrayRef<bool> tiled) {
  RowCluster cluster;
  cluster.root = cast<LinalgOp>(members.front().first);
  cluster.tiled.assign(tiled.begin(), tiled.end());
  for (const auto &member : llvm::reverse(llvm::drop_begin(members)))
    cluster.members.push_back(cast<LinalgOp>(member.first));
  return cluster;
}

RowCluster lh::findRowCluster(LinalgOp root, ArrayRef<bool> tiled,
                              ArrayRef<LinalgOp> contractions) {
  auto mayJoin = [&](Operation *op) {
    return canJoin(op) ||
           (hasPlainLoops(op) &&
            llvm::is_contained(contractions, cast<LinalgOp>(op)));
  };
  return clusterOf(collect(root, tiled, mayJoin), tiled);
}

SmallVector<RowCluster> lh::findRowClusters(Block &block, bool sumsOnly) {
  SmallVector<RowCluster> clusters;
  llvm::DenseSet<Operation *> taken;
  auto mayJoin = [&](Operation *op) {
    return canJoin(op) && !taken.contains(op);
  };
  for (Operation &op : llvm::reverse(block)) {
    if (!mayJoin(&op) || isa<linalg::FillOp>(op))
      continue;
    auto root = cast<LinalgOp>(&op);
    SmallVector<bool> tiled = loopsOfRows(root, mayJoin);
    Members members = collect(root, tiled, mayJoin);
    if (!llvm::is_contained(tiled, true) ||
        !isWorthwhile(root, members, sumsOnly))
      continue;
    for (const auto &member : members)
      taken.insert(member.first);
    clusters.push_back(clusterOf(members, tiled));
  }
  return clusters;
}
