// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest that does one bubble of a plan, and nothing else.
#include "core/plan/ReproducerManifest.h"

#include "core/manifest/FormText.h"
#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace lh;

static std::string listText(ArrayRef<std::string> words) {
  return "[" +
         llvm::join(llvm::map_range(words,
                                    [](const std::string &word) {
                                      return quotedText(word);
                                    }),
                    ", ") +
         "]";
}

std::string lh::plainBubbleName(StringRef bubble) {
  std::string name = bubble.str();
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

namespace {

/// The keys of one bubble, a line each.
class BubbleKeys {
public:
  explicit BubbleKeys(llvm::raw_ostream &out) : out(out) {}

  void operator()(const ImportAction &action) {
    static constexpr const char *kinds[] = {"onnx", "mlir", "command"};
    key("ingress", kinds[static_cast<size_t>(action.kind)]);
    if (!action.path.empty())
      key("model", quotedText(action.path));
    if (!action.command.empty())
      key("command", listText(action.command));
    if (action.bindShapes)
      key("shapes", "case");
  }
  void operator()(const PassesAction &action) {
    key("passes", quotedText(action.pipeline));
  }
  void operator()(const ScheduleAction &action) {
    key("schedule", quotedText(action.file));
    key("entry", quotedText(action.entry));
    if (!action.libraries.empty())
      key("library", listText(action.libraries));
    std::vector<std::string> bound;
    for (const BoundParameter &parameter : action.parameters)
      bound.push_back(parameter.name.value + ": " + yamlText(parameter.value));
    if (!bound.empty())
      key("with", "{" + llvm::join(bound, ", ") + "}");
  }
  void operator()(const CommandAction &action) {
    key("command", listText(action.words));
  }
  void operator()(const CompileAction &action) {
    key("execute", quotedText(action.entry));
  }
  void operator()(const RunAction &action) {
    std::string repeat =
        action.repeat > 0 ? ", repeat: " + std::to_string(action.repeat) : "";
    key("execute", "{entry: " + quotedText(action.entry) + repeat + "}");
  }
  void operator()(const EmitAction &action) {
    key("emit", wordOf(action.format).str());
    key("path", quotedText(action.path));
  }

  void contract(const Step &first, const Step &last) {
    if (first.requires_)
      key("requires", formText(*first.requires_));
    if (last.ensures)
      key("ensures", formText(*last.ensures));
    expectations(last);
  }

private:
  void key(StringRef name, const std::string &value) {
    out << "    " << name << ": " << value << '\n';
  }

  /// A bubble has one `expect:`; of several files the first is kept.
  void expectations(const Step &step) {
    std::vector<std::string> parts;
    if (!step.expect.empty())
      parts.push_back("filecheck: " + quotedText(step.expect.front().file) +
                      ", prefix: " + quotedText(step.expect.front().prefix));
    for (const MatchedDecl &matched : ArrayRef(step.expectMatched).take_front())
      parts.push_back("matched: " + matchedText(matched));
    if (!parts.empty())
      key("expect", "{" + llvm::join(parts, ", ") + "}");
  }

  static std::string matchedText(const MatchedDecl &matched) {
    if (matched.least && matched.most)
      return "\"==" + std::to_string(*matched.least) + "\"";
    if (matched.least)
      return "\">=" + std::to_string(*matched.least) + "\"";
    return "\"<=" + std::to_string(matched.most.value_or(0)) + "\"";
  }

  llvm::raw_ostream &out;
};

/// Writes one manifest.
class ManifestWriter {
public:
  ManifestWriter(const ReproducerParts &parts, ArrayRef<Step> steps)
      : parts(parts), steps(steps), out(text) {}

  std::string write() {
    out << "lighthouse: 1\nname: " << quotedText(parts.name)
        << "\nsummary: " << quotedText(parts.summary) << '\n';
    writeTarget();
    out << "bubbles:\n";
    if (!parts.input.empty())
      out << "  input:\n    ingress: mlir\n    model: "
          << quotedText(parts.input) << '\n';
    for (size_t i = 0; i < steps.size(); ++i)
      writeBubble(i);
    writeEdges();
    writeCase();
    // What it shows is that a step fails, whatever the numbers.
    bool runs = llvm::any_of(steps, [](const Step &step) {
      return std::holds_alternative<RunAction>(step.action);
    });
    if (runs)
      out << "verify: none\n";
    return text;
  }

private:
  /// Whether the next step belongs to the same bubble.
  bool isCompiledFor(size_t step) const {
    return step + 1 < steps.size() &&
           std::holds_alternative<CompileAction>(steps[step].action) &&
           std::holds_alternative<RunAction>(steps[step + 1].action);
  }

  void writeTarget() {
    std::string name = "host"; // where no step generates code
    for (const Step &step : steps) {
      if (const auto *compile = std::get_if<CompileAction>(&step.action))
        name = compile->target->name;
      const auto *emit = std::get_if<EmitAction>(&step.action);
      if (emit && emit->target)
        name = emit->target->name;
    }
    out << "targets: [" << quotedText(name) << "]\n";
  }

  void writeBubble(size_t i) {
    if (isCompiledFor(i))
      return; // said with the run
    const Step &first = i > 0 && isCompiledFor(i - 1) ? steps[i - 1] : steps[i];
    names.push_back(plainBubbleName(steps[i].bubble));
    if (names.back() == "input" && !parts.input.empty())
      names.back() += "-2";
    out << "  " << names.back() << ":\n";
    BubbleKeys keys(out);
    std::visit(keys, steps[i].action);
    keys.contract(first, steps[i]);
  }

  void writeEdges() {
    if (!parts.input.empty())
      names.insert(names.begin(), "input");
    if (names.size() > 1)
      out << "edges:\n  - " << llvm::join(names, " -> ") << '\n';
    out << "pipelines:\n  failing: {path: [" << llvm::join(names, ", ")
        << "]}\n";
  }

  void writeCase() {
    if (!parts.golden.empty()) {
      out << "cases:\n  failing: {golden: " << quotedText(parts.golden)
          << "}\n";
      return;
    }
    for (const Step &step : steps) {
      const auto *run = std::get_if<RunAction>(&step.action);
      if (run && run->data.generate)
        return writeGenerated(run->data);
      const auto *import = std::get_if<ImportAction>(&step.action);
      if (import && import->bindShapes)
        return writeShapes(*import);
    }
  }

  void writeGenerated(const DataSet &data) {
    out << "cases:\n  failing:\n    generate:\n      model: "
        << quotedText(parts.input) << "\n      seed: " << data.generate->seed
        << "\n      sets: [" << wordOf(data.set) << "]\n      draws: 1\n";
    if (data.generate->inputs.empty())
      return;
    out << "      inputs:\n";
    for (const GeneratedInput &input : data.generate->inputs) {
      out << "        " << quotedText(input.name.value)
          << ": {shape: " << yamlText(input.shape) << ", dist: " << input.dist;
      if (!input.dtype.empty())
        out << ", dtype: " << input.dtype;
      if (input.hasRange)
        out << ", range: [" << yamlText(input.low) << ", "
            << yamlText(input.high) << "]";
      out << "}\n";
    }
  }

  void writeShapes(const ImportAction &import) {
    out << "cases:\n  failing:\n    generate:\n      model: "
        << quotedText(import.path) << "\n      inputs:\n";
    for (const InputShape &input : *import.bindShapes) {
      out << "        " << quotedText(input.name)
          << ": {shape: " << yamlText(input.shape);
      if (!input.dtype.empty())
        out << ", dtype: " << input.dtype;
      out << "}\n";
    }
  }

  const ReproducerParts &parts;
  ArrayRef<Step> steps;
  std::string text;
  llvm::raw_string_ostream out;
  std::vector<std::string> names;
};

} // namespace

std::string lh::reproducerManifest(const ReproducerParts &parts,
                                   ArrayRef<Step> steps) {
  return ManifestWriter(parts, steps).write();
}
