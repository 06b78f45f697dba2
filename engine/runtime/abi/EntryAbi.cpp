// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and checks `lh.abi`.
#include "runtime/abi/EntryAbi.h"

#include "compiler/gaps/Entries.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/sparse/SparseArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace lh;

std::string lh::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t dim : shape) {
    if (!text.empty())
      text += 'x';
    text += dim < 0 ? std::string("?") : std::to_string(dim);
  }
  return text;
}

bool TensorSignature::isStatic() const {
  return std::all_of(shape.begin(), shape.end(),
                     [](int64_t dim) { return dim >= 0; });
}

std::string TensorSignature::shapeText() const { return lh::shapeText(shape); }

std::vector<TensorSignature> EntryAbi::inputs() const {
  std::vector<TensorSignature> signatures;
  for (const EntryArgument &argument : arguments)
    if (argument.role == ArgumentRole::Input)
      signatures.push_back(argument.tensor);
  return signatures;
}

std::vector<StringRef> EntryAbi::inputNames() const {
  std::vector<StringRef> names;
  for (const EntryArgument &argument : arguments)
    if (argument.role == ArgumentRole::Input)
      names.push_back(argument.tensor.name);
  return names;
}

namespace {
/// Turns one function's dictionary into an EntryAbi; each mistake is an error.
class AbiReader {
public:
  AbiReader(StringRef function, const SourceSpan &where, DiagnosticSink &sink)
      : function(function), where(where), sink(sink) {}

  FailureOr<EntryAbi> read(mlir::DictionaryAttr dict);

private:
  LogicalResult malformed(const Twine &what) {
    return sink.error(DiagKind::BackendMalformedAbi, where,
                      "'lh.abi' of '" + function + "': " + what +
                          "; it is written by 'lh-entry-abi'");
  }
  FailureOr<mlir::DictionaryAttr> dictionary(mlir::Attribute attribute);
  LogicalResult readTensor(mlir::DictionaryAttr dict, TensorSignature &tensor);
  LogicalResult readOrdered(mlir::DictionaryAttr dict, TensorSignature &tensor);
  LogicalResult readSymbols(mlir::DictionaryAttr dict, TensorSignature &tensor);
  LogicalResult readSparse(mlir::DictionaryAttr dict, TensorSignature &tensor);
  LogicalResult readArgument(mlir::DictionaryAttr dict, EntryArgument &out);
  LogicalResult readData(mlir::DictionaryAttr dict, EntryArgument &out);

  StringRef function;
  const SourceSpan &where;
  DiagnosticSink &sink;
  size_t prepared = 0;
};
} // namespace

FailureOr<mlir::DictionaryAttr>
AbiReader::dictionary(mlir::Attribute attribute) {
  if (auto dict = mlir::dyn_cast<mlir::DictionaryAttr>(attribute))
    return dict;
  return malformed("an argument or result is not a dictionary");
}

/// Bytes per element in memory; 0: no type that a tensor can hold.
static size_t elementBytes(mlir::Type element) {
  if (element.isIndex())
    return 8;
  return element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 0;
}

LogicalResult AbiReader::readTensor(mlir::DictionaryAttr dict,
                                    TensorSignature &tensor) {
  auto name = dict.getAs<mlir::StringAttr>("name");
  auto type = dict.getAs<mlir::StringAttr>("type");
  auto memref = dict.getAs<mlir::TypeAttr>("memref");
  if (!name || !type || !memref)
    return malformed("an argument or result lacks name, type or memref");
  tensor.name = name.str();
  std::optional<DType> dtype = parseDType(type.getValue());
  if (!dtype)
    return malformed("unknown element type '" + type.getValue() + "' of '" +
                     tensor.name + "'");
  tensor.dtype = *dtype;
  auto buffer = mlir::dyn_cast<mlir::MemRefType>(memref.getValue());
  if (!buffer || !buffer.getLayout().isIdentity())
    return malformed("'" + Twine(tensor.name) +
                     "' is not a memref of row-major layout");
  if (elementBytes(buffer.getElementType()) != byteSize(*dtype))
    return malformed("the memref of '" + Twine(tensor.name) +
                     "' doesn't hold " + dtypeName(*dtype));
  tensor.isDrawn = dict.contains("drawn");
  if (auto exact = dict.getAs<mlir::IntegerAttr>("exact"))
    tensor.exact = exact.getInt();
  if (tensor.exact && *tensor.exact < 1)
    return malformed("'" + Twine(tensor.name) + "' has no integers from -" +
                     Twine(*tensor.exact) + " to " + Twine(*tensor.exact));
  for (int64_t dim : buffer.getShape())
    tensor.shape.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return success(succeeded(readOrdered(dict, tensor)) &&
                 succeeded(readSymbols(dict, tensor)) &&
                 succeeded(readSparse(dict, tensor)));
}

LogicalResult AbiReader::readOrdered(mlir::DictionaryAttr dict,
                                     TensorSignature &tensor) {
  mlir::Attribute attribute = dict.get("ordered");
  if (!attribute)
    return success();
  auto list = mlir::dyn_cast<mlir::ArrayAttr>(attribute);
  std::vector<int64_t> numbers;
  for (mlir::Attribute each :
       list ? list.getValue() : ArrayRef<mlir::Attribute>())
    if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(each))
      numbers.push_back(number.getInt());
  if (numbers.size() != 3 || numbers[0] < 0 ||
      numbers[0] >= static_cast<int64_t>(tensor.shape.size()))
    return malformed("'" + Twine(tensor.name) +
                     "' has 'ordered' of another form than [axis, exponent, "
                     "sign]");
  tensor.ordered = {numbers[0], numbers[1], numbers[2]};
  return success();
}

LogicalResult AbiReader::readSymbols(mlir::DictionaryAttr dict,
                                     TensorSignature &tensor) {
  mlir::Attribute attribute = dict.get("symbols");
  if (!attribute)
    return success();
  auto symbols = mlir::dyn_cast<mlir::ArrayAttr>(attribute);
  bool fits = symbols && symbols.size() == tensor.shape.size();
  for (mlir::Attribute each :
       fits ? symbols.getValue() : ArrayRef<mlir::Attribute>()) {
    auto symbol = mlir::dyn_cast<mlir::StringAttr>(each);
    fits &= symbol != nullptr;
    tensor.symbols.push_back(symbol ? symbol.str() : "");
  }
  if (fits)
    return success();
  return malformed("'" + Twine(tensor.name) +
                   "' has symbols, but not one text for each dimension");
}

LogicalResult AbiReader::readSparse(mlir::DictionaryAttr dict,
                                    TensorSignature &tensor) {
  auto sparse = dict.getAs<mlir::DictionaryAttr>("sparse");
  if (!sparse)
    return success();
  auto name = sparse.getAs<mlir::StringAttr>("tensor");
  auto word = sparse.getAs<mlir::StringAttr>("array");
  auto type = sparse.getAs<mlir::TypeAttr>("type");
  auto whole = mlir::dyn_cast_or_null<mlir::RankedTensorType>(
      type ? type.getValue() : mlir::Type());
  const auto *array =
      llvm::find(sparseArrayWords, word ? word.getValue() : StringRef());
  std::string why;
  std::optional<SparseFormat> format;
  if (whole && isSparse(whole))
    format = formatOf(whole, why);
  size_t level = 0;
  if (auto number = sparse.getAs<mlir::IntegerAttr>("level"))
    level = number.getValue().getLimitedValue();
  if (!name || array == std::end(sparseArrayWords) || !format ||
      level >= format->levels.size())
    return malformed("'" + Twine(tensor.name) +
                     "' has 'sparse' of another form than {tensor, array, "
                     "type, level}");
  tensor.sparse = {name.str(), SparseArray(array - sparseArrayWords), level,
                   std::move(*format)};
  return success();
}

LogicalResult AbiReader::readData(mlir::DictionaryAttr dict,
                                  EntryArgument &out) {
  auto data = dict.getAs<mlir::ArrayAttr>("data");
  if (!data || data.size() != 3)
    return malformed("weight '" + Twine(out.tensor.name) +
                     "' lacks data = [file, offset, bytes]");
  auto file = mlir::dyn_cast<mlir::StringAttr>(data[0]);
  auto offset = mlir::dyn_cast<mlir::IntegerAttr>(data[1]);
  auto bytes = mlir::dyn_cast<mlir::IntegerAttr>(data[2]);
  if (!file || !offset || !bytes || offset.getValue().isNegative() ||
      bytes.getValue().isNegative())
    return malformed("weight '" + Twine(out.tensor.name) +
                     "' has data of another form than [file, offset, bytes]");
  out.data = {file.str(), static_cast<uint64_t>(offset.getInt()),
              static_cast<uint64_t>(bytes.getInt())};
  if (!out.tensor.isStatic())
    return malformed("weight '" + Twine(out.tensor.name) +
                     "' has a dynamic shape");
  return success();
}

LogicalResult AbiReader::readArgument(mlir::DictionaryAttr dict,
                                      EntryArgument &out) {
  if (failed(readTensor(dict, out.tensor)))
    return failure();
  auto role = dict.getAs<mlir::StringAttr>("role");
  if (!role || role.getValue() == "input")
    return success();
  if (role.getValue() == "weight") {
    out.role = ArgumentRole::Weight;
    return readData(dict, out);
  }
  if (role.getValue() != "prepared")
    return malformed("unknown role '" + role.getValue() + "'");
  out.role = ArgumentRole::Prepared;
  out.preparedIndex = prepared++;
  if (auto index = dict.getAs<mlir::IntegerAttr>("index"))
    out.preparedIndex = static_cast<size_t>(index.getInt());
  return success();
}

FailureOr<EntryAbi> AbiReader::read(mlir::DictionaryAttr dict) {
  EntryAbi abi;
  abi.name = function.str();
  auto convention = dict.getAs<mlir::StringAttr>("convention");
  auto arguments = dict.getAs<mlir::ArrayAttr>("args");
  auto results = dict.getAs<mlir::ArrayAttr>("results");
  if (!convention || !arguments || !results)
    return malformed("convention, args or results are absent");
  if (convention.getValue() == "returned")
    abi.convention = EntryConvention::Returned;
  else if (convention.getValue() != "out-params")
    return malformed("unknown convention '" + convention.getValue() + "'");
  if (auto why = dict.getAs<mlir::StringAttr>("inexact"))
    abi.inexact = why.str();
  if (auto why = dict.getAs<mlir::StringAttr>("unordered"))
    abi.unordered = why.str();
  if (auto why = dict.getAs<mlir::StringAttr>("undefined"))
    abi.undefined = why.str();
  for (mlir::Attribute attribute : arguments) {
    FailureOr<mlir::DictionaryAttr> argument = dictionary(attribute);
    if (failed(argument) ||
        failed(readArgument(*argument, abi.arguments.emplace_back())))
      return failure();
  }
  for (mlir::Attribute attribute : results) {
    FailureOr<mlir::DictionaryAttr> result = dictionary(attribute);
    if (failed(result) ||
        failed(readTensor(*result, abi.results.emplace_back())))
      return failure();
    if (abi.convention == EntryConvention::OutParams &&
        !abi.results.back().isStatic())
      return malformed("result '" + Twine(abi.results.back().name) +
                       "' has a dynamic shape and is an out-parameter");
  }
  return abi;
}

/// Every prepared argument must be what a result of @prepare gives.
static LogicalResult checkPrepared(const ModuleAbi &abi,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink) {
  for (const EntryArgument &argument : abi.entry.arguments) {
    if (argument.role != ArgumentRole::Prepared)
      continue;
    if (!abi.prepare || argument.preparedIndex >= abi.prepare->results.size())
      return sink.error(DiagKind::BackendMalformedAbi, where,
                        "'lh.abi' of '" + abi.entry.name + "': argument '" +
                            argument.tensor.name +
                            "' is a prepared one that no 'prepare' yields");
  }
  return success();
}

static LogicalResult unknownEntry(mlir::DictionaryAttr abi, StringRef entry,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  std::vector<StringRef> names;
  std::string list;
  for (mlir::NamedAttribute function : abi) {
    names.push_back(function.getName().getValue());
    list += (list.empty() ? "'" : ", '") + names.back().str() + "'";
  }
  return sink.error(
      DiagKind::BackendUnknownEntry, where,
      "no public function '" + entry + "' in the module; it has " +
          (list.empty() ? "none" : list) + didYouMean(entry, names));
}

/// Upstream's passes leave results with the callee, or move all of them behind
/// the arguments (`buffer-results-to-out-params`).
static StringRef conventionOf(mlir::LLVM::LLVMFuncOp function) {
  bool givesNothing = mlir::isa<mlir::LLVM::LLVMVoidType>(
      function.getFunctionType().getReturnType());
  return givesNothing ? "out-params" : "returned";
}

namespace {
/// Collects what functions' `lh.signature` says into an `lh.abi`.
class AbiMaker {
public:
  explicit AbiMaker(mlir::ModuleOp module) : module(module) {}

  void add(mlir::Operation *function, StringRef name, StringRef convention) {
    auto signature =
        function->getAttrOfType<mlir::DictionaryAttr>(signatureMark);
    if (!signature)
      return;
    mlir::Builder builder(module.getContext());
    mlir::NamedAttrList entry(signature);
    entry.set("convention", builder.getStringAttr(convention));
    for (StringRef mark : marksOfAbi)
      if (mlir::Attribute why = module->getAttr(mark))
        entry.set(mark.split('.').second, why);
    abi.set(name, entry.getDictionary(module.getContext()));
  }

  void finish() {
    if (!abi.empty())
      module->setAttr(abiMark, abi.getDictionary(module.getContext()));
  }

private:
  mlir::ModuleOp module;
  mlir::NamedAttrList abi;
};
} // namespace

/// Code that no pass of ours has seen says how it is called by `lh.signature`,
/// from its import, and by what it returns.
static void completeAbi(mlir::ModuleOp module) {
  AbiMaker maker(module);
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    // The function's C interface has a signature too.
    if (!function.isExternal() &&
        !function.getName().starts_with("_mlir_ciface_"))
      maker.add(function, function.getName(), conventionOf(function));
  maker.finish();
}

void lh::noteTensorAbi(mlir::ModuleOp module) {
  if (module->hasAttr(abiMark))
    return;
  noteSignatures(module);
  AbiMaker maker(module);
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      maker.add(function, function.getName(), "returned");
  maker.finish();
}

FailureOr<ModuleAbi> lh::readEntryAbi(mlir::ModuleOp module, StringRef entry,
                                      const SourceSpan &where,
                                      DiagnosticSink &sink) {
  if (!module->hasAttr(abiMark))
    completeAbi(module);
  auto dict = module->getAttrOfType<mlir::DictionaryAttr>(abiMark);
  if (!dict)
    return sink.error(DiagKind::BackendMissingAbi, where,
                      "the module has no 'lh.abi', so nothing says how to "
                      "call '" +
                          entry +
                          "'; add the pass 'lh-entry-abi' right after "
                          "'one-shot-bufferize'");
  auto function = dict.getAs<mlir::DictionaryAttr>(entry);
  if (!function)
    return unknownEntry(dict, entry, where, sink);
  ModuleAbi abi;
  FailureOr<EntryAbi> read = AbiReader(entry, where, sink).read(function);
  if (failed(read))
    return failure();
  abi.entry = std::move(*read);
  auto prepare = dict.getAs<mlir::DictionaryAttr>("prepare");
  if (prepare && entry != "prepare") {
    read = AbiReader("prepare", where, sink).read(prepare);
    if (failed(read))
      return failure();
    abi.prepare = std::move(*read);
  }
  if (failed(checkPrepared(abi, where, sink)))
    return failure();
  return abi;
}
