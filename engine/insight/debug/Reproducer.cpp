// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that repeats the failure of one step.
#include "insight/debug/Reproducer.h"

#include "core/plan/RecordFields.h"
#include "core/support/Shell.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

constexpr int64_t schemaVersion = 1;

namespace lh {

static void fieldsOf(auto &v, Is<Reproducer> auto &reproducer) {
  v("bubble", reproducer.bubble);
  v("failure", [&](auto &failure) {
    failure("kind", reproducer.failure.kind);
    failure("message", reproducer.failure.message);
    failure("reason", reproducer.reason);
    failure("status", reproducer.failure.status);
  });
  v("flags", [&](auto &flags) {
    flags("allow_exec", reproducer.allowExec);
    flags("device", reproducer.device);
    flags.late("libraries", reproducer.libraryDirs);
    flags("memory_limit_mib", reproducer.memoryLimitMiB);
    flags.late("plugins", reproducer.plugins);
    flags("step_timeout", reproducer.stepTimeout);
    flags("threads", reproducer.threads);
  });
  v("from", [&](auto &from) {
    from("case", reproducer.case_);
    from("manifest", reproducer.from);
    from.late("path", reproducer.path);
    from("pipeline", reproducer.pipeline);
    from("position", reproducer.position);
    from("target", reproducer.target);
  });
  v("mlir_opt", reproducer.mlirOpt);
  v.derived("reproducer", schemaVersion);
}

} // namespace lh

std::string lh::recordText(const Reproducer &reproducer) {
  return printJson(writeFields(reproducer, FieldUse::Report));
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
      << "`: " << enumName(reproducer.failure.status) << "\n\n    "
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

static void checkStatus(const JsonCursor &failure) {
  std::string name = failure.has("status") ? failure.at("status").asText() : "";
  for (StepStatus status :
       {StepStatus::NotRun, StepStatus::Passed, StepStatus::NotApplicable})
    if (name == enumName(status))
      failure.at("status").error("is '" + name + "', which is no failure");
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
  JsonDocument document{path, (*buffer)->getBuffer(), sink,
                        DiagKind::DriverBadReproducer,
                        "a failing step of lh-run run"};
  auto json = parseJson(document);
  if (!json)
    return failure();
  JsonCursor top(document, *json);
  if (top.at("reproducer").asInteger() != schemaVersion &&
      top.errorCount() == 0)
    top.at("reproducer")
        .error("should be " + Twine(schemaVersion) +
               ": another lh-run wrote this, or something else");
  if (top.errorCount() > 0)
    return failure();
  checkStatus(top.at("failure"));
  Reproducer reproducer;
  (void)readFields(top, FieldUse::Report, reproducer);
  if (top.errorCount() > 0)
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
