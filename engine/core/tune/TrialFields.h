// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a trial, as a line of the log has them.
#ifndef LH_CORE_TUNE_TRIALFIELDS_H
#define LH_CORE_TUNE_TRIALFIELDS_H

#include "core/bench/BenchFields.h"
#include "core/tune/TrialLog.h"

namespace lh {

/// By name. Numbers keep their type: 4 is an integer, 4.0 is not.
inline Json pointJson(const TunePoint &point) {
  Json json = Json::object();
  for (const auto &[name, value] : point)
    std::visit([&, &name = name](const auto &held) { json[name] = held; },
               value);
  return json;
}

void fieldsOf(auto &v, Is<TrialRatio> auto &ratio) {
  v("median", ratio.median);
  v("relative_error", ratio.relativeError);
}

/// Point and seed are only written: their types are not those of fields.
void fieldsOf(auto &v, Is<TrialRecord> auto &trial) {
  v.derived("schema", TrialRecord::schema);
  v("space", trial.space);
  v("work", trial.work);
  v("target", trial.target);
  v("cpu", trial.cpu);
  v("versions", trial.versions);
  if constexpr (!areRead<decltype(v)>)
    v.json["point"] = pointJson(trial.point);
  v("outcome", trial.outcome);
  v.ifAny("reason", trial.reason);
  v.ifAny("seconds", trial.seconds);
  v.ifAny("ratio", trial.ratio);
  v.ifAny("base_seconds", trial.baseSeconds);
  v.ifAny("code", trial.code);
  v("compile_seconds", trial.compileSeconds);
  v("round", trial.round);
  v.derived("seed", trial.seed);
  v("host", trial.host);
  v("when", trial.when);
}

} // namespace lh

#endif // LH_CORE_TUNE_TRIALFIELDS_H
