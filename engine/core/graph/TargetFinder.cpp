// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and reads the target files that a manifest names.
#include "core/graph/TargetFinder.h"

#include "core/graph/DefaultFacts.h"
#include "core/graph/Evaluate.h"
#include "core/manifest/ManifestText.h"
#include "core/manifest/TargetParser.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

static bool looksLikePath(StringRef name) {
  return name.contains('/') || name.ends_with(".yaml") ||
         name.ends_with(".yml") || name.ends_with(".json");
}

static std::vector<std::string> searchFolders(const TargetSearch &search) {
  std::vector<std::string> folders = {
      search.folder, absolutePath("targets", search.folder),
      absolutePath("../targets", search.folder)};
  llvm::append_range(folders, search.targetDirs);
  for (const std::string &library : search.libraryDirs)
    folders.push_back(absolutePath("targets", library));
  return folders;
}

/// The file of target `name` other than `itself`; empty when there is none.
static std::string findFile(StringRef name, const TargetSearch &search,
                            llvm::vfs::FileSystem &files, StringRef itself) {
  if (looksLikePath(name)) {
    std::string file = absolutePath(name, search.folder);
    return isFile(files, file) ? file : "";
  }
  for (const std::string &folder : searchFolders(search))
    for (StringRef ending : {".yaml", ".yml", ".json"})
      if (std::string file = absolutePath((name + ending).str(), folder);
          file != itself && isFile(files, file))
        return file;
  return "";
}

static std::vector<std::string> knownTargets(const TargetSearch &search,
                                             llvm::vfs::FileSystem &files) {
  std::vector<std::string> names;
  std::vector<std::string> folders = searchFolders(search);
  // Not the manifest's own folder: most of what lies there is no target.
  for (const std::string &folder : llvm::drop_begin(folders))
    for (const std::string &file : listFolder(files, folder))
      if (llvm::sys::path::extension(file) == ".yaml")
        names.push_back(llvm::sys::path::stem(file).str());
  return names;
}

/// A target's programs may use its own facts; where code runs, its sweep's
/// values too.
static LogicalResult checkPrograms(const TargetSpec &target,
                                   DiagnosticSink &sink) {
  std::map<std::string, Value> facts = factValues(target), sweep;
  for (const auto &[name, values] : target.run.sweep)
    if (!values.empty())
      sweep[name] = values.front();
  Scope scope;
  scope.target = &facts;
  scope.sweep = &sweep;
  LogicalResult result = success();
  for (const std::vector<Expression> *words :
       {&target.run.emulator, &target.run.command})
    for (const Expression &word : *words)
      if (failed(evaluate(word, scope, sink)))
        result = failure();
  if (target.run.vectorBytes &&
      failed(evaluate(*target.run.vectorBytes, scope, sink)))
    result = failure();
  scope.sweep = nullptr;
  for (const Expression &word : target.compile)
    if (failed(evaluate(word, scope, sink)))
      result = failure();
  return result;
}

/// Whether one of `words` has `name` in it.
static bool haveName(ArrayRef<Expression> words, StringRef name) {
  return llvm::any_of(words, [&](const Expression &word) {
    return llvm::any_of(word.pieces, [&](const Expression::Piece &piece) {
      const auto *value = std::get_if<Value>(&piece);
      const auto *text = value ? std::get_if<std::string>(value) : nullptr;
      return text && StringRef(*text).contains(name);
    });
  });
}

namespace {
/// What an external target starts.
struct ExternalProgram {
  StringRef key;
  const std::vector<Expression> &words;
  StringRef writes; ///< the name of the place where it writes
};
} // namespace

static void checkExternalProgram(const ExternalProgram &program,
                                 bool isExternal, const SourceSpan &backend,
                                 DiagnosticSink &sink) {
  if (program.words.empty()) {
    if (isExternal)
      (void)sink.error(DiagKind::ManifestMissingKey, backend,
                       "target with 'backend: external' needs '" + program.key +
                           "'");
    return;
  }
  const SourceSpan &where = program.words.front().where;
  if (!isExternal)
    (void)sink.error(DiagKind::ManifestMisplacedKey, where,
                     "'" + program.key +
                         "' in target has no meaning without 'backend: "
                         "external'");
  else if (!haveName(program.words, program.writes))
    (void)sink.error(DiagKind::ManifestBadValue, where,
                     "'" + program.key + "' has no word with '" +
                         program.writes + "', where it is to write");
}

/// An external target has two programs, and no other target has any.
static LogicalResult checkExternal(const TargetSpec &target,
                                   const SourceSpan &backend,
                                   DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  bool isExternal = target.backend == "external";
  for (const ExternalProgram &program :
       {ExternalProgram{"compile", target.compile, "{program}"},
        ExternalProgram{"run.command", target.run.command, "{outputs}"}})
    checkExternalProgram(program, isExternal, backend, sink);
  if (isExternal && !target.run.emulator.empty())
    (void)sink.error(DiagKind::ManifestMisplacedKey,
                     target.run.emulator.front().where,
                     "'emulator' in target has no meaning with 'backend: "
                     "external'; its 'run.command' may start one");
  return failure(sink.errorCount() != errors);
}

/// `{here}` is the folder of the file that has the word, wherever the target is
/// copied.
static void placeHere(std::vector<Expression> &words) {
  constexpr StringRef name = "{here}";
  for (Expression &word : words)
    for (Expression::Piece &piece : word.pieces) {
      auto *value = std::get_if<Value>(&piece);
      auto *text = value ? std::get_if<std::string>(value) : nullptr;
      if (!text)
        continue;
      std::string folder = folderOf(word.where.file);
      for (size_t at = 0; (at = text->find(name, at)) != std::string::npos;
           at += folder.size())
        text->replace(at, name.size(), folder);
    }
}

/// Every target has the fact `threads`, for parameters to refer to.
static void setThreads(TargetSpec &target, unsigned threads) {
  auto [fact, isNew] =
      target.facts.try_emplace("threads", Located<Value>{int64_t(1), {}});
  if (threads > 0)
    fact->second.value = int64_t(threads);
}

namespace {

/// Reads a target and those that it extends.
class TargetReader {
public:
  TargetReader(const TargetSearch &search, SourceStore &sources,
               DiagnosticSink &sink)
      : search(search), sources(sources), sink(sink) {}

  FailureOr<TargetSpec> read(const Located<std::string> &name);

private:
  FailureOr<YamlNode> readDocument(const Located<std::string> &name);
  FailureOr<std::string> find(const Located<std::string> &name);

  TargetSearch search;
  SourceStore &sources;
  DiagnosticSink &sink;
  std::vector<Located<std::string>> chain; ///< files, and where each is named
};

} // namespace

FailureOr<std::string> TargetReader::find(const Located<std::string> &name) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  StringRef itself = chain.empty() ? "" : StringRef(chain.back().value);
  std::string file = findFile(name.value, search, files, itself);
  if (!file.empty())
    return file;
  std::vector<std::string> known = knownTargets(search, files);
  std::vector<StringRef> names(known.begin(), known.end());
  return sink.error(DiagKind::TargetNotFound, name.where,
                    "no target '" + name.value +
                        "'; targets are files targets/<name>.yaml" +
                        didYouMean(name.value, names));
}

FailureOr<YamlNode>
TargetReader::readDocument(const Located<std::string> &name) {
  FailureOr<std::string> file = find(name);
  if (failed(file))
    return failure();
  for (const Located<std::string> &outer : chain)
    if (outer.value == *file)
      return sink.error(DiagKind::GraphUseCycle, name.where,
                        "target '" + name.value + "' extends itself",
                        {{outer.where, "named here first"}});
  chain.push_back({*file, name.where});
  const YamlNode *document =
      sources.parts<YamlNode>(*file, name.where, sink, [&](StringRef text) {
        return readTargetDocument(text, *file, sink);
      });
  if (!document)
    return failure();
  Located<std::string> base = extendedBy(*document);
  if (base.value.empty())
    return *document;
  search.folder = folderOf(*file);
  FailureOr<YamlNode> inherited = readDocument(base);
  if (failed(inherited))
    return failure();
  return extended(std::move(*inherited), *document);
}

FailureOr<TargetSpec> TargetReader::read(const Located<std::string> &name) {
  FailureOr<YamlNode> document = readDocument(name);
  if (failed(document))
    return failure();
  FailureOr<TargetSpec> target = targetOf(*document, chain[0].value, sink);
  if (failed(target) ||
      failed(checkExternal(*target, document->whereKey("backend"), sink)))
    return failure();
  for (const Located<std::string> &base : llvm::drop_begin(chain))
    target->bases.push_back(base.value);
  if (failed(addDefaultFacts(*target, search.libraryDirs, sources, sink)))
    return failure();
  setThreads(*target, search.threads);
  placeHere(target->compile);
  placeHere(target->run.command);
  if (failed(checkPrograms(*target, sink)))
    return failure();
  return target;
}

FailureOr<TargetSpec> lh::readTarget(const Located<std::string> &name,
                                     const TargetSearch &search,
                                     SourceStore &sources,
                                     DiagnosticSink &sink) {
  return TargetReader(search, sources, sink).read(name);
}

std::vector<TargetSpec> lh::readTargets(ArrayRef<Located<std::string>> names,
                                        const TargetSearch &search,
                                        SourceStore &sources,
                                        DiagnosticSink &sink) {
  std::vector<TargetSpec> targets;
  std::map<std::string, SourceSpan> seen;
  for (const Located<std::string> &name : names) {
    auto [first, isNew] = seen.emplace(name.value, name.where);
    if (!isNew) {
      (void)sink.error(DiagKind::TargetDuplicate, name.where,
                       "target '" + name.value + "' is listed twice",
                       {{first->second, "first listed here"}});
      continue;
    }
    FailureOr<TargetSpec> target = readTarget(name, search, sources, sink);
    if (succeeded(target))
      targets.push_back(std::move(*target));
  }
  return targets;
}

FailureOr<std::string> lh::wholeTargetText(const TargetSpec &target,
                                           SourceStore &sources,
                                           DiagnosticSink &sink) {
  if (!target.bases.empty() || !target.compile.empty())
    return yamlText(documentOf(target));
  FailureOr<StringRef> text = sources.load(target.file, {}, sink);
  if (failed(text))
    return failure();
  return text->str();
}
