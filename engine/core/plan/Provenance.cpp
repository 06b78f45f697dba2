// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// provenance.json: a table of fields, read and written.
#include "core/plan/Provenance.h"

#include "core/json/Fields.h"
#include "core/manifest/YamlReader.h"
#include "core/numerics/Tensor.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

static constexpr StringRef hint = "; 'lh-run record' writes a whole one";

//===-- The form of each field --------------------------------------------===//

static bool isText(const nlohmann::json &value) {
  return value.is_string() && !value.get_ref<const std::string &>().empty();
}
static bool isCount(const nlohmann::json &value) {
  return value.is_number_unsigned();
}
static bool isHash(const nlohmann::json &value) {
  return isText(value) && value.get_ref<const std::string &>().size() == 64 &&
         llvm::all_of(value.get_ref<const std::string &>(), llvm::isHexDigit);
}
static bool isType(const nlohmann::json &value) {
  std::optional<DType> dtype;
  if (isText(value))
    dtype = parseDType(value.get_ref<const std::string &>());
  return dtype && dtypeName(*dtype) == value.get_ref<const std::string &>();
}
template <bool (*fits)(const nlohmann::json &)>
static bool isMapOf(const nlohmann::json &value) {
  return value.is_object() && !value.empty() && llvm::all_of(value, fits);
}
static bool isObject(const nlohmann::json &value) { return value.is_object(); }

/// Calls `visit` with each field's name and member, whether it must be there,
/// and its form, also in words.
static void visitFields(auto &provenance, auto visit) {
  auto &p = provenance;
  visit("producer", p.producer, true, isText, "a string");
  visit("versions", p.versions, true, isMapOf<isText>, "an object of strings");
  visit("source", p.source, false, isText, "a string");
  visit("target", p.target, true, isText, "a string");
  visit("dtypes", p.dtypes, true, isMapOf<isType>,
        "an object of element types by output");
  visit("quantisation", p.quantisation, false, isText, "a string");
  visit("seed", p.seed, false, isCount, "an integer that is not negative");
  visit("model", p.model, false, isText, "a string");
  visit("model_sha256", p.modelHash, true, isHash, "64 hexadecimal digits");
  visit("files", p.files, false, isMapOf<isHash>,
        "an object of SHA-256 by file");
  visit("nans", p.nans, false, isMapOf<isCount>,
        "an object of counts by output");
}

//===-- Reading -----------------------------------------------------------===//

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

static LogicalResult checkFields(const nlohmann::json &object,
                                 const YamlNode &places, DiagnosticSink &sink) {
  LogicalResult result = success();
  auto report = [&](const SourceSpan &where, const Twine &message) {
    result = sink.error(DiagKind::PlanGoldenProvenance, where, message);
  };
  std::vector<StringRef> names;
  auto check = [&](const char *name, const auto &, bool isRequired, auto fits,
                   const char *form) {
    names.push_back(name);
    auto value = object.find(name);
    if (value == object.end() && isRequired)
      report(places.where, "there is no field '" + Twine(name) + "'" + hint);
    else if (value != object.end() && !fits(*value))
      report(places.whereKey(name), "'" + Twine(name) + "' must be " + form);
  };
  Provenance any;
  visitFields(any, check);
  check("notes", any.notes, false, isObject, "an object");
  for (const Located<std::string> &key : places.keys)
    if (!llvm::is_contained(names, StringRef(key.value)))
      report(key.where, "unknown field '" + key.value + "'" +
                            didYouMean(key.value, names));
  return result;
}

FailureOr<Provenance> lh::readProvenance(StringRef text, StringRef file,
                                         DiagnosticSink &sink) {
  JsonDocument document{file.str(), text, sink, DiagKind::PlanGoldenProvenance,
                        "lh-run record"};
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  if (!json->is_object())
    return sink.error(DiagKind::PlanGoldenProvenance, {file.str(), 1, 1},
                      "provenance must be a JSON object" + hint);
  FailureOr<YamlNode> places = readPlaces(text, file, sink);
  if (failed(places) || failed(checkFields(*json, *places, sink)))
    return failure();
  Provenance provenance;
  JsonCursor top(document, *json);
  FieldReader reader(top, FieldUse::Report);
  visitFields(provenance, [&](const char *name, auto &field, auto...) {
    reader.late(name, field);
  });
  if (auto notes = json->find("notes"); notes != json->end())
    provenance.notes = notes->dump();
  return provenance;
}

//===-- Writing -----------------------------------------------------------===//

std::string lh::provenanceText(const Provenance &provenance) {
  FieldWriter writer(FieldUse::Report);
  visitFields(provenance, [&](const char *name, const auto &field, auto...) {
    writer.ifAny(name, field);
  });
  if (!provenance.notes.empty())
    writer.json["notes"] = Json::parse(provenance.notes);
  return printJson(writer.json);
}
