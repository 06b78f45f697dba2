// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts a node whose operator is a function of others.
#ifndef LH_COMPILER_INGRESS_ONNX_FUNCTIONBODY_H
#define LH_COMPILER_INGRESS_ONNX_FUNCTIONBODY_H

#include "compiler/ingress/onnx/FunctionText.h"
#include "compiler/ingress/onnx/NodeContext.h"

#include "llvm/ADT/StringMap.h"

namespace lh {

/// What an expression is: a value of the graph; a number, which takes the type
/// of the value that it meets; a text; or nothing, where the call leaves an
/// input or an attribute out.
struct FunctionTerm {
  std::optional<ImportedValue> value;
  std::optional<double> number;
  std::optional<StringRef> text;
  ArrayRef<float> floats = {}; ///< an attribute's

  bool isNothing() const {
    return !value && !number && !text && floats.empty();
  }
  static FunctionTerm of(double number) { return {{}, number, {}}; }
  static FunctionTerm of(ImportedValue value) {
    return {std::move(value), {}, {}};
  }
};

/// Carries out a function's statements in place of a node, which gets their
/// results. What is wrong is said of the node that the model has. Use once.
class FunctionBody {
public:
  FunctionBody(NodeContext &node, const FunctionText &function)
      : node(node), emit(node.emit), function(function), cursor(function.body) {
  }

  LogicalResult run();

private:
  using Term = FunctionTerm;
  using Terms = llvm::SmallVector<Term, 4>;
  using Elements = llvm::SmallVector<mlir::OpFoldResult, 4>;

  void bindInputs();
  void bindAttributes();
  void statements(StringRef text);
  void statement();
  void condition();
  void demand(DiagKind kind);
  void agreement();
  void assign(StringRef first);

  Term expression();
  Term conjunction();
  Term comparison();
  Term sum();
  Term product();
  Term factor();
  Term list();
  Term named(StringRef name);
  bool callFollows() const;

  Term binary(StringRef op, Term a, Term b);
  Terms call(StringRef name, ArrayRef<bool> wanted);
  Terms callOperator(StringRef name, std::vector<OnnxAttribute> attributes,
                     ArrayRef<Term> arguments, ArrayRef<bool> wanted);
  std::optional<DType> typeOf(const Term &term);
  Term question(StringRef name, ArrayRef<Term> arguments);
  Term callBuiltin(StringRef name, ArrayRef<Term> arguments);
  std::vector<OnnxAttribute> attributes();

  std::optional<double> known(const Term &term) const;
  bool holds(const Term &term);
  ImportedValue valueOf(const Term &term, std::optional<DType> dtype = {});
  Elements elementsOf(const Term &term);
  Term shaped(Elements elements, bool isScalar) const;
  std::string filledIn(StringRef message);
  Term fail(const Twine &message, DiagKind kind = DiagKind::IngressInvalidNode);

  NodeContext &node;
  Emitter &emit;
  const FunctionText &function;
  FunctionCursor cursor;
  llvm::StringMap<Term> names;
  bool hasFailed = false;
  bool isSkipping = false; ///< what is read decides nothing
};

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_FUNCTIONBODY_H
