// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds a manifest's typed values to a schedule's arguments and attributes.
#include "compiler/gaps/Marks.h"
#include "compiler/session/Knobs.h"
#include "compiler/session/MlirDiagnostics.h"
#include "compiler/session/Schedule.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"

#include <set>

using namespace lh;
namespace transform = mlir::transform;

static StringRef describe(const Value &value) {
  static constexpr StringRef words[] = {"a bool", "an int", "a float",
                                        "a string", "a list of ints"};
  return words[value.index()];
}

/// The number as an attribute of `type`; null where it doesn't fit.
static mlir::Attribute integerOf(int64_t number, mlir::Type type) {
  if (llvm::isa<mlir::IndexType>(type))
    return mlir::IntegerAttr::get(type, number);
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() == 1 ||
      !llvm::isIntN(std::min(64U, integer.getWidth()), number))
    return {};
  return mlir::IntegerAttr::get(type, number);
}

/// `value` as an attribute of `type`; null where the two don't go together.
static mlir::Attribute scalarOf(const Value &value, mlir::Type type) {
  mlir::Builder builder(type.getContext());
  if (const auto *flag = std::get_if<bool>(&value))
    return type.isInteger(1) ? builder.getBoolAttr(*flag) : mlir::Attribute();
  if (const auto *number = std::get_if<double>(&value))
    return llvm::isa<mlir::FloatType>(type)
               ? builder.getFloatAttr(type, *number)
               : mlir::Attribute();
  const auto *number = std::get_if<int64_t>(&value);
  if (!number)
    return {};
  if (llvm::isa<mlir::FloatType>(type))
    return builder.getFloatAttr(type, static_cast<double>(*number));
  return integerOf(*number, type);
}

/// `value` with the type it would have in a schedule's text.
static mlir::Attribute untyped(const Value &value, mlir::Builder builder) {
  if (const auto *text = std::get_if<std::string>(&value))
    return builder.getStringAttr(*text);
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
    return builder.getI64ArrayAttr(*list);
  if (std::holds_alternative<bool>(value))
    return scalarOf(value, builder.getI1Type());
  if (std::holds_alternative<double>(value))
    return scalarOf(value, builder.getF64Type());
  return scalarOf(value, builder.getI64Type());
}

/// What `value` becomes for an argument of `type`; empty where mistyped.
static llvm::SmallVector<mlir::Attribute, 1> argumentOf(const Value &value,
                                                        mlir::Type type) {
  if (llvm::isa<transform::AnyParamType>(type))
    return {untyped(value, mlir::Builder(type.getContext()))};
  auto parameter = llvm::dyn_cast<transform::ParamType>(type);
  if (!parameter)
    return {};
  llvm::SmallVector<mlir::Attribute, 1> attributes;
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
    for (int64_t number : *list)
      attributes.push_back(integerOf(number, parameter.getType()));
  } else {
    attributes.push_back(scalarOf(value, parameter.getType()));
  }
  if (llvm::is_contained(attributes, mlir::Attribute()))
    return {};
  return attributes;
}

/// A list in the form of the literal array it replaces; null where mistyped.
static mlir::Attribute listLike(mlir::Attribute literal,
                                ArrayRef<int64_t> list) {
  mlir::Builder builder(literal.getContext());
  if (llvm::isa<mlir::DenseI64ArrayAttr>(literal))
    return builder.getDenseI64ArrayAttr(list);
  if (llvm::isa<mlir::DenseI32ArrayAttr>(literal)) {
    llvm::SmallVector<int32_t> narrow;
    for (int64_t number : list) {
      if (!llvm::isInt<32>(number))
        return {};
      narrow.push_back(static_cast<int32_t>(number));
    }
    return builder.getDenseI32ArrayAttr(narrow);
  }
  auto array = llvm::dyn_cast<mlir::ArrayAttr>(literal);
  if (!array)
    return {};
  mlir::Type type = builder.getI64Type();
  if (!array.empty()) {
    auto first = llvm::dyn_cast<mlir::IntegerAttr>(array[0]);
    if (!first)
      return {};
    type = first.getType();
  }
  llvm::SmallVector<mlir::Attribute> elements;
  for (int64_t number : list)
    elements.push_back(integerOf(number, type));
  if (llvm::is_contained(elements, mlir::Attribute()))
    return {};
  return builder.getArrayAttr(elements);
}

/// `value` in the form of the literal it replaces; null where mistyped.
static mlir::Attribute literalLike(mlir::Attribute literal,
                                   const Value &value) {
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
    return listLike(literal, *list);
  if (const auto *text = std::get_if<std::string>(&value))
    return llvm::isa<mlir::StringAttr>(literal)
               ? mlir::StringAttr::get(literal.getContext(), *text)
               : mlir::Attribute();
  auto typed = llvm::dyn_cast<mlir::TypedAttr>(literal);
  if (!typed || !llvm::isa<mlir::IntegerAttr, mlir::FloatAttr>(literal))
    return {};
  return scalarOf(value, typed.getType());
}

namespace {
/// One binding of a step's parameters.
class Binder {
public:
  Binder(const ScheduleAction &action, DiagnosticSink &sink)
      : action(action), sink(sink) {
    if (!action.kernel)
      return;
    ofKernel = {
        {{"kernel.name", action.where}, action.kernel->name},
        {{"kernel.rows", action.where}, *action.kernel->rows.most},
        {{"kernel.columns", action.where}, *action.kernel->columns.most}};
  }

  FailureOr<BoundArguments> run(mlir::ModuleOp schedule,
                                transform::NamedSequenceOp entry) {
    BoundArguments arguments;
    for (unsigned i = 1; i < entry.getNumArguments(); ++i)
      arguments.push_back(bindArgument(entry, i));
    schedule.walk([&](mlir::Operation *op) {
      bindAttributes(op);
      bindKnob(op);
    });
    reportUnmatched();
    if (failedAny)
      return failure();
    return arguments;
  }

private:
  const BoundParameter *find(StringRef name) const {
    for (ArrayRef<BoundParameter> all :
         {ArrayRef(action.parameters), ArrayRef(ofKernel)})
      for (const BoundParameter &parameter : all)
        if (parameter.name.value == name)
          return &parameter;
    return nullptr;
  }

  llvm::SmallVector<mlir::Attribute, 1>
  bindArgument(transform::NamedSequenceOp entry, unsigned index) {
    auto name = entry.getArgAttrOfType<mlir::StringAttr>(index, nameMark);
    mlir::Location location = entry.getArgument(index).getLoc();
    if (!name) {
      fail(DiagKind::IrBadEntry, spanOf(location),
           "argument " + Twine(index + 1) + " of the entry '" + action.entry +
               "' can't be bound; give it {lh.name = \"<parameter>\"}");
      return {};
    }
    known.insert(name.str());
    const BoundParameter *parameter = find(name);
    if (!parameter) {
      fail(DiagKind::IrMissingParameter, action.where,
           "the parameter '" + name.getValue() + "' of the entry '" +
               action.entry + "' has no value; give it one under 'with:'",
           {{spanOf(location), "declared here"}});
      return {};
    }
    auto attributes =
        argumentOf(parameter->value, entry.getArgumentTypes()[index]);
    if (attributes.empty())
      mistyped(*parameter, spanOf(location),
               printed(entry.getArgumentTypes()[index]));
    return attributes;
  }

  void bindAttributes(mlir::Operation *op) {
    auto bindings = op->getAttrOfType<mlir::DictionaryAttr>(bindMark);
    if (!bindings)
      return;
    for (mlir::NamedAttribute binding : bindings)
      bindAttribute(op, binding.getName(), binding.getValue());
  }

  /// Knobs and alternatives (the tune extension) are parameters by their names.
  void bindKnob(mlir::Operation *op) {
    std::optional<KnobPlace> knob = knobAt(op);
    if (!knob)
      return;
    known.insert(knob->name.str());
    const BoundParameter *parameter = find(knob->name);
    if (!parameter)
      return; // what it selects, or upstream's error
    mlir::Builder builder(op);
    const auto *number = std::get_if<int64_t>(&parameter->value);
    if (!knob->isNumbered)
      op->setAttr(knob->attribute, untyped(parameter->value, builder));
    else if (number)
      op->setAttr(knob->attribute, builder.getIndexAttr(*number));
    else
      mistyped(*parameter, spanOf(op->getLoc()), "index");
  }

  void bindAttribute(mlir::Operation *op, mlir::StringAttr attribute,
                     mlir::Attribute parameters) {
    mlir::Attribute literal = op->getAttr(attribute);
    auto name = llvm::dyn_cast<mlir::StringAttr>(parameters);
    auto names = llvm::dyn_cast<mlir::ArrayAttr>(parameters);
    auto list = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(literal);
    if (name && literal)
      return bindWhole(op, attribute, literal, name);
    if (names && list && names.size() == static_cast<size_t>(list.size()))
      return bindElements(op, attribute, list, names);
    auto keys = llvm::dyn_cast<mlir::DictionaryAttr>(parameters);
    auto map = llvm::dyn_cast_or_null<mlir::MapAttr>(literal);
    if (keys && map && llvm::all_of(keys, [&](mlir::NamedAttribute key) {
          return llvm::isa<mlir::StringAttr>(key.getValue()) &&
                 succeeded(map.query(key.getName()));
        }))
      return bindEntries(op, attribute, map, keys);
    fail(DiagKind::IrBadBinding, spanOf(op->getLoc()),
         "lh.bind needs {attribute = \"parameter\"} with a literal for the "
         "attribute, {attribute = [\"parameter\", 0, ...]} with one entry for "
         "each number of a list, or {attribute = {key = \"parameter\"}} for "
         "keys of a map; '" +
             op->getName().getStringRef() + "' has no such '" +
             attribute.getValue() + "' to replace");
  }

  void bindWhole(mlir::Operation *op, mlir::StringAttr attribute,
                 mlir::Attribute literal, mlir::StringAttr name) {
    known.insert(name.str());
    const BoundParameter *parameter = find(name);
    if (!parameter)
      return; // the literal is the default
    mlir::Attribute value = literalLike(literal, parameter->value);
    if (!value)
      return mistyped(*parameter, spanOf(op->getLoc()), printed(literal));
    op->setAttr(attribute, value);
  }

  /// Where `names` has text, the parameter's number takes the literal's place.
  void bindElements(mlir::Operation *op, mlir::StringAttr attribute,
                    mlir::DenseI64ArrayAttr literal, mlir::ArrayAttr names) {
    llvm::SmallVector<int64_t> numbers(literal.asArrayRef());
    for (auto [number, entry] : llvm::zip_equal(numbers, names)) {
      auto name = llvm::dyn_cast<mlir::StringAttr>(entry);
      if (!name)
        continue;
      known.insert(name.str());
      const BoundParameter *parameter = find(name);
      if (!parameter)
        continue;
      const auto *value = std::get_if<int64_t>(&parameter->value);
      if (!value)
        return mistyped(*parameter, spanOf(op->getLoc()), "i64");
      number = *value;
    }
    op->setAttr(attribute,
                mlir::DenseI64ArrayAttr::get(op->getContext(), numbers));
  }

  /// The parameters' values take the place of those of the map's `keys`.
  void bindEntries(mlir::Operation *op, mlir::StringAttr attribute,
                   mlir::MapAttr map, mlir::DictionaryAttr keys) {
    llvm::SmallVector<mlir::DataLayoutEntryInterface> entries;
    for (mlir::DataLayoutEntryInterface entry : map.getEntries()) {
      auto key = llvm::dyn_cast<mlir::StringAttr>(entry.getKey());
      auto name = key ? keys.getAs<mlir::StringAttr>(key) : nullptr;
      if (name)
        known.insert(name.str());
      const BoundParameter *parameter = name ? find(name) : nullptr;
      if (!parameter) {
        entries.push_back(entry);
        continue;
      }
      mlir::Attribute value = literalLike(entry.getValue(), parameter->value);
      if (!value)
        return mistyped(*parameter, spanOf(op->getLoc()),
                        printed(entry.getValue()));
      entries.push_back(mlir::DataLayoutEntryAttr::get(key, value));
    }
    op->setAttr(attribute, mlir::MapAttr::get(op->getContext(), entries));
  }

  void reportUnmatched() {
    std::vector<StringRef> names(known.begin(), known.end());
    for (const BoundParameter &parameter : action.parameters)
      if (!known.count(parameter.name.value))
        fail(DiagKind::IrUnknownParameter, parameter.name.where,
             "the schedule '" + action.file + "' has no parameter '" +
                 parameter.name.value + "'" +
                 didYouMean(parameter.name.value, names));
  }

  template <typename T> static std::string printed(T thing) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    thing.print(stream);
    return text;
  }

  void mistyped(const BoundParameter &parameter, SourceSpan boundAt,
                StringRef wanted) {
    fail(DiagKind::IrMistypedParameter, parameter.name.where,
         "the parameter '" + parameter.name.value + "' is " +
             describe(parameter.value) + "; the schedule takes '" + wanted +
             "'",
         {{std::move(boundAt), "bound here"}});
  }

  void fail(DiagKind kind, const SourceSpan &where, const Twine &message,
            std::vector<DiagnosticNote> notes = {}) {
    failedAny = true;
    (void)sink.error(kind, where, message, std::move(notes));
  }

  const ScheduleAction &action;
  /// What schedules may know of the kernel.
  std::vector<BoundParameter> ofKernel;
  DiagnosticSink &sink;
  std::set<std::string> known;
  bool failedAny = false;
};
} // namespace

FailureOr<BoundArguments> lh::bindParameters(mlir::ModuleOp schedule,
                                             transform::NamedSequenceOp entry,
                                             const ScheduleAction &action,
                                             DiagnosticSink &sink) {
  return Binder(action, sink).run(schedule, entry);
}
