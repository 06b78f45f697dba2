// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON Schemas (draft-07) of the file formats, from the table of keys.
#include "core/manifest/Schema.h"

#include "core/manifest/KeyTable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <map>
#include <set>

using namespace lh;
using Form = ValueSpec::Form;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// Writes each mapping once, under `definitions`.
class SchemaWriter {
public:
  Object mappingSchema(const MappingSpec &mapping);
  Object definitions;

private:
  Object valueSchema(const ValueSpec &spec);
  Object oneForm(const ValueSpec &spec);
  Object mapSchema(const ValueSpec &spec);
  Object keySchema(const KeySpec &key);
  std::string define(const MappingSpec &mapping);

  std::map<const MappingSpec *, std::string> names;
  std::set<std::string> taken;
};

} // namespace

static Array stringArray(ArrayRef<StringRef> words) {
  Array array;
  for (StringRef word : words)
    array.push_back(word);
  return array;
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
  Object schema = mappingSchema(mapping);
  definitions[name] = std::move(schema);
  return name;
}

Object SchemaWriter::mapSchema(const ValueSpec &spec) {
  Object schema{{"type", "object"}};
  if (spec.words.empty())
    schema["propertyNames"] = Object{{"pattern", namePattern}};
  else
    schema["propertyNames"] = Object{{"enum", stringArray(spec.words)}};
  schema["additionalProperties"] = valueSchema(*spec.element);
  if (spec.nonEmpty)
    schema["minProperties"] = 1;
  return schema;
}

Object SchemaWriter::oneForm(const ValueSpec &spec) {
  Object schema;
  switch (spec.form) {
  case Form::Version:
    return Object{{"const", 1}};
  case Form::Boolean:
    return Object{{"type", "boolean"}};
  case Form::Integer:
  case Form::Number:
    schema["type"] = spec.form == Form::Integer ? "integer" : "number";
    if (std::isfinite(spec.minimum))
      schema["minimum"] = spec.minimum;
    if (std::isfinite(spec.maximum))
      schema["maximum"] = spec.maximum;
    return schema;
  case Form::Text:
    return Object{{"type", "string"}};
  case Form::Word:
    return Object{{"enum", stringArray(spec.words)}};
  case Form::Scalar:
  case Form::Expression:
    return Object{{"type", Array{"boolean", "number", "string"}}};
  case Form::List:
    schema["type"] = "array";
    schema["items"] = valueSchema(*spec.element);
    if (spec.nonEmpty)
      schema["minItems"] = 1;
    return schema;
  case Form::MapOf:
    return mapSchema(spec);
  case Form::Mapping:
    return Object{{"$ref", "#/definitions/" + define(*spec.mapping)}};
  }
  return schema;
}

Object SchemaWriter::valueSchema(const ValueSpec &spec) {
  if (!spec.alternative)
    return oneForm(spec);
  Array forms;
  for (const ValueSpec *form = &spec; form; form = form->alternative)
    forms.push_back(oneForm(*form));
  return Object{{"anyOf", std::move(forms)}};
}

Object SchemaWriter::keySchema(const KeySpec &key) {
  Object schema = valueSchema(key.value);
  // Draft-07 ignores what stands beside a $ref.
  if (schema.get("$ref"))
    schema = Object{{"allOf", Array{std::move(schema)}}};
  schema["description"] =
      (key.doc + " Example: " + key.name + ": " + key.example).str();
  return schema;
}

Object SchemaWriter::mappingSchema(const MappingSpec &mapping) {
  Object properties, dependencies;
  Array required, choices;
  for (const KeySpec &key : mapping.keys) {
    properties[key.name] = keySchema(key);
    if (key.rules.required)
      required.push_back(key.name);
    if (!key.rules.needs.empty())
      dependencies[key.name] = Array{key.rules.needs};
  }
  for (const ChoiceSpec &choice : mapping.exactlyOneOf) {
    Object alternative{{"required", Array{choice.key}}};
    if (!choice.unless.empty())
      alternative["not"] = Object{{"required", Array{choice.unless}}};
    choices.push_back(std::move(alternative));
  }
  Object schema{{"type", "object"}, {"additionalProperties", false}};
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
  Object schema = writer.mappingSchema(mapping);
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = ("lh-run " + mapping.title).str();
  schema["definitions"] = std::move(writer.definitions);
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(schema)));
}

std::string lh::manifestSchema() { return documentSchema(manifestMapping()); }

std::string lh::bubbleFileSchema() {
  return documentSchema(bubbleFileMapping());
}

std::string lh::targetSchema() { return documentSchema(targetMapping()); }
