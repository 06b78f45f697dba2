// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What helps with an operation that nothing has converted.
#include "cli/Hints.h"

#include "compiler/session/ConversionPasses.h"
#include "core/manifest/ManifestParser.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {

constexpr StringRef castOp = "builtin.unrealized_conversion_cast";

/// Finds hints; everything is borrowed.
class Hinter {
public:
  Hinter(const RunRecord &record, const ResolvedGraph &graph,
         const ResolveOptions &resolve, const DriverEnv &env)
      : record(record), graph(graph), resolve(resolve), env(env) {}

  std::vector<DiagnosticNote> notesFor(const std::string &op, StepId step);

private:
  void addOrigin(StringRef dialect, StepId failed,
                 std::vector<DiagnosticNote> &notes);
  void addBubbles(const std::string &op, std::vector<DiagnosticNote> &notes);
  void addPasses(StringRef dialect, std::vector<DiagnosticNote> &notes);
  void addFromLibrary(const std::string &folder, const std::string &op,
                      std::vector<std::string> &found);

  const RunRecord &record;
  const ResolvedGraph &graph;
  const ResolveOptions &resolve;
  const DriverEnv &env;
};

} // namespace

/// The operation that an error of MLIR's says was left; "" for other errors.
static std::string leftOperation(StringRef message) {
  // The words of the conversion driver, and of the translation to LLVM IR.
  for (StringRef words : {"failed to legalize operation '",
                          "cannot be converted to LLVM IR: "
                          "missing `LLVMTranslationDialectInte"
                          "rface` registration for dialect for "
                          "op: ",
                          "LLVM Translation failed for operation: "}) {
    size_t at = message.find(words);
    if (at == StringRef::npos)
      continue;
    StringRef rest = message.drop_front(at + words.size());
    return rest
        .take_while([](char c) {
          return llvm::isAlnum(c) || c == '.' || c == '_' || c == '-';
        })
        .str();
  }
  if (message.contains("unresolved materialization"))
    return castOp.str();
  return "";
}

static bool takesAway(const FormDecl &form, const std::string &op,
                      StringRef dialect) {
  if (llvm::is_contained(form.opsNone, op) ||
      llvm::is_contained(form.dialectsNone, dialect))
    return true;
  return form.dialectsOnly && dialect != "builtin" &&
         !llvm::is_contained(*form.dialectsOnly, dialect);
}

/// Where the dialect first appears on the path.
void Hinter::addOrigin(StringRef dialect, StepId failed,
                       std::vector<DiagnosticNote> &notes) {
  const Step *from = nullptr;
  for (StepId id : record.plan.pathTo(failed)) {
    const std::optional<ModuleCount> &after = record.outcomes[id].after;
    if (id == failed || !after)
      continue;
    bool isThere = after->operations.count(dialect.str()) > 0;
    if (!isThere)
      from = nullptr;
    else if (!from)
      from = &record.plan.steps[id];
  }
  if (from)
    notes.push_back({from->declaredAt, "bubble '" + from->bubble +
                                           "' brought operations of '" +
                                           dialect.str() + "' in"});
  else
    notes.push_back({record.plan.steps[failed].declaredAt,
                     "operations of '" + dialect.str() +
                         "' come from bubble '" +
                         record.plan.steps[failed].bubble + "' itself"});
}

void Hinter::addFromLibrary(const std::string &folder, const std::string &op,
                            std::vector<std::string> &found) {
  StringRef dialect = StringRef(op).split('.').first;
  for (const std::string &name : listFilesBelow(env.files, folder)) {
    StringRef stem = name;
    if (!stem.consume_back(".yaml") || stem.ends_with(".test"))
      continue;
    std::string path = folder + "/" + name;
    auto buffer = env.files.getBufferForFile(path);
    if (!buffer)
      continue;
    CollectingSink ignored;
    auto file = parseBubbleFile((*buffer)->getBuffer(), path, ignored);
    if (succeeded(file) && file->ensures &&
        takesAway(*file->ensures, op, dialect))
      found.push_back(("lib:" + stem).str());
  }
}

void Hinter::addBubbles(const std::string &op,
                        std::vector<DiagnosticNote> &notes) {
  constexpr size_t mostNamed = 8;
  StringRef dialect = StringRef(op).split('.').first;
  std::vector<std::string> found;
  for (const ResolvedBubble &bubble : graph.bubbles)
    if (bubble.ensures && takesAway(*bubble.ensures, op, dialect))
      found.push_back(bubble.name);
  if (!found.empty())
    notes.push_back({{},
                     "bubbles of this manifest that leave none behind: " +
                         llvm::join(found, ", ")});
  found.clear();
  for (const std::string &library : resolve.libraryDirs)
    addFromLibrary(library + "/schedules", op, found);
  if (found.empty())
    return;
  size_t all = found.size();
  found.resize(std::min(all, mostNamed));
  notes.push_back({{},
                   "bubbles of the library that leave none behind: " +
                       llvm::join(found, ", ") +
                       (all > mostNamed ? ", ..." : "")});
}

void Hinter::addPasses(StringRef dialect, std::vector<DiagnosticNote> &notes) {
  std::vector<std::string> passes = passesFrom(dialect);
  if (!passes.empty())
    notes.push_back({{},
                     "passes that convert from '" + dialect.str() +
                         "': " + llvm::join(passes, ", ")});
}

std::vector<DiagnosticNote> Hinter::notesFor(const std::string &op,
                                             StepId step) {
  std::vector<DiagnosticNote> notes;
  if (op == castOp) {
    notes.push_back(
        {{},
         "a cast is left where one side of it is converted and the other "
         "isn't: convert the dialect of the operation beside it too, then run "
         "reconcile-unrealized-casts"});
    return notes;
  }
  StringRef dialect = StringRef(op).split('.').first;
  addOrigin(dialect, step, notes);
  addBubbles(op, notes);
  addPasses(dialect, notes);
  return notes;
}

void lh::addHints(RunRecord &record, const ResolvedGraph &graph,
                  const ResolveOptions &resolve, const DriverEnv &env) {
  Hinter hinter(record, graph, resolve, env);
  for (StepOutcome &outcome : record.outcomes)
    for (Diagnostic &diagnostic : outcome.diagnostics) {
      std::string op = diagnostic.severity == Severity::Error
                           ? leftOperation(diagnostic.message)
                           : "";
      if (!op.empty())
        llvm::append_range(diagnostic.notes, hinter.notesFor(op, outcome.step));
    }
}
