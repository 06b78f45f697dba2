// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the JSON report says of a run beyond what happened in it.
#include "cli/RunContext.h"

#include "compiler/session/MlirOptLine.h"
#include "core/support/FileSystem.h"
#include "core/support/Version.h"
#include "insight/map/DescribeGraph.h"
#include "runtime/abi/HostFacts.h"

#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace lh;

std::string lh::timeText(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

/// The same steps come again for every case: each line is made once.
static std::vector<std::string> repeatLines(const Plan &plan,
                                            MlirSession &session) {
  std::map<std::string, std::string> byAction;
  std::vector<std::string> lines;
  for (const Step &step : plan.steps) {
    std::string key;
    if (const auto *passes = std::get_if<PassesAction>(&step.action))
      key = passes->pipeline;
    else if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
      key = schedule->file + "\n" + schedule->entry + "\n" + step.bubble;
    auto [line, isNew] = byAction.try_emplace(key);
    if (isNew && !key.empty())
      line->second = mlirOptLine(step, session);
    lines.push_back(line->second);
  }
  return lines;
}

/// The line at `where`, and those after it up to the brackets that it opens.
static std::string textAt(const SourceSpan &where, SourceStore &sources) {
  constexpr unsigned mostLines = 6;
  std::string text;
  for (unsigned i = 0; i < mostLines; ++i) {
    std::optional<StringRef> line = sources.line(where.file, where.line + i);
    if (!line)
      break;
    text += (text.empty() ? "" : " ") + line->trim().str();
    StringRef all = text;
    if (all.count('[') <= all.count(']') && all.count('{') <= all.count('}'))
      break;
  }
  return text;
}

std::string lh::hostName() {
  if (const char *node = std::getenv("SLURMD_NODENAME"))
    return node;
  char name[256] = "";
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

ReportContext lh::contextOf(const Plan &plan, const ResolvedGraph &graph,
                            MlirSession &session, SourceStore &sources,
                            StringRef path, std::time_t started) {
  ReportContext context;
  context.versions = versions();
  context.startedAt = timeText(started) + "Z";
  context.machine = hostName();
  context.cpu = detectHost().cpu;
  context.space = describeGraph(graph);
  context.repeatLines = repeatLines(plan, session);
  context.lineAt = [&sources](const SourceSpan &where) {
    return textAt(where, sources);
  };
  llvm::SmallString<128> absolute(path);
  if (!llvm::sys::fs::make_absolute(absolute))
    context.folder = folderOf(absolutePath(absolute, "/"));
  return context;
}
