// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a bubble file computes and demands: `let:` and `constraints:`.
#include "core/manifest/ComputedReader.h"

#include "core/manifest/BubbleReader.h"
#include "core/manifest/FormulaParser.h"
#include "core/manifest/NodeValues.h"

using namespace lh;

static std::optional<FormulaType> typeOf(ParameterType type) {
  switch (type) {
  case ParameterType::Bool:
    return FormulaType::Boolean;
  case ParameterType::Int:
    return FormulaType::Integer;
  case ParameterType::Float:
    return std::nullopt;
  case ParameterType::String:
  case ParameterType::Path:
    return FormulaType::Text;
  }
  return std::nullopt;
}

static FormulaNames namesOf(ArrayRef<ParameterDecl> parameters,
                            const BrokenPart &broken) {
  FormulaNames names;
  names.lacksSome = broken.lacksSome;
  for (const ParameterDecl &parameter : parameters) {
    FormulaNames::Name name{Reference::Scope::Params, typeOf(parameter.type)};
    if (broken.names.count(parameter.name.value))
      name.type = FormulaType::Unknown;
    names.known[parameter.name.value] = name;
  }
  return names;
}

static void readLets(const YamlNode &root, BubbleFile &file,
                     FormulaNames &names, BrokenPart &broken,
                     DiagnosticSink &sink) {
  if (const YamlNode *lets = root.find("let"))
    for (const Located<std::string> &name : lets->keys)
      names.later.insert(name.value);
  auto read = [&](const Located<std::string> &name, const YamlNode &node) {
    if (names.known.count(name.value)) {
      (void)sink.error(DiagKind::ManifestBadName, name.where,
                       "'" + name.value +
                           "' is a parameter; a computed value needs a name "
                           "of its own");
      return;
    }
    FailureOr<Formula> formula = failure();
    if (node.isScalar() && !node.isBroken)
      formula = parseFormula(node, names, sink);
    FormulaType type =
        succeeded(formula) ? formula->type : FormulaType::Unknown;
    names.known[name.value] = {Reference::Scope::Let, type};
    if (succeeded(formula))
      file.lets.push_back({name, std::move(formula->expression)});
    else
      broken.names.insert(name.value);
  };
  readEntries(root, "let", broken, sink, read);
  names.later.clear();
  names.lacksSome |= broken.lacksSome;
}

static void readConstraint(const YamlNode &node, const FormulaNames &names,
                           BubbleFile &file, DiagnosticSink &sink) {
  const YamlNode *that = node.find("that");
  if (!that || !that->isScalar() || that->isBroken)
    return;
  FailureOr<Formula> formula = parseFormula(*that, names, sink);
  if (failed(formula))
    return;
  if (formula->type != FormulaType::Boolean) {
    (void)sink.error(DiagKind::ManifestWrongType, that->where,
                     "'" + that->text + "' is " +
                         formulaTypeName(formula->type) +
                         "; a constraint is a boolean, such as 'x > 0'");
    return;
  }
  file.constraints.push_back({std::move(formula->expression), that->text,
                              textOf(node, "because").value});
}

void lh::readComputed(const YamlNode &root, BubbleFile &file,
                      BrokenParts &broken, DiagnosticSink &sink) {
  FormulaNames names = namesOf(file.params, broken.params);
  readLets(root, file, names, broken.lets, sink);
  BrokenPart unused; // nothing refers to a constraint
  readItems(root, "constraints", unused, sink, [&](const YamlNode &node) {
    readConstraint(node, names, file, sink);
  });
}
