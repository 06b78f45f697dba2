// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of work for a CI system.
#include "insight/ci/Job.h"

#include "core/graph/Evaluate.h"
#include "core/manifest/KernelParser.h"
#include "core/manifest/Placeholders.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/Utf8.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"

using namespace lh;

StringRef lh::placeName(JobPlace place) {
  static constexpr StringRef names[] = {"anywhere", "native", "emulated",
                                        "device", "simulated"};
  return names[static_cast<size_t>(place)];
}

std::string lh::oneLine(StringRef text) {
  std::string line = repairedUtf8(text);
  for (char &c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return line;
}

std::string Job::key() const {
  return llvm::join(
      ArrayRef<std::string>{manifestName, caseName, pipeline, target, manifest},
      "\n");
}

std::string Job::title() const {
  std::string text;
  for (const std::string *part : {&manifestName, &caseName, &pipeline, &target})
    if (!part->empty())
      text += (text.empty() ? "" : " ") + oneLine(*part);
  constexpr size_t longest = 190;
  if (text.size() <= longest && !isNamesake)
    return text;
  // What is cut off could be what tells two jobs apart.
  text.resize(std::min(text.size(), longest));
  return repairedUtf8(text) + " " + keyHex({key()}).substr(0, 8);
}

/// With a dash for what file names can't hold.
static std::string dashed(std::string text) {
  for (char &c : text)
    if (!llvm::isAlnum(c) && !StringRef("._-").contains(c))
      c = '-';
  return text;
}

/// What any machine that runs lh-run has.
static constexpr StringRef commonLabel = "linux";

std::string lh::machineKind(StringRef runner, ArrayRef<std::string> labels) {
  if (!runner.empty())
    return dashed(runner.str());
  std::string text;
  for (const std::string &label : labels)
    if (label != commonLabel)
      text += (text.empty() ? "" : "-") + label;
  return text.empty() ? "any" : dashed(text);
}

std::string Job::fileName() const {
  return dashed(title()).substr(0, 100) + "-" + keyHex({key()}).substr(0, 8);
}

void lh::makeUnique(std::vector<Job> &jobs) {
  std::set<std::string> keys;
  llvm::erase_if(
      jobs, [&](const Job &job) { return !keys.insert(job.key()).second; });
  std::map<std::string, std::vector<Job *>> byTitle;
  for (Job &job : jobs)
    byTitle[job.title()].push_back(&job);
  for (auto &[title, namesakes] : byTitle)
    for (Job *job : namesakes)
      job->isNamesake = namesakes.size() > 1;
}

namespace {

/// Makes the jobs of one graph. Everything is borrowed.
class JobMaker {
public:
  JobMaker(const ResolvedGraph &graph, StringRef manifest,
           const JobChoice &choice, DiagnosticSink &sink)
      : graph(graph), manifest(manifest), choice(choice), sink(sink) {}

  std::optional<Job> make(const ResolvedPipeline &pipeline,
                          const CaseDecl *testCase, const TargetSpec &target);

private:
  void place(Job &job, const ResolvedPipeline &pipeline,
             const TargetSpec &target);
  void placeDevice(Job &job, const TargetSpec &target);

  const ResolvedGraph &graph;
  StringRef manifest;
  const JobChoice &choice;
  DiagnosticSink &sink;
};

} // namespace

void JobMaker::placeDevice(Job &job, const TargetSpec &target) {
  job.place = choice.simulates ? JobPlace::Simulated : JobPlace::Device;
  if (choice.simulates && target.backend == "vulkan")
    job.tools = {"mesa-vulkan-drivers"}; // a device in software
  if (target.labels.empty())
    return;
  if (!choice.simulates)
    job.labels = target.labels;
  else if (choice.usesDevices)
    job.nativeLabels = target.labels;
}

void JobMaker::place(Job &job, const ResolvedPipeline &pipeline,
                     const TargetSpec &target) {
  job.labels = {commonLabel.str()};
  if (!std::holds_alternative<ExecuteDecl>(
          graph.bubbles[pipeline.path.back()].action)) {
    job.place = JobPlace::Anywhere;
    return;
  }
  if (!target.run.emulator.empty()) {
    job.place = JobPlace::Emulated;
    job.nativeLabels = target.labels;
    for (const auto &[package, program] : target.run.needs)
      job.tools.push_back(package);
    if (job.tools.empty())
      job.tools = {expressionText(target.run.emulator.front())};
    return;
  }
  bool isExternal = !target.compile.empty();
  if (target.backend != "cpu" && !isExternal) {
    placeDevice(job, target);
    return;
  }
  job.place = JobPlace::Native;
  if (!target.labels.empty())
    job.labels = target.labels;
}

static void addFile(Job &job, const std::optional<FormDecl> &form) {
  if (form && form->checkFile)
    job.inputs.insert(form->checkFile->file);
}

/// The part of a pattern before what varies in it.
static std::string fixedFolder(StringRef pattern) {
  StringRef fixed = pattern.substr(0, pattern.find_first_of("*?[{"));
  return fixed.size() == pattern.size()
             ? fixed.str()
             : llvm::sys::path::parent_path(fixed).str();
}

/// The tool's file, and what of its programs lies beside it.
static void addFiles(Job &job, const ToolSpec &tool) {
  job.inputs.insert(tool.file);
  for (const std::vector<Located<std::string>> *words :
       {&tool.version, &tool.serve})
    for (const Located<std::string> &word : *words)
      if (StringRef(word.value).starts_with("{here}/"))
        job.inputs.insert(
            withPlaces(word.value, {{"here", folderOf(tool.file)}}));
}

static void addInputs(Job &job, const ResolvedBubble &bubble) {
  job.inputs.insert(bubble.files.begin(), bubble.files.end());
  addFile(job, bubble.requires_);
  addFile(job, bubble.ensures);
  for (const ExpectDecl &expect : bubble.expect)
    if (expect.file && expect.file->isLiteral())
      job.inputs.insert(expressionText(*expect.file));
  if (const auto *schedule = std::get_if<ScheduleDecl>(&bubble.action)) {
    job.inputs.insert(schedule->file.value);
    for (const Located<std::string> &library : schedule->libraries)
      job.inputs.insert(library.value);
    if (schedule->kernel) {
      job.inputs.insert(schedule->kernel->file);
      job.inputs.insert(bodyFile(*schedule->kernel).value);
    }
  }
  const auto *execute = std::get_if<ExecuteDecl>(&bubble.action);
  if (execute && execute->tool)
    addFiles(job, *execute->tool);
  if (const auto *patterns = std::get_if<PatternsDecl>(&bubble.action))
    job.inputs.insert(patterns->file.value);
  const auto *ingress = std::get_if<IngressDecl>(&bubble.action);
  if (ingress && ingress->model.isLiteral())
    job.inputs.insert(expressionText(ingress->model));
}

static void addInputs(Job &job, const CaseDecl &testCase) {
  if (const auto *golden = std::get_if<GoldenCase>(&testCase.source)) {
    job.inputs.insert(expressionText(golden->directory));
  } else if (const auto *tests = std::get_if<OnnxTestCase>(&testCase.source)) {
    job.inputs.insert(fixedFolder(expressionText(tests->pattern)));
  } else if (const auto *programs =
                 std::get_if<StablehloTestCase>(&testCase.source)) {
    job.inputs.insert(fixedFolder(expressionText(programs->pattern)));
  } else {
    std::string model =
        expressionText(std::get<GenerateCase>(testCase.source).model);
    // An .onnx file's weights may lie beside it.
    job.inputs.insert(StringRef(model).ends_with(".onnx") ? folderOf(model)
                                                          : model);
  }
}

std::optional<Job> JobMaker::make(const ResolvedPipeline &pipeline,
                                  const CaseDecl *testCase,
                                  const TargetSpec &target) {
  std::map<std::string, Value> facts = factValues(target);
  for (size_t bubble : pipeline.path)
    if (!conditionHolds(graph.bubbles[bubble].when, facts, sink))
      return std::nullopt;
  Job job;
  job.manifest = manifest.str();
  job.manifestName = graph.name;
  job.target = target.name;
  job.pipeline = pipeline.name;
  place(job, pipeline, target);
  if (testCase)
    job.caseName = testCase->name.value;
  return job;
}

template <typename List> static auto namedIn(const List &list, StringRef name) {
  return llvm::find_if(list, [&](const auto &item) {
    if constexpr (requires { item.name.value; })
      return item.name.value == name;
    else
      return item.name == name;
  });
}

void lh::addDetails(Job &job, const ResolvedGraph &graph,
                    const MapSource &space) {
  const TargetSpec &target = *namedIn(graph.targets, job.target);
  const ResolvedPipeline &pipeline = *namedIn(graph.pipelines, job.pipeline);
  job.inputs = {graph.file, target.file};
  job.inputs.insert(target.bases.begin(), target.bases.end());
  for (const Located<std::string> &dialects : graph.dialects)
    job.inputs.insert(dialects.value);
  if (!job.caseName.empty())
    addInputs(job, *namedIn(graph.cases, job.caseName));
  for (size_t i = 0; i < pipeline.path.size(); ++i) {
    addInputs(job, graph.bubbles[pipeline.path[i]]);
    if (i > 0)
      job.edges.insert({space.bubbles[pipeline.path[i - 1]].identity,
                        space.bubbles[pipeline.path[i]].identity});
  }
}

/// Whether a pattern picks `name`; those that do are noted.
static bool picks(ArrayRef<std::string> patterns, StringRef name,
                  std::set<std::string> &used) {
  bool picked = patterns.empty();
  for (const std::string &pattern : patterns) {
    auto glob = llvm::GlobPattern::create(pattern);
    bool matches = glob ? glob->match(name) : pattern == name;
    if (!glob)
      llvm::consumeError(glob.takeError());
    if (matches)
      used.insert(pattern);
    picked |= matches;
  }
  return picked;
}

std::vector<Job> lh::makeJobs(const ResolvedGraph &graph, StringRef manifest,
                              const JobChoice &choice,
                              std::set<std::string> &used,
                              DiagnosticSink &sink) {
  JobMaker maker(graph, manifest, choice, sink);
  std::vector<const CaseDecl *> cases;
  for (const CaseDecl &testCase : graph.cases)
    if (picks(choice.cases, testCase.name.value, used))
      cases.push_back(&testCase);
  if (graph.cases.empty() && choice.cases.empty())
    cases.push_back(nullptr);
  std::vector<Job> jobs;
  for (const TargetSpec &target : graph.targets) {
    if (!picks(choice.targets, target.name, used))
      continue;
    for (const ResolvedPipeline &pipeline : graph.pipelines) {
      if (!picks(choice.pipelines, pipeline.name, used))
        continue;
      for (const CaseDecl *testCase : cases)
        if (std::optional<Job> job = maker.make(pipeline, testCase, target))
          jobs.push_back(std::move(*job));
    }
  }
  return jobs;
}
