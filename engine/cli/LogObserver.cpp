// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// spdlog's home.
#include "cli/LogObserver.h"

#include "core/support/VisibleText.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

using namespace lh;

LogObserver::LogObserver(RunObserver &next, bool color) : next(next) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_st>(
      color ? spdlog::color_mode::automatic : spdlog::color_mode::never);
  log = std::make_shared<spdlog::logger>("lh-run", sink);
  log->set_pattern("%H:%M:%S.%e %^%l%$ %v");
}

LogObserver::~LogObserver() = default;

void LogObserver::runStarted(const Plan &plan) {
  log->info("{}: {} steps for {} results", visibleLine(plan.manifest),
            plan.steps.size(), plan.results.size());
  next.runStarted(plan);
}

void LogObserver::stepStarted(const Step &step) {
  log->info("step {} '{}' started", step.id, visibleLine(step.bubble));
  next.stepStarted(step);
}

void LogObserver::stepFinished(const Step &step, const StepOutcome &outcome) {
  std::string bubble = visibleLine(step.bubble);
  std::string reason = visibleLine(outcome.reason);
  double megabytes = static_cast<double>(outcome.peakBytes) / 1e6;
  if (outcome.status == StepStatus::Passed)
    log->info("step {} '{}' passed in {:.1f} ms, peak {:.0f} MB{}", step.id,
              bubble, outcome.seconds * 1e3, megabytes,
              outcome.changedModule ? "" : ", changed nothing");
  else if (outcome.status == StepStatus::NotApplicable)
    log->info("step {} '{}' is not applicable: {}", step.id, bubble, reason);
  else
    log->error("step {} '{}': {}", step.id, bubble, reason);
  next.stepFinished(step, outcome);
}

void LogObserver::resultFinished(const ResultRecord &record) {
  next.resultFinished(record);
}

void LogObserver::runFinished(const RunRecord &record) {
  next.runFinished(record);
}
