// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flattens includes, and finds bubbles for Python schedules.
#include "core/graph/LighthouseDescriptor.h"

#include "core/manifest/ManifestText.h"
#include "core/manifest/YamlReader.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {
/// A Python function that makes a schedule, and the bubble that does the same;
/// none where an earlier one has done it: this library tiles for caches and
/// registers in one step, say.
struct Substitute {
  StringRef file, function, bubble;
};

/// What a value says: "packing.py[gen=block_pack_matmuls]{block_factors=[32]}".
struct StepText {
  std::string name;     ///< "packing.py"
  std::string function; ///< of `gen=`
  llvm::StringMap<std::string> options;
};

class DescriptorReader {
public:
  DescriptorReader(SourceStore &sources, DiagnosticSink &sink)
      : sources(sources), sink(sink) {}

  void read(const std::string &path, const SourceSpan &from,
            const llvm::StringMap<std::string> &variables);

  std::vector<LighthouseStep> steps;

private:
  LogicalResult refuse(const SourceSpan &where, const Twine &why) {
    return sink.error(DiagKind::GraphForeignDescriptor, where, why);
  }
  void readItem(const YamlNode &item,
                const llvm::StringMap<std::string> &variables);
  std::string replaceVariables(const YamlNode &value,
                               const llvm::StringMap<std::string> &variables);
  void include(const StepText &step, const SourceSpan &where);
  void addPython(const StepText &step, const SourceSpan &where);
  std::string find(StringRef name, const SourceSpan &where);

  SourceStore &sources;
  DiagnosticSink &sink;
  std::vector<std::string> open; ///< files that include each other
  StringRef substitute;          ///< the last bubble that stands for Python
};
} // namespace

static constexpr Substitute substitutes[] = {
    {"packing.py", "block_pack_matmuls", "lib:cpu/pack-contractions"},
    {"x86/pack_lowering.py", "lower_packs_unpacks", ""},
    {"x86/cache_tiling.py", "matmul_cache_tiling", "lib:cpu/tile-contractions"},
    {"x86/register_tiling.py", "matmul_register_tiling", ""},
    {"x86/register_tiling.py", "matmul_register_unroll", ""},
    {"linalg.py", "linalg_contract_fold_unit_dims", ""},
    {"tiling.py", "tile_ops", "lib:cpu/vectorize-elementwise"},
    {"omp.py", "parallelize", "lib:cpu/parallelize"},
    {"vectorization.py", "x86_vectorization", "lib:cpu/lower-vectors"},
    {"vectorization.py", "vectorize_all", ""},
    {"vectorization.py", "flatten_vector_ops", ""},
};

/// Parts of `text` between blanks that stand in no bracket.
static std::vector<std::string> splitWords(StringRef text) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (llvm::isSpace(c) && depth == 0)
      words.emplace_back();
    else
      words.back() += c;
  }
  llvm::erase_if(words, [](const std::string &word) { return word.empty(); });
  return words;
}

static StepText readText(StringRef value) {
  StepText step;
  size_t end = value.find_first_of("[{ \t");
  step.name = value.take_front(end).str();
  StringRef rest = value.drop_front(step.name.size()).trim();
  if (rest.consume_front("[")) {
    auto [arguments, after] = rest.split(']');
    for (StringRef argument : llvm::split(arguments, ','))
      if (argument = argument.trim(); argument.consume_front("gen="))
        step.function = argument.str();
    rest = after.trim();
  }
  if (rest.consume_front("{")) {
    rest.consume_back("}");
    for (const std::string &word : splitWords(rest)) {
      auto [key, option] = StringRef(word).split('=');
      step.options[key] = option.str();
    }
  }
  return step;
}

std::string DescriptorReader::replaceVariables(
    const YamlNode &value, const llvm::StringMap<std::string> &variables) {
  std::string text;
  StringRef rest = value.text;
  for (;;) {
    size_t at = rest.find('$');
    text += rest.take_front(at);
    if (at == StringRef::npos)
      return text;
    rest = rest.drop_front(at + 1);
    StringRef name =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(name.size());
    auto known = variables.find(name);
    if (known != variables.end())
      text += known->second;
    else
      (void)refuse(value.where, "variable '$" + name +
                                    "' has no value: whoever includes the file "
                                    "gives it as '{" +
                                    name + "=...}'");
  }
}

std::string DescriptorReader::find(StringRef name, const SourceSpan &where) {
  for (StringRef folder = llvm::sys::path::parent_path(open.back());
       !folder.empty(); folder = llvm::sys::path::parent_path(folder))
    if (std::string path = absolutePath(name, folder);
        sources.fileSystem().exists(path))
      return path;
  (void)sink.error(DiagKind::GraphFileNotFound, where,
                   "there is no '" + name +
                       "' beside the file, or in a folder around it");
  return "";
}

void DescriptorReader::include(const StepText &step, const SourceSpan &where) {
  std::string path = find(step.name, where);
  if (llvm::is_contained(open, path))
    (void)refuse(where, "'" + step.name + "' includes itself: " +
                            llvm::join(open, " -> ") + " -> " + path);
  else if (!path.empty())
    read(path, where, step.options);
}

void DescriptorReader::addPython(const StepText &step,
                                 const SourceSpan &where) {
  std::string python = step.name;
  if (!step.function.empty())
    python += "[" + step.function + "]";
  auto known = llvm::find_if(substitutes, [&](const Substitute &each) {
    return step.name == each.file && step.function == each.function;
  });
  if (known == std::end(substitutes))
    return (void)refuse(where, "'" + python +
                                   "' is Python, and no bubble of the library "
                                   "is known to do the same");
  bool goesOn = known->bubble.empty() || known->bubble == substitute;
  if (goesOn && substitute.empty())
    return (void)refuse(where,
                        "'" + python +
                            "' is Python that goes on from other Python; "
                            "none of it stands before");
  if (!goesOn)
    substitute = known->bubble;
  steps.push_back(
      {goesOn ? LighthouseStep::Kind::Nothing : LighthouseStep::Kind::Bubble,
       known->bubble.str(), python, where});
}

void DescriptorReader::readItem(const YamlNode &item,
                                const llvm::StringMap<std::string> &variables) {
  constexpr StringRef keys[] = {"pass", "include", "schedule", "transform"};
  if (!item.isMapping() || item.keys.size() != 1 || !item.items[0].isScalar())
    return (void)refuse(item.where, "a step is one of 'pass: NAME', 'include: "
                                    "FILE', 'schedule: FILE' and 'transform: "
                                    "FILE'");
  const Located<std::string> &key = item.keys[0];
  const YamlNode &value = item.items[0];
  if (!llvm::is_contained(keys, StringRef(key.value)))
    return (void)sink.error(DiagKind::ManifestUnknownKey, key.where,
                            "a step has no key '" + key.value + "'" +
                                didYouMean(key.value, keys));
  std::string text = replaceVariables(value, variables);
  StepText step = readText(text);
  if (key.value == "include")
    include(step, value.where);
  else if (key.value == "pass")
    steps.push_back({LighthouseStep::Kind::Pass, text, "", value.where});
  else if (StringRef(step.name).ends_with(".py"))
    addPython(step, value.where);
  else if (std::string path = find(step.name, value.where); !path.empty())
    steps.push_back({LighthouseStep::Kind::Schedule, path, "", value.where});
}

void DescriptorReader::read(const std::string &path, const SourceSpan &from,
                            const llvm::StringMap<std::string> &variables) {
  FailureOr<StringRef> text = sources.load(path, from, sink);
  if (failed(text))
    return;
  FailureOr<YamlNode> document = readYaml(*text, path, sink);
  if (failed(document))
    return;
  const YamlNode *pipeline = document->find("Pipeline");
  if (!pipeline || !pipeline->isSequence())
    return (void)refuse({path},
                        "this is no pipeline of llvm/lighthouse: it has "
                        "no list 'Pipeline'");
  open.push_back(path);
  for (const YamlNode &item : pipeline->items)
    readItem(item, variables);
  open.pop_back();
}

FailureOr<std::vector<LighthouseStep>>
lh::readLighthouse(StringRef path, SourceStore &sources, DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  DescriptorReader reader(sources, sink);
  reader.read(path.str(), {}, {});
  if (sink.errorCount() != errors)
    return failure();
  return std::move(reader.steps);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// "1024x32" as sizes; nothing where it isn't that.
static std::optional<std::vector<int64_t>> sizesIn(StringRef text) {
  std::vector<int64_t> sizes;
  for (StringRef part : llvm::split(text, 'x'))
    if (part.getAsInteger(10, sizes.emplace_back()) || sizes.back() < 1)
      return std::nullopt;
  return sizes;
}

static FailureOr<CaseDecl> caseOfKernel(const YamlNode &entry, uint64_t seed,
                                        DiagnosticSink &sink) {
  const YamlNode *kernel = entry.find("kernel");
  const YamlNode *shapes = entry.find("input_shapes");
  if (!kernel || !kernel->isScalar() || !shapes || !shapes->isSequence())
    return sink.error(DiagKind::GraphForeignDescriptor, entry.where,
                      "a kernel has 'kernel: FILE' and 'input_shapes: [...]'");
  std::string name = llvm::sys::path::stem(kernel->text).rtrim('_').str();
  GenerateCase generate;
  generate.seed = seed;
  generate.model = {{Reference{Reference::Scope::Params, "models", {}},
                     Value("/" + name + ".mlir")},
                    {}};
  for (const YamlNode &shape : shapes->items) {
    auto sizes = sizesIn(shape.text);
    if (!sizes)
      return sink.error(DiagKind::GraphForeignDescriptor, shape.where,
                        "'" + shape.text + "' is no shape, such as '1024x32'");
    std::string input = "arg" + std::to_string(generate.inputs.size());
    generate.inputs.push_back({{input, {}}, *sizes, ""});
  }
  CaseDecl made;
  made.name.value = name;
  made.source = std::move(generate);
  return made;
}

FailureOr<std::vector<CaseDecl>>
lh::readLighthouseKernels(StringRef path, SourceStore &sources,
                          DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return failure();
  FailureOr<YamlNode> document = readYaml(*text, path, sink);
  if (failed(document))
    return failure();
  if (!document->isSequence())
    return sink.error(DiagKind::GraphForeignDescriptor, SourceSpan{path.str()},
                      "this is no list of kernels");
  std::vector<CaseDecl> cases;
  bool good = true;
  for (const YamlNode &entry : document->items) {
    if (entry.find("warning"))
      continue;
    auto made = caseOfKernel(entry, cases.size() + 1, sink);
    good &= succeeded(made);
    if (succeeded(made))
      cases.push_back(std::move(*made));
  }
  if (!good)
    return failure();
  return cases;
}
