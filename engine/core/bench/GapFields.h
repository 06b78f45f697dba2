// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a record of gaps.
#ifndef LH_CORE_BENCH_GAPFIELDS_H
#define LH_CORE_BENCH_GAPFIELDS_H

#include "core/bench/GapRecord.h"
#include "core/json/Fields.h"

namespace lh {

void fieldsOf(auto &v, Is<Slowdown> auto &slowdown) {
  v("times", slowdown.times);
  v("low", slowdown.low);
  v("high", slowdown.high);
}

void fieldsOf(auto &v, Is<GapTrial> auto &trial) {
  v("name", trial.name);
  v.ifAny("topic", trial.topic);
  v("left_out", trial.leftOut);
  v("worth", trial.worth);
  v.derived("runs", trial.worth != GapWorth::Breaks);
  v.derived("right",
            trial.worth != GapWorth::Breaks && trial.worth != GapWorth::Wrong);
  v.ifAny("reason", trial.reason);
  v("slowdown", trial.slowdown);
  v("lost_work", trial.lostWork);
  v("compile_seconds", trial.compileSeconds);
}

void fieldsOf(auto &v, Is<Redundancy> auto &redundancy) {
  v("removable", redundancy.removable);
  v.pairs("pairs", redundancy.pairs, "one", "other");
  v("needed", redundancy.needed);
}

void fieldsOf(auto &v, Is<GapRecord> auto &record) {
  v.derived("schema", 1);
  v("manifest", record.manifest);
  v("pipeline", record.pipeline);
  v("target", record.target);
  v("case", record.caseName);
  v("cpu", record.cpu);
  v("llvm", record.llvm);
  v("started_at", record.startedAt);
  v("limit_seconds", record.limitSeconds);
  v("step_seconds", record.stepSeconds);
  v("seconds", record.seconds);
  v("compile_seconds", record.compileSeconds);
  v("gaps", record.gaps);
  v("topics", record.topics);
  v("together", record.together);
  v("redundancy", record.redundancy);
  v("interrupted", record.interrupted);
}

} // namespace lh

#endif // LH_CORE_BENCH_GAPFIELDS_H
