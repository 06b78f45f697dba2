// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values are read from nodes and written as nodes: plain ones, and those
// of declarations that aren't written by keys alone.
#ifndef LH_CORE_MANIFEST_VALUES_H
#define LH_CORE_MANIFEST_VALUES_H

#include "core/manifest/KeyTable.h"
#include "core/manifest/Manifest.h"

namespace lh {

/// Reads the keys of `mapping` that `node` has into `owner`, of the mapping's
/// type, and marks what has errors as broken.
void readKeys(YamlNode &node, const MappingSpec &mapping, void *owner,
              DiagnosticSink &sink);
/// What `owner` says, as a mapping; defaults are left out.
YamlNode writeKeys(const void *owner, const MappingSpec &mapping);

// Each reads what the checker has seen. What has the wrong form was reported:
// then the result is false, and `into` stays as it is.
bool readValue(const Reading &from, bool &into);
bool readValue(const Reading &from, double &into);
bool readValue(const Reading &from, std::string &into);
bool readValue(const Reading &from, Value &into);
bool readValue(const Reading &from, Expression &into);
bool readValue(const Reading &from,
               std::map<std::string, Located<Value>> &into);
bool readValue(const Reading &from, Bindings &into);
bool readValue(const Reading &from, FactCondition &into);
bool readValue(const Reading &from, CheckFile &into);
bool readValue(const Reading &from, MatchedDecl &into);
bool readValue(const Reading &from, WinogradDecl &into);
bool readValue(const Reading &from, ExecuteDecl &into);
bool readValue(const Reading &from, ElementRange &into);
bool readValue(const Reading &from, std::vector<EdgeDecl> &into);
bool readValue(const Reading &from, VerifyDecl &into);

YamlNode writeValue(bool value, const ValueSpec &spec);
YamlNode writeValue(double value, const ValueSpec &spec);
YamlNode writeValue(const std::string &value, const ValueSpec &spec);
YamlNode writeValue(const Value &value, const ValueSpec &spec);
YamlNode writeValue(const Expression &value, const ValueSpec &spec);
YamlNode writeValue(const Bindings &value, const ValueSpec &spec);
YamlNode writeValue(const FactCondition &value, const ValueSpec &spec);
YamlNode writeValue(const CheckFile &value, const ValueSpec &spec);
YamlNode writeValue(const MatchedDecl &value, const ValueSpec &spec);
YamlNode writeValue(const WinogradDecl &value, const ValueSpec &spec);
YamlNode writeValue(const ExecuteDecl &value, const ValueSpec &spec);
YamlNode writeValue(const LetDecl &value, const ValueSpec &spec);
YamlNode writeValue(const NumberDecl &value, const ValueSpec &spec);
YamlNode writeValue(const ElementRange &value, const ValueSpec &spec);
YamlNode writeValue(const std::vector<EdgeDecl> &value, const ValueSpec &spec);
YamlNode writeValue(const VerifyDecl &value, const ValueSpec &spec);

/// Of a bubble: the words go to its ingress, if that is a command.
void readCommand(void *bubble, const Reading &from);
void readExporter(void *bubble, const Reading &from);
YamlNode writeCommand(const void *bubble, const ValueSpec &spec, bool always);
YamlNode writeExporter(const void *bubble, const ValueSpec &spec, bool always);

/// Looks at a declaration as a whole, once its keys are read: fills in what
/// follows from them, and reports what they can't mean together.
template <typename T> void complete(T &, const Reading &) {}
void complete(ParameterDecl &parameter, const Reading &from);
void complete(FormDecl &form, const Reading &from);
void complete(BubbleDecl &bubble, const Reading &from);
void complete(PipelineDecl &pipeline, const Reading &from);
void complete(GenerateCase &generate, const Reading &from);
void complete(CaseDecl &decl, const Reading &from);

} // namespace lh

#endif // LH_CORE_MANIFEST_VALUES_H
