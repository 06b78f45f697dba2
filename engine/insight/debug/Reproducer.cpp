// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that repeats the failure of one step.
#include "insight/debug/Reproducer.h"

#include "core/support/Shell.h"
#include "insight/report/JsonCursor.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;
namespace json = llvm::json;

constexpr int64_t schemaVersion = 1;

constexpr StepStatus failures[] = {StepStatus::Failed, StepStatus::Crashed,
                                   StepStatus::TimedOut,
                                   StepStatus::OutOfMemory};

static json::Array listOf(ArrayRef<std::string> words) {
  json::Array list;
  for (const std::string &word : words)
    list.push_back(json::fixUTF8(word));
  return list;
}

std::string lh::recordText(const Reproducer &reproducer) {
  auto text = [](StringRef words) { return json::fixUTF8(words); };
  json::Object failure{{"status", statusName(reproducer.failure.status)},
                       {"kind", text(reproducer.failure.kind)},
                       {"message", text(reproducer.failure.message)},
                       {"reason", text(reproducer.reason)}};
  json::Object flags{
      {"plugins", listOf(reproducer.plugins)},
      {"libraries", listOf(reproducer.libraryDirs)},
      {"allow_exec", reproducer.allowExec},
      {"threads", reproducer.threads},
      {"device", text(reproducer.device)},
      {"step_timeout", reproducer.stepTimeout},
      {"memory_limit_mib", static_cast<int64_t>(reproducer.memoryLimitMiB)}};
  json::Object object{
      {"reproducer", schemaVersion},
      {"bubble", text(reproducer.bubble)},
      {"failure", std::move(failure)},
      {"from",
       json::Object{{"manifest", text(reproducer.from)},
                    {"case", text(reproducer.case_)},
                    {"target", text(reproducer.target)},
                    {"pipeline", text(reproducer.pipeline)},
                    {"path", listOf(reproducer.path)},
                    {"position", static_cast<int64_t>(reproducer.position)}}},
      {"flags", std::move(flags)},
      {"mlir_opt", text(reproducer.mlirOpt)}};
  std::string out;
  llvm::raw_string_ostream(out)
      << llvm::formatv("{0:2}", json::Value(std::move(object))) << '\n';
  return out;
}

/// The flags of `lh-run run`, as a shell takes them.
static std::string flagsText(const Reproducer &reproducer) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const std::string &folder : reproducer.libraryDirs)
    out << " --library " << shellWord(folder);
  for (const std::string &plugin : reproducer.plugins)
    out << " --plugin " << shellWord(plugin);
  if (reproducer.allowExec)
    out << " --allow-exec";
  if (reproducer.threads > 0)
    out << " --threads " << reproducer.threads;
  if (reproducer.device != "auto")
    out << " --device " << reproducer.device;
  if (reproducer.stepTimeout > 0)
    out << llvm::format(" --step-timeout %g", reproducer.stepTimeout);
  if (reproducer.memoryLimitMiB > 0)
    out << " --memory-limit " << reproducer.memoryLimitMiB;
  return text;
}

/// Where in which run it failed first.
static void writeOrigin(const Reproducer &reproducer, llvm::raw_ostream &out) {
  out << "Bubble `" << reproducer.bubble << "`";
  if (!reproducer.pipeline.empty())
    out << " of pipeline `" << reproducer.pipeline << "`";
  if (!reproducer.target.empty())
    out << " for target `" << reproducer.target << "`";
  if (!reproducer.case_.empty())
    out << ", case `" << reproducer.case_ << "`";
  out << ", in `" << reproducer.from << "`:\n\n    ";
  for (size_t i = 0; i < reproducer.path.size(); ++i)
    out << (i ? " -> " : "") << (i == reproducer.position ? "[" : "")
        << reproducer.path[i] << (i == reproducer.position ? "]" : "");
  out << "\n";
}

std::string lh::notesText(const Reproducer &reproducer, StringRef input) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "# `" << reproducer.bubble
      << "`: " << statusName(reproducer.failure.status) << "\n\n    "
      << reproducer.reason << "\n\n";
  writeOrigin(reproducer, out);
  if (!input.empty())
    out << "\n`" << input
        << "` is the module as the bubble got it. `manifest.yaml` does that "
           "bubble alone, with all values in place.\n";
  out << "\nAgain, from this folder:\n\n    lh-run run manifest.yaml"
      << flagsText(reproducer) << " --no-failures\n";
  if (!reproducer.mlirOpt.empty()) {
    // What only lh-run can do stands behind a '#'.
    auto [line, note] = StringRef(reproducer.mlirOpt).split(" # ");
    out << "\nWithout lh-run:\n\n    " << line;
    for (const std::string &plugin : reproducer.plugins)
      out << " --load-pass-plugin=" << shellWord(plugin);
    out << ' ' << input << (note.empty() ? "" : "  # ") << note << '\n';
  }
  bool needsLeave = reproducer.allowExec || !reproducer.plugins.empty();
  out << "\nSmaller, by itself:\n\n    lh-run reduce ."
      << (needsLeave ? " --allow-exec" : "") << '\n';
  return text;
}

static std::vector<std::string> wordsAt(const JsonCursor &object,
                                        const char *key) {
  std::vector<std::string> words;
  object.each(key,
              [&](const JsonCursor &word) { words.push_back(word.asText()); });
  return words;
}

static uint64_t countAt(const JsonCursor &object, const char *key) {
  return static_cast<uint64_t>(std::max<int64_t>(object.integer(key), 0));
}

static StepStatus statusAt(const JsonCursor &failure) {
  std::string name = failure.text("status");
  for (StepStatus status : failures)
    if (statusName(status) == name)
      return status;
  if (!name.empty())
    failure.at("status").error("is '" + name + "', which is no failure");
  return failures[0];
}

static void readFlags(const JsonCursor &flags, Reproducer &reproducer) {
  reproducer.plugins = wordsAt(flags, "plugins");
  reproducer.libraryDirs = wordsAt(flags, "libraries");
  reproducer.allowExec = flags.flag("allow_exec");
  reproducer.threads = static_cast<unsigned>(countAt(flags, "threads"));
  reproducer.device = flags.text("device");
  reproducer.stepTimeout = flags.number("step_timeout");
  reproducer.memoryLimitMiB = countAt(flags, "memory_limit_mib");
}

static Reproducer reproducerFrom(const JsonCursor &top) {
  Reproducer reproducer;
  JsonCursor failure = top.at("failure"), from = top.at("from");
  reproducer.failure = {statusAt(failure), failure.text("kind"),
                        failure.text("message")};
  reproducer.reason = failure.text("reason");
  reproducer.bubble = top.text("bubble");
  reproducer.mlirOpt = top.text("mlir_opt");
  reproducer.from = from.text("manifest");
  reproducer.case_ = from.text("case");
  reproducer.target = from.text("target");
  reproducer.pipeline = from.text("pipeline");
  reproducer.path = wordsAt(from, "path");
  reproducer.position = countAt(from, "position");
  readFlags(top.at("flags"), reproducer);
  return reproducer;
}

FailureOr<Reproducer> lh::readReproducer(const std::string &folder,
                                         DiagnosticSink &sink) {
  std::string path = folder + "/" + reproducerFiles::record;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return sink.error(DiagKind::DriverBadReproducer, {folder, 0, 0, 0},
                      "there is no failure.json in '" + folder +
                          "'; a failing step of lh-run run leaves such a "
                          "folder, and says where");
  unsigned errors = sink.errorCount();
  JsonDocument document{path, (*buffer)->getBuffer(), sink,
                        DiagKind::DriverBadReproducer,
                        "a failing step of lh-run run"};
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  JsonCursor top(document, *json);
  if (top.integer("reproducer") != schemaVersion && sink.errorCount() == errors)
    top.at("reproducer")
        .error("should be " + Twine(schemaVersion) +
               ": another lh-run wrote this, or something else");
  if (sink.errorCount() > errors)
    return failure();
  Reproducer reproducer = reproducerFrom(top);
  if (sink.errorCount() > errors)
    return failure();
  return reproducer;
}

ManifestRunOptions lh::runOptionsOf(const Reproducer &reproducer,
                                    const std::string &folder) {
  ManifestRunOptions options;
  options.graph.manifest = folder + "/" + reproducerFiles::manifest;
  options.graph.plugins = reproducer.plugins;
  options.graph.libraryDirs = reproducer.libraryDirs;
  options.graph.allowExec = reproducer.allowExec;
  options.graph.threads = reproducer.threads;
  options.graph.device = reproducer.device;
  options.stepTimeout = reproducer.stepTimeout;
  options.memoryLimitMiB = reproducer.memoryLimitMiB;
  options.jobs = 1;
  return options;
}
