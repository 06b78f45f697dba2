// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages of docs/reference/, from the tables that the engine works by.
#include "core/manifest/Schema.h"

#include "core/manifest/KeyTable.h"
#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace lh;
using Form = ValueSpec::Form;

static std::string beginOf(StringRef title, StringRef which) {
  return ("<!-- Written by `lh-run schema --markdown " + which +
          "`; don't edit. -->\n# " + title + "\n")
      .str();
}

/// Of a table: '|' ends a cell.
static std::string cell(const Twine &text) {
  std::string escaped = text.str();
  for (size_t at = 0; (at = escaped.find('|', at)) != std::string::npos;)
    escaped.replace(at, 1, "\\|"), at += 2;
  return escaped;
}

static std::string codeList(ArrayRef<StringRef> words) {
  std::vector<std::string> quoted;
  for (StringRef word : words)
    quoted.push_back(("`" + word + "`").str());
  return llvm::join(quoted, ", ");
}

namespace {

/// Writes a section for each mapping, the inner ones below the one that has
/// them. Those that several keys have are written once.
class KeyPage {
public:
  KeyPage() : out(text) {}
  void section(const MappingSpec &mapping, const std::string &heading,
               StringRef path);
  std::string text;

private:
  std::string valueText(const ValueSpec &spec, const std::string &path);
  std::string oneForm(const ValueSpec &spec, const std::string &path);
  void row(const KeySpec &key, const std::string &path);

  llvm::raw_string_ostream out;
  std::map<const MappingSpec *, std::string> headings;
  /// Of the section at hand, to be written after it.
  std::vector<std::pair<const MappingSpec *, std::string>> inner;
};

} // namespace

/// A heading as GitHub makes a link of it.
static std::string anchorOf(StringRef heading) {
  std::string anchor;
  for (char c : heading.lower())
    if (llvm::isAlnum(c) || c == '_' || c == '-' || c == ' ')
      anchor += c == ' ' ? '-' : c;
  return anchor;
}

static std::string rangeText(const ValueSpec &spec) {
  bool hasLeast = std::isfinite(spec.minimum);
  bool hasMost = std::isfinite(spec.maximum);
  std::string least = lh::valueText(spec.minimum);
  std::string most = lh::valueText(spec.maximum);
  return hasLeast && hasMost ? ", " + least + " to " + most
         : hasLeast          ? ", at least " + least
         : hasMost           ? ", at most " + most
                             : "";
}

std::string KeyPage::oneForm(const ValueSpec &spec, const std::string &path) {
  static constexpr StringRef plain[] = {
      "`1`",  "`true` or `false`", "integer", "number",
      "text", "one of ",           "value",   "value with references"};
  if (spec.form == Form::List)
    return "list of: " + valueText(*spec.element, path);
  if (spec.form == Form::MapOf)
    return (spec.words.empty() ? "names, each with: " : "names (") +
           codeList(spec.words) + (spec.words.empty() ? "" : "), each with: ") +
           valueText(*spec.element, path + ".NAME");
  if (spec.form != Form::Mapping)
    return spec.words.size() == 1
               ? codeList(spec.words)
               : plain[static_cast<size_t>(spec.form)].str() +
                     codeList(spec.words) + rangeText(spec);
  auto [known, isNew] = headings.try_emplace(spec.mapping, "`" + path + "`");
  if (isNew)
    inner.emplace_back(spec.mapping, path);
  return "[keys](#" + anchorOf(known->second) + ")";
}

std::string KeyPage::valueText(const ValueSpec &spec, const std::string &path) {
  std::string forms = oneForm(spec, path);
  if (spec.alternative)
    forms += ", or " + valueText(*spec.alternative, path);
  return forms;
}

void KeyPage::row(const KeySpec &key, const std::string &path) {
  std::string when;
  if (key.rules.required)
    when = "Required. ";
  if (!key.rules.needs.empty())
    when = ("Beside `" + key.rules.needs + "`. ").str();
  out << "| `" << key.name << "` | " << cell(valueText(key.value, path))
      << " | "
      << cell(when + key.doc + (key.more.empty() ? "" : " ") + key.more)
      << " | `" << cell(key.example) << "` |\n";
}

void KeyPage::section(const MappingSpec &mapping, const std::string &heading,
                      StringRef path) {
  out << (path.empty() ? "\n## " : "\n### ") << heading << '\n';
  if (!mapping.about.empty())
    out << mapping.about << '\n';
  if (!mapping.exactlyOneOf.empty()) {
    std::vector<StringRef> keys;
    for (const ChoiceSpec &choice : mapping.exactlyOneOf)
      keys.push_back(choice.key);
    out << "Exactly one of " << codeList(keys) << ".";
    for (const ChoiceSpec &choice : mapping.exactlyOneOf)
      if (!choice.unless.empty())
        out << " `" << choice.key << "` may also stand beside `"
            << choice.unless << "`.";
    out << '\n';
  }
  out << "\n| key | value | meaning | example |\n|---|---|---|---|\n";
  for (const KeySpec &key : mapping.keys)
    row(key, path.empty() ? key.name.str() : (path + "." + key.name).str());
  auto below = std::exchange(inner, {});
  for (const auto &[within, place] : below)
    section(*within, "`" + place + "`", place);
}

std::string lh::manifestPage() {
  KeyPage page;
  page.text =
      beginOf("Keys of manifests, bubble files, targets and kernels",
              "manifest") +
      R"(Files are YAML or JSON. [manifest.md](../manifest.md) introduces them.

- Unknown and duplicate keys are errors. Anchors and aliases work; the merge key `<<` and tags do not.
- Limits: 4 MiB, 100,000 values and 64 levels in a file.
- A *text* takes no references. A *value* is `true`, `false`, a number (`4`, `0x10`, `0.5`, `1e-3`) or a text; in quotes it is a text whatever it looks like.
- *References*: `${params.x}` is a parameter, `${let.x}` a computed value of a bubble file, `${target.x}` a fact of the target, `${case.model}` and `${case.name}` the case's, `${sweep.x}` a point of the target's sweep. A value that is one reference keeps its type; within a text it becomes text. `$${` stands for `${`.
- *Names* are letters, digits, `_`, `-` and `.`, the first a letter, digit or `_`.
- Relative paths are relative to the file that has them. `lib:area/name` is `schedules/area/name.yaml` of the library.
)";
  page.section(manifestMapping(), "Manifest", "");
  page.section(bubbleFileMapping(), "Bubble file", "");
  page.section(targetMapping(), "Target file", "");
  page.section(kernelMapping(), "Kernel file", "");
  page.section(toolMapping(), "Tool file", "");
  page.section(tunedMapping(), "Tuned file", "");
  return page.text;
}

std::string lh::diagnosticsPage() {
  static constexpr StringRef kinds[][3] = {
#define LH_DIAG(Name, Text, Meaning, Remedy) {Text, Meaning, Remedy},
#include "core/support/Diagnostics.def"
  };
  std::string text =
      beginOf("Kinds of diagnostics", "diagnostics") +
      "The kind stands in brackets at the end of a message. Its first word is "
      "the part of the engine that reports it.\n\n"
      "| kind | meaning | what to do |\n|---|---|---|\n";
  for (const auto &[kind, meaning, remedy] : kinds)
    text += "| `" + kind.str() + "` | " + cell(meaning) + " | " + cell(remedy) +
            " |\n";
  return text;
}

std::string lh::factsPage(const std::map<std::string, DefaultFacts> &files) {
  std::map<std::string, std::string> meanings;
  for (const auto &[file, facts] : files)
    meanings.insert(facts.meanings.begin(), facts.meanings.end());
  std::string text =
      beginOf("Facts of targets", "facts") +
      R"(Facts are what schedules, bubbles and conditions may know of a target: `${target.x}`, and `when`. A target's file gives them under `facts`. What it leaves out comes from the target that it `extends`, else from the defaults: of the backend, the architecture, and each feature that the target lists or LLVM knows of its `cpu`. The more specific default wins. `lh-run list MANIFEST --facts` shows all facts of a manifest's targets with their files.

| fact | meaning | default |
|---|---|---|
)";
  for (const auto &[name, meaning] : meanings) {
    std::vector<std::string> defaults;
    for (const auto &[file, facts] : files)
      if (auto fact = facts.facts.find(name); fact != facts.facts.end())
        defaults.push_back(file + ": " + lh::valueText(fact->second.value));
    text += "| `" + name + "` | " + cell(meaning) + " | " +
            llvm::join(defaults, "; ") + " |\n";
  }
  return text;
}
