// Finds clusters from their last op upwards.
#include "compiler/gaps/rows/RowClusters.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// More than any normalization has; what is beyond gets a loop of its own.
static constexpr size_t maxMembers = 32;

/// Per loop of an op: the root's loop that it is, or none.
using LoopImage = SmallVector<std::optional<unsigned>>;

static bool isContraction(LinalgOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() > 1 &&
         linalg::isaContractionOpInterface(op);
}

static bool isPlainMap(AffineMap map) { return map.isProjectedPermutation(); }

/// Nothing is computed: there are no rows to cut into blocks.
static bool isEmpty(LinalgOp op) {
  return llvm::is_contained(op.getStaticLoopRanges(), 0);
}

/// One whose loops are told apart by plain maps.
static bool hasPlainLoops(Operation *op) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() && !isEmpty(linalgOp) &&
         linalgOp.getNumDpsInits() == 1 && linalgOp.getNumLoops() > 0 &&
         isa<linalg::GenericOp, linalg::FillOp>(op) &&
         llvm::all_of(linalgOp.getIndexingMapsArray(), isPlainMap);
}

/// One that a loop over rows can hold.
static bool isRowOp(Operation *op) {
  return hasPlainLoops(op) && !isContraction(cast<LinalgOp>(op)) &&
         !op->hasAttr(turnMark);
}

bool lh::isElementwiseRowOp(Operation *op) {
  return isRowOp(op) && isa<linalg::GenericOp>(op) &&
         cast<LinalgOp>(op).getNumReductionLoops() == 0;
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

namespace {
/// Collects one cluster, root first.
class ClusterFinder {
public:
  ClusterFinder(LinalgOp root, const llvm::DenseSet<Operation *> &taken,
                ArrayRef<LinalgOp> contractions = {}, bool sumsOnly = false)
      : root(root), taken(taken), contractions(contractions),
        sumsOnly(sumsOnly) {}

  std::optional<RowCluster> find();
  RowCluster findAlong(ArrayRef<bool> tiled);

private:
  using Members = llvm::MapVector<Operation *, LoopImage>;

  Members collect(ArrayRef<bool> tiled);
  static std::optional<LoopImage> commonImage(LinalgOp op,
                                              const Members &members);
  bool joins(LinalgOp producer, const LoopImage &image, ArrayRef<bool> tiled,
             const Members &members);
  SmallVector<bool> loopsOfRows();
  bool isWorthwhile(const Members &members);
  bool mayJoin(Operation *op) const;
  RowCluster clusterOf(const Members &members, ArrayRef<bool> tiled) const;

  LinalgOp root;
  const llvm::DenseSet<Operation *> &taken;
  /// Those that may be members.
  ArrayRef<LinalgOp> contractions;
  bool sumsOnly;
};
} // namespace

/// A producer is computed once per row, and everyone else who reads it comes
/// after the loop, which stands where the root stood.
bool ClusterFinder::joins(LinalgOp producer, const LoopImage &image,
                          ArrayRef<bool> tiled, const Members &members) {
  for (auto [loop, isTiled] : llvm::enumerate(tiled))
    if (isTiled && !reaches(image, static_cast<unsigned>(loop)))
      return false;
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    if (members.contains(user))
      return true;
    Operation *atLevel = root->getBlock()->findAncestorOpInBlock(*user);
    return !atLevel || root->isBeforeInBlock(atLevel);
  });
}

/// Which of the root's loops an op's loops are for all its users among the
/// members; none at all when it has no such user.
std::optional<LoopImage> ClusterFinder::commonImage(LinalgOp op,
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

bool ClusterFinder::mayJoin(Operation *op) const {
  if (taken.contains(op) || !hasPlainLoops(op))
    return false;
  return isRowOp(op) || llvm::is_contained(contractions, cast<LinalgOp>(op));
}

/// Everything that may be computed with the root when `tiled` loops are rows.
/// A fixed point over program order, last one first: an op's users have all
/// been judged before it.
ClusterFinder::Members ClusterFinder::collect(ArrayRef<bool> tiled) {
  Members members;
  LoopImage identity;
  for (unsigned i = 0; i < root.getNumLoops(); ++i)
    identity.push_back(i);
  members.insert({root, identity});
  for (Operation *op = root->getPrevNode(); op; op = op->getPrevNode()) {
    if (members.size() >= maxMembers || !mayJoin(op))
      continue;
    std::optional<LoopImage> image = commonImage(cast<LinalgOp>(op), members);
    if (image && joins(cast<LinalgOp>(op), *image, tiled, members))
      members.insert({op, *image});
  }
  return members;
}

/// The root's loops that every reduction on the way keeps, but for reductions
/// that would leave none; without any, all parallel loops but the innermost.
SmallVector<bool> ClusterFinder::loopsOfRows() {
  SmallVector<bool> tiled(root.getNumLoops(), false);
  SmallVector<bool> anything(root.getNumLoops(), false);
  SmallVector<utils::IteratorType> kinds = root.getIteratorTypesArray();
  bool hasReduction = false;
  for (auto [loop, kind] : llvm::enumerate(kinds)) {
    tiled[loop] = kind == utils::IteratorType::parallel;
    hasReduction |= kind == utils::IteratorType::reduction;
  }
  for (const auto &[op, image] : collect(anything)) {
    if (op == root || cast<LinalgOp>(op).getNumReductionLoops() == 0)
      continue;
    hasReduction = true;
    SmallVector<bool> kept = tiled;
    for (size_t loop = 0; loop < kept.size(); ++loop)
      kept[loop] = kept[loop] && reaches(image, static_cast<unsigned>(loop));
    if (llvm::is_contained(kept, true))
      tiled = kept;
  }
  if (!hasReduction)
    tiled.back() = false;
  return tiled;
}

/// Flattening is better for a lone elementwise op on operands of one shape.
bool ClusterFinder::isWorthwhile(const Members &members) {
  bool hasReduction = llvm::any_of(members, [](const auto &member) {
    return cast<LinalgOp>(member.first).getNumReductionLoops() > 0;
  });
  if (hasReduction || sumsOnly)
    return hasReduction;
  return !llvm::all_of(root.getIndexingMapsArray(),
                       [](AffineMap map) { return map.isIdentity(); });
}

RowCluster ClusterFinder::clusterOf(const Members &members,
                                    ArrayRef<bool> tiled) const {
  RowCluster cluster;
  cluster.root = root;
  cluster.tiled.assign(tiled.begin(), tiled.end());
  for (const auto &[op, image] : members)
    if (op != root)
      cluster.members.push_back(cast<LinalgOp>(op));
  std::reverse(cluster.members.begin(), cluster.members.end());
  return cluster;
}

std::optional<RowCluster> ClusterFinder::find() {
  SmallVector<bool> tiled = loopsOfRows();
  if (!llvm::is_contained(tiled, true))
    return std::nullopt;
  Members members = collect(tiled);
  if (!isWorthwhile(members))
    return std::nullopt;
  return clusterOf(members, tiled);
}

RowCluster ClusterFinder::findAlong(ArrayRef<bool> tiled) {
  return clusterOf(collect(tiled), tiled);
}

RowCluster lh::findRowCluster(LinalgOp root, ArrayRef<bool> tiled,
                              ArrayRef<LinalgOp> contractions) {
  llvm::DenseSet<Operation *> none;
  return ClusterFinder(root, none, contractions).findAlong(tiled);
}

SmallVector<RowCluster> lh::findRowClusters(Block &block, bool sumsOnly) {
  llvm::DenseSet<Operation *> taken;
  SmallVector<RowCluster> clusters;
  for (Operation &op : llvm::reverse(block)) {
    if (taken.contains(&op) || !isRowOp(&op) || isa<linalg::FillOp>(op))
      continue;
    std::optional<RowCluster> cluster =
        ClusterFinder(cast<LinalgOp>(&op), taken, {}, sumsOnly).find();
    if (!cluster)
      continue;
    taken.insert(&op);
    for (LinalgOp member : cluster->members)
      taken.insert(member);
    clusters.push_back(std::move(*cluster));
  }
  return clusters;
}
