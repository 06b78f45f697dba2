// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON Schemas (draft-07) of the file formats, from the table of keys.
#include "core/manifest/Schema.h"

#include "core/json/Json.h"
#include "core/manifest/KeyTable.h"

#include <cmath>
#include <map>
#include <set>

using namespace lh;
using Form = ValueSpec::Form;
/// With its keys in alphabetical order.
using Schema = nlohmann::json;

namespace {

/// Writes each mapping once, under `definitions`.
class SchemaWriter {
public:
  Schema mappingSchema(const MappingSpec &mapping);
  Schema definitions;

private:
  Schema valueSchema(const ValueSpec &spec);
  Schema oneForm(const ValueSpec &spec);
  Schema mapSchema(const ValueSpec &spec);
  Schema keySchema(const KeySpec &key);
  std::string define(const MappingSpec &mapping);

  std::map<const MappingSpec *, std::string> names;
  std::set<std::string> taken;
};

} // namespace

static Schema wordsSchema(ArrayRef<StringRef> words) {
  Schema array = Schema::array();
  for (StringRef word : words)
    array.push_back(word.str());
  return {{"enum", std::move(array)}};
}

/// A bound of a whole number is one.
static Schema boundOf(double bound) {
  return bound == std::trunc(bound) ? Schema(static_cast<int64_t>(bound))
                                    : Schema(bound);
}

std::string SchemaWriter::define(const MappingSpec &mapping) {
  auto known = names.find(&mapping);
  if (known != names.end())
    return known->second;
  std::string name = mapping.title.str();
  for (int i = 2; !taken.insert(name).second; ++i)
    name = (mapping.title + "-" + Twine(i)).str();
  // Known before it is written: a condition holds conditions.
  names[&mapping] = name;
  Schema schema = mappingSchema(mapping);
  definitions[name] = std::move(schema);
  return name;
}

Schema SchemaWriter::mapSchema(const ValueSpec &spec) {
  Schema schema = {{"type", "object"}};
  if (spec.words.empty())
    schema["propertyNames"] = {{"pattern", namePattern.str()}};
  else
    schema["propertyNames"] = wordsSchema(spec.words);
  schema["additionalProperties"] = valueSchema(*spec.element);
  if (spec.nonEmpty)
    schema["minProperties"] = 1;
  return schema;
}

Schema SchemaWriter::oneForm(const ValueSpec &spec) {
  Schema schema;
  switch (spec.form) {
  case Form::Version:
    return {{"const", 1}};
  case Form::Boolean:
    return {{"type", "boolean"}};
  case Form::Integer:
  case Form::Number:
    schema["type"] = spec.form == Form::Integer ? "integer" : "number";
    if (std::isfinite(spec.minimum))
      schema["minimum"] = boundOf(spec.minimum);
    if (std::isfinite(spec.maximum))
      schema["maximum"] = boundOf(spec.maximum);
    return schema;
  case Form::Text:
    return {{"type", "string"}};
  case Form::Word:
    return wordsSchema(spec.words);
  case Form::Scalar:
  case Form::Expression:
    return {{"type", {"boolean", "number", "string"}}};
  case Form::List:
    schema["type"] = "array";
    schema["items"] = valueSchema(*spec.element);
    if (spec.nonEmpty)
      schema["minItems"] = 1;
    return schema;
  case Form::MapOf:
    return mapSchema(spec);
  case Form::Mapping:
    return {{"$ref", "#/definitions/" + define(*spec.mapping)}};
  }
  return schema;
}

Schema SchemaWriter::valueSchema(const ValueSpec &spec) {
  if (!spec.alternative)
    return oneForm(spec);
  Schema forms = Schema::array();
  for (const ValueSpec *form = &spec; form; form = form->alternative)
    forms.push_back(oneForm(*form));
  return {{"anyOf", std::move(forms)}};
}

Schema SchemaWriter::keySchema(const KeySpec &key) {
  Schema schema = valueSchema(key.value);
  // Draft-07 ignores what stands beside a $ref.
  if (schema.contains("$ref"))
    schema = {{"allOf", Schema::array({std::move(schema)})}};
  schema["description"] =
      (key.doc + " Example: " + key.name + ": " + key.example).str();
  return schema;
}

Schema SchemaWriter::mappingSchema(const MappingSpec &mapping) {
  Schema properties = Schema::object();
  Schema dependencies, required, choices;
  for (const KeySpec &key : mapping.keys) {
    properties[key.name.str()] = keySchema(key);
    if (key.rules.required)
      required.push_back(key.name.str());
    if (!key.rules.needs.empty())
      dependencies[key.name.str()] = Schema::array({key.rules.needs.str()});
  }
  for (const ChoiceSpec &choice : mapping.exactlyOneOf) {
    Schema alternative = {{"required", Schema::array({choice.key.str()})}};
    if (!choice.unless.empty())
      alternative["not"] = {{"required", Schema::array({choice.unless.str()})}};
    choices.push_back(std::move(alternative));
  }
  Schema schema = {{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = std::move(properties);
  if (!required.empty())
    schema["required"] = std::move(required);
  if (!dependencies.empty())
    schema["dependencies"] = std::move(dependencies);
  if (!choices.empty())
    schema["oneOf"] = std::move(choices);
  return schema;
}

static std::string documentSchema(const MappingSpec &mapping) {
  SchemaWriter writer;
  Schema schema = writer.mappingSchema(mapping);
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = ("lh-run " + mapping.title).str();
  schema["definitions"] = std::move(writer.definitions);
  return printJson(schema);
}

std::string lh::manifestSchema() { return documentSchema(manifestMapping()); }

std::string lh::bubbleFileSchema() {
  return documentSchema(bubbleFileMapping());
}

std::string lh::targetSchema() { return documentSchema(targetMapping()); }

std::string lh::kernelSchema() { return documentSchema(kernelMapping()); }

std::string lh::toolSchema() { return documentSchema(toolMapping()); }

std::string lh::tunedSchema() { return documentSchema(tunedMapping()); }
