// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planned path as the text of a manifest.
#include "cli/PlannedManifest.h"

#include "core/manifest/YamlText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace lh;

/// What every open size is, for there to be something to run on.
static constexpr int64_t openSize = 13;

/// Only characters that names may have.
static std::string nameFrom(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '-' || c == '_' ? c : '-';
  return name;
}

namespace {

class Writer {
public:
  explicit Writer(const PlannedManifest &plan) : plan(plan), out(text) {
    std::set<std::string> used = {"import", "run", "emit"};
    for (const PlanNode &node : plan.path.nodes) {
      std::string name = node.name;
      for (int i = 2; !used.insert(name).second; ++i)
        name = node.name + "-" + std::to_string(i);
      names.push_back(name);
    }
  }

  std::string write() {
    // What is emitted must not take the model's own place.
    name =
        nameFrom(llvm::sys::path::stem(plan.from)) + "-to-" + nameFrom(plan.to);
    comment();
    out << "lighthouse: 1\nname: " << name << "\n\n";
    if (plan.model.empty())
      out << "params:\n  model: {type: path, doc: \"the file to compile, "
          << plan.from << "\"}\n\n";
    out << "targets: [" << plan.target << "]\n\n";
    bubbles();
    edges();
    cases();
    if (!plan.emit.empty())
      return std::move(text);
    out << (plan.isOnTensors
                ? "\nverify: {against: [oracle]}\n"
                : "\n# The oracle computes what is on tensors: nothing here to "
                  "compare with.\nverify: none\n");
    return std::move(text);
  }

private:
  void comment() {
    const PlannedPath &path = plan.path;
    out << "# From " << plan.from << " to " << plan.to
        << ", planned by lh-run.\n";
    if (path.proven)
      out << "# From '" << names[path.joined] << "' on as pipeline '"
          << path.proven->pipeline << "' of " << path.proven->manifest << ".\n";
    if (path.joined == 0)
      return;
    size_t shown = std::min(names.size(), path.joined + (path.proven ? 1 : 0));
    out << "# Joined by contracts alone: "
        << llvm::join(ArrayRef(names).take_front(shown), " -> ") << ".\n";
  }

  void bubbles() {
    size_t width = StringRef("import").size();
    for (const std::string &name : names)
      width = std::max(width, name.size());
    auto line = [&](StringRef name, const std::string &action) {
      out << "  " << name << ": " << std::string(width - name.size(), ' ')
          << action << '\n';
    };
    out << "bubbles:\n";
    line("import", plan.ingress == IngressKind::Onnx
                       ? "{ingress: onnx, model: \"${case.model}\", shapes: "
                         "case}"
                       : "{ingress: mlir, model: \"${case.model}\"}");
    for (size_t i = 0; i < names.size(); ++i) {
      const PlanNode &node = plan.path.nodes[i];
      line(names[i], node.use.empty()
                         ? "{passes: " + quotedYaml(node.passes) + "}"
                         : "{use: " + plainOrQuoted(node.use) + "}");
    }
    if (plan.emit.empty())
      line("run", "{execute: " + entryName() + "}");
    else
      line("emit", "{emit: " + plan.emit + ", path: " + name + ending() + "}");
  }

  static std::string plainOrQuoted(StringRef text) {
    bool isPlain = llvm::all_of(text, [](char c) {
      return llvm::isAlnum(c) || StringRef("_-/.:").contains(c);
    });
    return isPlain ? text.str() : quotedYaml(text);
  }

  std::string entryName() const {
    return plan.entry.name.empty() ? "main" : plan.entry.name;
  }

  std::string ending() const {
    return llvm::StringSwitch<std::string>(plan.emit)
        .Case("llvm-ir", ".ll")
        .Case("assembly", ".s")
        .Case("object", ".o")
        .Case("shared-library", ".so")
        .Default("." + plan.emit);
  }

  void edges() {
    out << "\nedges:\n  - import";
    for (const std::string &name : names)
      out << " -> " << name;
    out << (plan.emit.empty() ? " -> run\n" : " -> emit\n");
  }

  void cases() {
    std::string model =
        plan.model.empty() ? "\"${params.model}\"" : plainOrQuoted(plan.model);
    out << "\ncases:\n";
    if (llvm::none_of(plan.entry.inputs, isOpen)) {
      out << "  generated: {generate: {model: " << model << ", seed: 1}}\n";
      return;
    }
    out << "  # Sizes that the file leaves open are " << openSize
        << " here.\n  generated:\n    generate:\n      model: " << model
        << "\n      seed: 1\n      inputs:\n";
    for (const EntryInput &input : plan.entry.inputs) {
      std::vector<std::string> sizes;
      for (int64_t size : input.shape)
        sizes.push_back(std::to_string(size < 0 ? openSize : size));
      out << "        " << plainOrQuoted(input.name) << ": {shape: ["
          << llvm::join(sizes, ", ") << "]}\n";
    }
  }

  static bool isOpen(const EntryInput &input) {
    return llvm::is_contained(input.shape, -1);
  }

  const PlannedManifest &plan;
  std::vector<std::string> names; ///< of the path's bubbles, all different
  std::string text, name;
  llvm::raw_string_ostream out;
};

} // namespace

std::string lh::manifestText(const PlannedManifest &manifest) {
  return Writer(manifest).write();
}
