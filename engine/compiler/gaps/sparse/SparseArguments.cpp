// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads formats off types, and changes the arguments of entries.
#include "compiler/gaps/sparse/SparseArguments.h"

#include "compiler/gaps/Entries.h"
#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinOps.h"

using namespace lh;
using namespace mlir;
using sparse_tensor::LevelFormat;
using sparse_tensor::LevelPropNonDefault;
using sparse_tensor::LevelType;

bool lh::isSparse(Type type) {
  return sparse_tensor::getSparseTensorEncoding(type) != nullptr;
}

bool lh::hasSparseOperand(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isSparse);
}

/// Which coordinate of the tensor a level has: one of its dimensions, or one
/// divided by a constant, or the remainder.
static bool readMap(AffineExpr expr, SparseLevel &level) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary) {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    bool isMod = binary.getKind() == AffineExprKind::Mod;
    if (!divisor || divisor.getValue() < 1 ||
        (!isMod && binary.getKind() != AffineExprKind::FloorDiv))
      return false;
    level.divisor = divisor.getValue();
    level.isRemainder = isMod;
    expr = binary.getLHS();
  }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (dim)
    level.dim = dim.getPosition();
  return dim != nullptr;
}

static bool readKind(LevelType type, SparseLevel &level) {
  level.isUnique = !type.isa<LevelPropNonDefault::Nonunique>();
  if (type.isa<LevelPropNonDefault::Nonordered>())
    return false;
  if (type.isa<LevelFormat::Dense>())
    level.kind = LevelKind::Dense;
  else if (type.isa<LevelFormat::Compressed>())
    level.kind = LevelKind::Compressed;
  else if (type.isa<LevelFormat::Singleton>())
    level.kind = LevelKind::Singleton;
  else if (type.isa<LevelFormat::NOutOfM>())
    level.kind = LevelKind::Structured;
  else
    return false;
  if (level.kind == LevelKind::Structured) {
    level.kept = int64_t(type.getN());
    return level.isRemainder && level.divisor == int64_t(type.getM());
  }
  return level.kind != LevelKind::Singleton ||
         type.isa<LevelPropNonDefault::SoA>();
}

std::optional<SparseFormat> lh::formatOf(RankedTensorType type,
                                         std::string &why) {
  if (!type.hasStaticShape()) {
    why = "has sizes that aren't known; a sparse tensor's have to be";
    return std::nullopt;
  }
  // Vectors gather by coordinates of 32 bits with a sign.
  if (!llvm::all_of(type.getShape(),
                    [](int64_t size) { return llvm::isInt<32>(size - 1); })) {
    why = "has a dimension of more than 2^31";
    return std::nullopt;
  }
  SparseFormat format{type.getShape(), {}};
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  AffineMap map = encoding.getDimToLvl();
  if (!map)
    map = AffineMap::getMultiDimIdentityMap(
        static_cast<unsigned>(type.getRank()), type.getContext());
  unsigned l = 0;
  for (LevelType kind : encoding.getLvlTypes()) {
    SparseLevel &level = format.levels.emplace_back();
    AffineExpr expr = map.getResult(l++);
    if (!readMap(expr, level)) {
      why = "has a level that is neither a dimension nor one divided by a "
            "constant, or the remainder";
      return std::nullopt;
    }
    int64_t size = format.shape[level.dim];
    level.size = level.isRemainder ? level.divisor
                                   : (size + level.divisor - 1) / level.divisor;
    if (readKind(kind, level))
      continue;
    why = "has a level '" + kind.toMLIRString() +
          "'; dense, compressed and singleton(soa) ones in order are taken, "
          "and structured[n, m] of 'mod m'";
    return std::nullopt;
  }
  return format;
}

static DictionaryAttr marksOf(StringRef tensor, const StandIn &standIn,
                              Type whole, DictionaryAttr given) {
  Builder builder(whole.getContext());
  StringRef word = sparseArrayWords[size_t(standIn.array)];
  bool isOfLevel = standIn.array == SparseArray::Positions ||
                   standIn.array == SparseArray::Coordinates;
  NamedAttrList sparse;
  sparse.set("tensor", builder.getStringAttr(tensor));
  sparse.set("array", builder.getStringAttr(word));
  sparse.set("type", TypeAttr::get(whole));
  std::string name = tensor.str();
  if (standIn.array != SparseArray::Elements)
    name += ("." + word).str();
  if (isOfLevel) {
    sparse.set("level", builder.getI64IntegerAttr(standIn.level));
    name += std::to_string(standIn.level);
  }
  NamedAttrList marks;
  // Values are what the model says of the tensor.
  if (standIn.array == SparseArray::Values ||
      standIn.array == SparseArray::Elements)
    marks = NamedAttrList(given);
  else if (auto integer = dyn_cast<IntegerType>(standIn.type.getElementType());
           integer && isOfLevel)
    marks.set(typeMark,
              builder.getStringAttr("uint" + Twine(integer.getWidth())));
  marks.erase(orderedMark); // of the dimensions of a dense one
  marks.set(nameMark, builder.getStringAttr(name));
  marks.set(sparseMark, sparse.getDictionary(whole.getContext()));
  return marks.getDictionary(whole.getContext());
}

SmallVector<Value> lh::insertStandIns(func::FuncOp function, unsigned index,
                                      ArrayRef<StandIn> standIns) {
  DictionaryAttr given = function.getArgAttrDict(index);
  std::string tensor = cast<StringAttr>(given.get(nameMark)).str();
  Type whole = function.getArgumentTypes()[index];
  SmallVector<Value> values;
  for (const StandIn &standIn : standIns) {
    (void)function.insertArgument(index, standIn.type,
                                  marksOf(tensor, standIn, whole, given),
                                  function.getLoc());
    values.push_back(function.getArgument(index++));
  }
  return values;
}

/// Positions change: what had a name by its position keeps it.
static void nameArguments(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, nameMark))
      function.setArgAttr(
          i, nameMark,
          StringAttr::get(function.getContext(), "arg" + Twine(i)));
}

LogicalResult lh::replaceSparseArguments(
    ModuleOp module,
    function_ref<FailureOr<unsigned>(func::FuncOp, unsigned)> visit) {
  bool hasSparse = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal() ||
        !llvm::any_of(function.getFunctionType().getInputs(), isSparse))
      continue;
    hasSparse = true;
    nameArguments(function);
    for (unsigned i = 0; i < function.getNumArguments();) {
      auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
      if (!type || !isSparse(type)) {
        ++i;
        continue;
      }
      std::string why;
      if (!formatOf(type, why))
        return function.emitError() << "argument " << i << " of '@"
                                    << function.getSymName() << "' " << why;
      FailureOr<unsigned> count = visit(function, i);
      if (failed(count) || failed(function.eraseArgument(i + *count)))
        return failure();
      i += *count;
    }
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() &&
        llvm::any_of(function.getFunctionType().getResults(), isSparse))
      return function.emitError()
             << "'@" << function.getSymName()
             << "' returns a sparse tensor; results have to be dense";
  if (hasSparse)
    noteSignatures(module);
  return success();
}
