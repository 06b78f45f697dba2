// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes arguments and results before they become pointers.
#include "compiler/gaps/Entries.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace lh;
using namespace mlir;

/// The ONNX word for a type when the payload gives none.
static std::string wordFor(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto number = dyn_cast<FloatType>(element))
    return (element.isBF16() ? "bfloat" : "float") +
           std::to_string(number.getWidth());
  if (element.isInteger(1))
    return "bool";
  if (element.isIndex())
    return "int64";
  if (auto number = dyn_cast<IntegerType>(element))
    return (number.isUnsigned() ? "uint" : "int") +
           std::to_string(number.getWidth());
  return "unknown";
}

/// Those of `marks` that are among `attributes`, by their names without `lh.`.
static void addMarks(NamedAttrList &entry, DictionaryAttr attributes,
                     ArrayRef<StringRef> marks) {
  for (StringRef mark : marks)
    if (Attribute value = attributes ? attributes.get(mark) : Attribute())
      entry.set(mark.split('.').second, value);
}

static MemRefType bufferOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return cast<MemRefType>(type);
}

/// What the payload says in `attributes`; name and type are made up where it
/// says nothing.
static NamedAttrList describeTensor(Type type, DictionaryAttr attributes,
                                    const Twine &defaultName) {
  Builder builder(type.getContext());
  NamedAttrList entry;
  entry.set("name", builder.getStringAttr(defaultName));
  entry.set("type", builder.getStringAttr(wordFor(type)));
  entry.set("memref", TypeAttr::get(bufferOf(type)));
  addMarks(entry, attributes,
           {nameMark, typeMark, symbolsMark, exactMark, orderedMark, dataMark,
            drawnMark, sparseMark});
  return entry;
}

DictionaryAttr lh::describeEntry(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    DictionaryAttr attributes = function.getArgAttrDict(i);
    NamedAttrList entry = describeTensor(function.getArgumentTypes()[i],
                                         attributes, "arg" + Twine(i));
    auto has = [&](StringRef mark) {
      return attributes && attributes.contains(mark);
    };
    entry.set("role", builder.getStringAttr(has(preparedMark) ? "prepared"
                                            : has(weightMark) ? "weight"
                                                              : "input"));
    if (has(preparedMark))
      entry.set("index", attributes.get(preparedMark));
    arguments.push_back(entry.getDictionary(builder.getContext()));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.push_back(describeTensor(function.getResultTypes()[i],
                                     function.getResultAttrDict(i),
                                     "result" + Twine(i))
                          .getDictionary(builder.getContext()));
  NamedAttrList entry;
  entry.set("args", builder.getArrayAttr(arguments));
  entry.set("results", builder.getArrayAttr(results));
  return entry.getDictionary(builder.getContext());
}

static bool isOnTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::all_of(function.getArgumentTypes(), isTensor) &&
         llvm::all_of(function.getResultTypes(), isTensor);
}

static SmallVector<func::FuncOp> entriesOf(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      entries.push_back(function);
  return entries;
}

void lh::keepArguments(ModuleOp module) {
  StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
  auto no = BoolAttr::get(module.getContext(), false);
  for (func::FuncOp function : entriesOf(module)) {
    // At once: setting one argument's attributes rebuilds the list of all.
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      NamedAttrList list(function.getArgAttrDict(i));
      if (isa<TensorType>(function.getArgumentTypes()[i]) && !list.get(name))
        list.set(name, no);
      attributes.push_back(list.getDictionary(module.getContext()));
    }
    function.setAllArgAttrs(attributes);
  }
}

void lh::noteSignatures(ModuleOp module) {
  for (func::FuncOp function : entriesOf(module))
    if (isOnTensors(function))
      function->setAttr(signatureMark, describeEntry(function));
}
