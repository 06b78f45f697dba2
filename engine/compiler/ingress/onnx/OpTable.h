// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operators can be imported, from which opset on, and by what.
#ifndef LH_COMPILER_INGRESS_ONNX_OPTABLE_H
#define LH_COMPILER_INGRESS_ONNX_OPTABLE_H

#include "compiler/ingress/emit/Products.h"
#include "compiler/ingress/onnx/FunctionText.h"
#include "compiler/ingress/onnx/NodeContext.h"

#include "llvm/ADT/StringMap.h"

#include <deque>

namespace lh {

using Converter = LogicalResult (*)(NodeContext &);

/// What must hold of a node before its converter sees it; bits of OpRow.rules.
namespace OpRule {
enum : unsigned {
  None = 0,
  Float = 1,      ///< input 0 is a float tensor
  Integer = 2,    ///< input 0 is an integer tensor
  Bool = 4,       ///< every input is bool
  Same = 8,       ///< all inputs have the same element type
  WidenHalf = 16, ///< float16 and bfloat16 are computed in float32
  Numeric = 32,   ///< input 0 is not bool
  Sequences = 64, ///< inputs may be sequences and optionals
};
} // namespace OpRule

struct OpRow {
  int64_t since = 1; ///< the first opset with this form
  size_t minInputs = 0;
  unsigned rules = OpRule::None;
  Converter convert = nullptr;
  const FunctionText *function = nullptr; ///< in place of a converter
};

/// Rows by operator ("MatMul", "com.microsoft.Gelu"); the newest row not above
/// the version that the model imports of the domain applies.
class OpTable {
public:
  void add(StringRef name, OpRow row) { rows[name].push_back(row); }
  void add(StringRef name, OpRow row, FunctionText function) {
    row.function = &functions.emplace_back(std::move(function));
    add(name, row);
  }
  const OpRow *find(StringRef name, int64_t opset) const;
  size_t size() const { return rows.size(); }
  /// In no particular order.
  void forEach(llvm::function_ref<void(StringRef name, ArrayRef<OpRow> forms)>
                   visit) const {
    for (const auto &entry : rows)
      visit(entry.first(), entry.second);
  }

private:
  llvm::StringMap<std::vector<OpRow>> rows;
  std::deque<FunctionText> functions; ///< rows point to them
};

// Pieces that several families share; they compute in the type of input 0.

/// Reductions that drop the marked axes.
mlir::Value emitSum(NodeContext &node, mlir::Value tensor, ArrayRef<bool> axes);
mlir::Value emitMax(NodeContext &node, mlir::Value tensor, ArrayRef<bool> axes);
mlir::Value emitMean(NodeContext &node, mlir::Value tensor,
                     ArrayRef<bool> axes);

mlir::Value emitSoftmax(NodeContext &node, mlir::Value tensor,
                        ArrayRef<bool> axes);
mlir::Value emitLogSoftmax(NodeContext &node, mlir::Value tensor,
                           ArrayRef<bool> axes);

/// `own` without the dimensions `axes` (non-negative; possibly known only at
/// run time).
Sizes keptSizes(Emitter &emit, const Sizes &own, const Sizes &axes);

/// 1 where `position` is one of `axes`, else 0.
mlir::OpFoldResult isOneOf(Emitter &emit, mlir::OpFoldResult position,
                           const Sizes &axes);

/// Joins tensors along `axis`, after checking that they fit.
FailureOr<mlir::Value> emitConcat(NodeContext &node, int64_t axis,
                                  ArrayRef<mlir::Value> tensors);

/// A part of input 0 along `axis`, all of the other dimensions.
mlir::Value emitPiece(NodeContext &node, size_t axis, const Sizes &offsets,
                      const Sizes &sizes);

/// Fails when two inner dimensions of a product are known and differ.
LogicalResult checkInner(NodeContext &node, mlir::OpFoldResult a,
                         mlir::OpFoldResult b);

/// ONNX MatMul with its broadcasting, of elements of `dtype`.
FailureOr<mlir::Value> emitOnnxMatMul(NodeContext &node, mlir::Value a,
                                      mlir::Value b, DType dtype);

/// Functions of functions/ that are there for others alone.
inline bool isPrivateOperator(StringRef name) { return name.starts_with("_"); }

/// Whether the operator only moves or converts elements, so that it takes the
/// types of eight, four and two bits that nothing computes on.
bool takesSmallTypes(StringRef opType);

/// Every operator the importer knows.
OpTable makeOpTable();

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPTABLE_H
