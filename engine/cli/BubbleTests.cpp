// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the tests that lie beside bubbles.
#include "cli/BubbleTests.h"

#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {

class Finder {
public:
  Finder(ArrayRef<std::string> libraryDirs, StringRef workingDirectory,
         llvm::vfs::FileSystem &files, DiagnosticSink &sink)
      : libraryDirs(libraryDirs), workingDirectory(workingDirectory),
        files(files), sink(sink) {}

  LogicalResult find(StringRef what);
  void findInLibraries();

  std::vector<BubbleTest> tests;

private:
  LogicalResult findInLibrary(StringRef name);
  LogicalResult addTest(const std::string &bubble, StringRef name, bool byName);
  void addFolder(const std::string &folder, StringRef name);
  LogicalResult lost(const Twine &message) {
    return sink.error(DiagKind::GraphFileNotFound, {}, message);
  }

  ArrayRef<std::string> libraryDirs;
  StringRef workingDirectory;
  llvm::vfs::FileSystem &files;
  DiagnosticSink &sink;
};

} // namespace

static constexpr StringRef endings[] = {".yaml", ".json"};

/// `path` without the ending of a bubble file; empty when it is none.
static StringRef stemOf(StringRef path) {
  for (StringRef ending : endings)
    if (StringRef stem = path; stem.consume_back(ending))
      return stem;
  return "";
}

LogicalResult Finder::addTest(const std::string &bubble, StringRef name,
                              bool byName) {
  for (StringRef ending : endings) {
    std::string manifest = (stemOf(bubble) + ".test" + ending).str();
    if (!isFile(files, manifest))
      continue;
    tests.push_back({name.str(), bubble, std::move(manifest)});
    return success();
  }
  tests.push_back({name.str(), bubble, ""});
  std::string message = "bubble '" + name.str() + "' has no test; '" +
                        llvm::sys::path::filename(stemOf(bubble)).str() +
                        ".test.yaml' beside it would be one";
  if (byName)
    return sink.error(DiagKind::DriverUntestedBubble, {bubble, 1, 1, 0},
                      message);
  sink.warning(DiagKind::DriverUntestedBubble, {bubble, 1, 1, 0}, message);
  return success();
}

/// `name` is the folder's, with what parts it from the names inside.
void Finder::addFolder(const std::string &folder, StringRef name) {
  for (const std::string &file : listFilesBelow(files, folder))
    if (StringRef stem = stemOf(file);
        !stem.empty() && !stem.ends_with(".test"))
      (void)addTest(folder + "/" + file, (name + stem).str(), /*byName=*/false);
}

void Finder::findInLibraries() {
  for (const std::string &library : libraryDirs)
    for (auto [folder, name] :
         {std::pair("schedules", "lib:"), std::pair("kernels", "kernel ")})
      addFolder(absolutePath(folder, library), name);
}

LogicalResult Finder::findInLibrary(StringRef name) {
  std::string relative = name.drop_front(StringRef("lib:").size()).str();
  if (stemOf(relative).empty())
    relative += ".yaml";
  std::string meant;
  for (const std::string &library : libraryDirs) {
    std::string bubble =
        absolutePath(relative, absolutePath("schedules", library));
    if (isFile(files, bubble))
      return addTest(bubble, name, /*byName=*/true);
    if (meant.empty())
      meant = didYouMeanFile(bubble, files);
  }
  return lost("the library has no '" + name + "'; it stands for schedules/" +
              relative + meant);
}

LogicalResult Finder::find(StringRef what) {
  if (what.starts_with("lib:"))
    return findInLibrary(what);
  std::string path = absolutePath(what, workingDirectory);
  if (isFolder(files, path)) {
    size_t before = tests.size();
    addFolder(path, (what.rtrim('/') + "/").str());
    return tests.size() == before ? lost("no bubble files in '" + what + "'")
                                  : success();
  }
  StringRef stem = stemOf(path);
  StringRef ending = StringRef(path).drop_front(stem.size());
  if (stem.consume_back(".test"))
    path = (stem + ending).str();
  if (stem.empty() || !isFile(files, path))
    return lost("no bubble file '" + what + "' to test");
  return addTest(path, what, /*byName=*/true);
}

FailureOr<std::vector<BubbleTest>>
lh::findBubbleTests(ArrayRef<std::string> what,
                    ArrayRef<std::string> libraryDirs,
                    StringRef workingDirectory, llvm::vfs::FileSystem &files,
                    DiagnosticSink &sink) {
  Finder finder(libraryDirs, workingDirectory, files, sink);
  if (what.empty())
    finder.findInLibraries();
  LogicalResult result = success();
  for (const std::string &one : what)
    if (failed(finder.find(one)))
      result = failure();
  if (failed(result))
    return failure();
  return std::move(finder.tests);
}

LogicalResult lh::checkBubbleTest(const BubbleTest &test,
                                  const ResolvedGraph &graph,
                                  DiagnosticSink &sink) {
  SourceSpan where{test.manifest, 1, 1, 0};
  if (!llvm::is_contained(graph.files, test.bubble))
    return sink.error(DiagKind::DriverVacuousTest, where,
                      "this test does not 'use' the bubble that it is named "
                      "after, '" +
                          llvm::sys::path::filename(test.bubble) + "'");
  bool expects = llvm::any_of(
      graph.bubbles, [](const auto &bubble) { return !bubble.expect.empty(); });
  bool compares = graph.verify && !graph.verify->against.empty();
  if (!expects && !compares)
    return sink.error(DiagKind::DriverVacuousTest, where,
                      "this test cannot fail: no bubble has an 'expect', and "
                      "'verify' compares with nothing");
  return success();
}

/// Whether the step is the file's own: it names the pass string or the
/// schedule, or it is the kernel that the schedule calls.
static bool isOf(const StepAction &action, StringRef file) {
  if (const auto *passes = std::get_if<PassesAction>(&action))
    return passes->where.file == file;
  if (const auto *patterns = std::get_if<PatternsAction>(&action))
    return patterns->where.file == file;
  const auto *schedule = std::get_if<ScheduleAction>(&action);
  return schedule && (schedule->where.file == file ||
                      (schedule->kernel && schedule->kernel->file == file));
}

LogicalResult lh::checkBubbleActed(const BubbleTest &test,
                                   const RunRecord &record,
                                   DiagnosticSink &sink) {
  size_t ran = 0;
  for (const Step &step : record.plan.steps) {
    const StepOutcome &outcome = record.outcomes[step.id];
    if (outcome.status != StepStatus::Passed || !isOf(step.action, test.bubble))
      continue;
    if (outcome.changedModule)
      return success();
    ++ran;
  }
  if (ran == 0)
    return success();
  return sink.error(DiagKind::DriverVacuousTest, {test.manifest, 1, 1, 0},
                    "the bubble changes nothing in this test: its steps (" +
                        Twine(ran) +
                        ") find nothing to do in the cases' modules");
}
