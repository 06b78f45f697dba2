// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// provenance.json: a table of fields, read and written.
#include "core/plan/Provenance.h"

#include "core/manifest/YamlReader.h"
#include "core/numerics/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;
namespace json = llvm::json;

static constexpr StringRef hint = "; 'lh-run record' writes a whole one";

//===-- The form of each field --------------------------------------------===//

static bool isText(const json::Value &value) {
  return value.getAsString() && !value.getAsString()->empty();
}
static bool isCount(const json::Value &value) {
  return value.getAsInteger() && *value.getAsInteger() >= 0;
}
static bool isHash(const json::Value &value) {
  std::optional<StringRef> text = value.getAsString();
  return text && text->size() == 64 && llvm::all_of(*text, llvm::isHexDigit);
}
static bool isType(const json::Value &value) {
  std::optional<StringRef> text = value.getAsString();
  std::optional<DType> dtype = text ? parseDType(*text) : std::nullopt;
  return dtype && dtypeName(*dtype) == *text;
}
template <bool (*fits)(const json::Value &)>
static bool isMapOf(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  return object && !object->empty() &&
         llvm::all_of(*object,
                      [](const auto &entry) { return fits(entry.second); });
}
static bool isObject(const json::Value &value) {
  return value.kind() == json::Value::Object;
}

namespace {
struct FieldSpec {
  StringRef name;
  bool required;
  bool (*fits)(const json::Value &);
  StringRef form; ///< for messages
};
} // namespace

static constexpr FieldSpec fields[] = {
    {"producer", true, isText, "a string"},
    {"versions", true, isMapOf<isText>, "an object of strings"},
    {"source", false, isText, "a string"},
    {"target", true, isText, "a string"},
    {"dtypes", true, isMapOf<isType>, "an object of element types by output"},
    {"quantisation", false, isText, "a string"},
    {"seed", false, isCount, "an integer that is not negative"},
    {"model", false, isText, "a string"},
    {"model_sha256", true, isHash, "64 hexadecimal digits"},
    {"files", false, isMapOf<isHash>, "an object of SHA-256 by file"},
    {"nans", false, isMapOf<isCount>, "an object of counts by output"},
    {"notes", false, isObject, "an object"},
};

//===-- Reading -----------------------------------------------------------===//

/// JSON's own complaint, "[3:1, byte=5]: Expected ...", at its place.
static LogicalResult reportSyntax(llvm::Error error, StringRef file,
                                  DiagnosticSink &sink) {
  std::string message = llvm::toString(std::move(error));
  StringRef rest = message;
  SourceSpan where{file.str()};
  if (rest.consume_front("[") && !rest.consumeInteger(10, where.line) &&
      rest.consume_front(":") && !rest.consumeInteger(10, where.column))
    rest = rest.split("]: ").second;
  else
    rest = message;
  return sink.error(DiagKind::PlanGoldenProvenance, where,
                    "this is not JSON: " + rest + hint);
}

/// The places of keys and values: JSON is YAML too. Without duplicate keys.
static FailureOr<YamlNode> readPlaces(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  CollectingSink collected;
  FailureOr<YamlNode> root = readYaml(text, file, collected);
  for (const Diagnostic &problem : collected.diagnostics())
    (void)sink.error(DiagKind::PlanGoldenProvenance, problem.where,
                     problem.message, problem.notes);
  if (collected.errorCount() > 0)
    return failure();
  return root;
}

static LogicalResult checkFields(const json::Object &object,
                                 const YamlNode &places, DiagnosticSink &sink) {
  LogicalResult result = success();
  auto report = [&](const SourceSpan &where, const Twine &message) {
    result = sink.error(DiagKind::PlanGoldenProvenance, where, message);
  };
  std::vector<StringRef> names;
  for (const FieldSpec &field : fields)
    names.push_back(field.name);
  for (const Located<std::string> &key : places.keys)
    if (!llvm::is_contained(names, StringRef(key.value)))
      report(key.where, "unknown field '" + key.value + "'" +
                            didYouMean(key.value, names));
  for (const FieldSpec &field : fields) {
    const json::Value *value = object.get(field.name);
    if (!value && field.required)
      report(places.where, "there is no field '" + field.name + "'" + hint);
    else if (value && !field.fits(*value))
      report(places.whereKey(field.name),
             "'" + field.name + "' must be " + field.form);
  }
  return result;
}

static std::string textAt(const json::Object &object, StringRef name) {
  return object.getString(name).value_or("").str();
}

static std::map<std::string, std::string> textsAt(const json::Object &object,
                                                  StringRef name) {
  std::map<std::string, std::string> texts;
  if (const json::Object *entries = object.getObject(name))
    for (const auto &[key, value] : *entries)
      texts[key.str()] = value.getAsString().value_or("").str();
  return texts;
}

static Provenance fromJson(const json::Object &object) {
  Provenance provenance;
  provenance.producer = textAt(object, "producer");
  provenance.versions = textsAt(object, "versions");
  provenance.source = textAt(object, "source");
  provenance.target = textAt(object, "target");
  provenance.dtypes = textsAt(object, "dtypes");
  provenance.quantisation = textAt(object, "quantisation");
  provenance.seed = object.getInteger("seed");
  provenance.model = textAt(object, "model");
  provenance.modelHash = textAt(object, "model_sha256");
  provenance.files = textsAt(object, "files");
  if (const json::Object *counts = object.getObject("nans"))
    for (const auto &[key, value] : *counts)
      provenance.nans[key.str()] = value.getAsInteger().value_or(0);
  if (const json::Value *notes = object.get("notes"))
    provenance.notes = *notes;
  return provenance;
}

FailureOr<Provenance> lh::readProvenance(StringRef text, StringRef file,
                                         DiagnosticSink &sink) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return reportSyntax(value.takeError(), file, sink);
  const json::Object *object = value->getAsObject();
  if (!object)
    return sink.error(DiagKind::PlanGoldenProvenance, {file.str(), 1, 1},
                      "provenance must be a JSON object" + hint);
  FailureOr<YamlNode> places = readPlaces(text, file, sink);
  if (failed(places) || failed(checkFields(*object, *places, sink)))
    return failure();
  return fromJson(*object);
}

//===-- Writing -----------------------------------------------------------===//

template <typename Values>
static void writeMap(json::OStream &out, StringRef name, const Values &values) {
  if (values.empty())
    return;
  out.attributeObject(name, [&] {
    for (const auto &[key, value] : values)
      out.attribute(key, value);
  });
}

static void writeText(json::OStream &out, StringRef name, StringRef text) {
  if (!text.empty())
    out.attribute(name, text);
}

std::string lh::provenanceText(const Provenance &provenance) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream, /*IndentSize=*/2);
  out.object([&] {
    writeText(out, "producer", provenance.producer);
    writeMap(out, "versions", provenance.versions);
    writeText(out, "source", provenance.source);
    writeText(out, "target", provenance.target);
    writeMap(out, "dtypes", provenance.dtypes);
    writeText(out, "quantisation", provenance.quantisation);
    if (provenance.seed)
      out.attribute("seed", *provenance.seed);
    writeText(out, "model", provenance.model);
    writeText(out, "model_sha256", provenance.modelHash);
    writeMap(out, "files", provenance.files);
    writeMap(out, "nans", provenance.nans);
    if (provenance.notes)
      out.attribute("notes", *provenance.notes);
  });
  stream << '\n';
  return text;
}
