// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of what was measured, as a report has them.
#ifndef LH_CORE_BENCH_BENCHFIELDS_H
#define LH_CORE_BENCH_BENCHFIELDS_H

#include "core/bench/BenchRecord.h"
#include "core/json/Fields.h"

namespace lh {

void fieldsOf(auto &v, Is<SampleStatistics> auto &statistics) {
  v("count", statistics.count);
  v("median", statistics.median);
  v("min", statistics.min);
  v("max", statistics.max);
  v("p05", statistics.p05);
  v("p95", statistics.p95);
  v("relative_error", statistics.relativeError);
}

void fieldsOf(auto &v, Is<ModelledCycles> auto &modelled) {
  v("cycles", modelled.cycles);
  v.derived("share_of_peak", modelled.shareOfPeak());
}

void fieldsOf(auto &v, Is<ModelledCore> auto &core) {
  v("core", core.core);
  v("all", core.all);
  v("loop", core.loop);
}

void fieldsOf(auto &v, Is<ModelledCode> auto &code) {
  v.derived("counted", code.whyNot.empty());
  if (!code.whyNot.empty())
    return v("reason", code.whyNot);
  v("vector_bits", code.vectorBits);
  v("instructions", code.instructions);
  v("kinds", code.kinds);
  v("loop_instructions", code.loopInstructions);
  v.derived("cycles", cycleModelLabel);
  v("cores", code.cores);
}

/// The case and the data set are its group's, whose `operations` one call does.
void fieldsOf(auto &v, Is<BenchRow> auto &row,
              std::optional<double> operations) {
  bool isMeasured = row.whyNot.empty();
  v("pipeline", row.key.pipeline);
  v("target", row.key.target);
  v("sweep", row.key.sweep);
  v.ifAny("tool", row.tool);
  v("measured", isMeasured);
  if (row.modelled)
    v.derived("modelled", *row.modelled);
  if (!isMeasured)
    return v("reason", row.whyNot);
  std::string clock = row.onDevice ? "device" : row.byCpuTime ? "cpu" : "wall";
  if (operations)
    operations = *operations / row.seconds.median;
  v("seconds", row.seconds);
  v.late("samples", row.perLap);
  v("calls_per_sample", row.callsPerLap);
  v("disturbed", row.dropped);
  v("clock", clock);
  v("steady", row.isSteady);
  v("left_race", row.leftRace);
  v.derived("operations_per_second", operations);
  v("bytes", row.bytes);
  v.derived("bytes_per_second",
            static_cast<double>(row.bytes) / row.seconds.median);
  v("share_of_peak", row.shareOfPeak);
  v("share_of_bandwidth", row.shareOfBandwidth);
  v("ratio", row.ratio);
  if constexpr (areRead<decltype(v)>) {
    row.byCpuTime = clock == "cpu";
    row.onDevice = clock == "device";
  }
}

void fieldsOf(auto &v, Is<ProbeFigure> auto &figure) {
  std::string of = figure.probe.dtype.empty() ? "memory" : figure.probe.dtype;
  v("name", figure.probe.name);
  v("of", of);
  v("rate", figure.rate);
  if constexpr (areRead<decltype(v)>)
    figure.probe.dtype = of == "memory" ? "" : of;
}

namespace detail {
/// Names the fastest row of a group.
struct Fastest {
  std::string pipeline, target;
  bool isClear = false;
};

void fieldsOf(auto &v, Is<Fastest> auto &fastest) {
  v("pipeline", fastest.pipeline);
  v("target", fastest.target);
  v("clear", fastest.isClear);
}
} // namespace detail

void fieldsOf(auto &v, Is<BenchGroup> auto &group) {
  std::optional<std::map<std::string, double>> operations;
  std::optional<detail::Fastest> fastest;
  if (group.operations())
    operations = group.work->operations;
  if (group.fastest) {
    const ResultKey &key = group.rows[*group.fastest].key;
    fastest = {key.pipeline, key.target, group.isClear};
  }
  v("case", group.caseName);
  v("data_set", group.dataSet);
  v("operations", operations);
  v.late("probes", group.probes);
  v.each("rows", group.rows, [&](auto &inner, auto &row) {
    fieldsOf(inner, row, group.operations());
  });
  v("fastest", fastest);
  if constexpr (areRead<decltype(v)>) {
    if (operations)
      group.work = ContractionWork{std::move(*operations)};
    for (size_t i = 0; i < group.rows.size(); ++i) {
      ResultKey &key = group.rows[i].key;
      key.caseName = group.caseName;
      key.dataSet = group.dataSet;
      if (fastest && key.pipeline == fastest->pipeline &&
          key.target == fastest->target)
        group.fastest = i;
    }
    group.isClear = fastest && fastest->isClear;
  }
}

void fieldsOf(auto &v, Is<BenchRecord> auto &record) {
  v.derived("schema", 1);
  v("cpu", record.cpu);
  v("core", record.core);
  v("threads", record.threads);
  v("base", record.base);
  v("race", record.isRace);
  v("target_error", record.targetError);
  v("limit_seconds", record.limitSeconds);
  v("interrupted", record.interrupted);
  v.late("cases", record.groups);
}

} // namespace lh

#endif // LH_CORE_BENCH_BENCHFIELDS_H
