// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of what a run leaves behind, as JSON has them: in messages between
// lh-run's processes, in the cache and in reports.
#ifndef LH_CORE_PLAN_RECORDFIELDS_H
#define LH_CORE_PLAN_RECORDFIELDS_H

#include "core/json/Fields.h"
#include "core/plan/RunRecord.h"

namespace lh {

void fieldsOf(auto &v, Is<SourceSpan> auto &span) {
  v("file", span.file);
  v("line", span.line);
  v("column", span.column);
  v.own("length", span.length);
}

void fieldsOf(auto &v, Is<DiagnosticNote> auto &note) {
  v("message", note.message);
  v.late("where", note.where);
}

void fieldsOf(auto &v, Is<Diagnostic> auto &diagnostic) {
  v("kind", diagnostic.kind);
  v("severity", diagnostic.severity);
  v("message", diagnostic.message);
  v.ifAny("where", diagnostic.where);
  v.ifAny("notes", diagnostic.notes);
}

//===-- Steps -------------------------------------------------------------===//

void fieldsOf(auto &v, Is<ArithmeticCount> auto &count) {
  v.late("operations", count.operations);
  v.late("vectorised", count.vectorised);
  v.late("instructions", count.instructions);
  v.late("vector_instructions", count.vectorInstructions);
  v.derived("vectorised_share", count.vectorisedShare());
  v.derived("instruction_share", count.instructionShare());
  v.pairs("unknown_calls", count.unknownCalls, "name", "calls");
}

void fieldsOf(auto &v, Is<KernelShare> auto &share) {
  v.pairs("kernels", share.kernels, "name", "operations");
  v.late("without_kernel", share.withoutKernel);
  v.derived("kernel_share", share.share());
}

void fieldsOf(auto &v, Is<ContractionWork> auto &work) {
  v("operations", work.operations);
  v("open", work.isOpen);
}

void fieldsOf(auto &v, Is<ProfiledPiece> auto &piece) {
  v("nest", piece.isNest);
  v("nodes", piece.nodes);
  v("share", piece.share);
}

void fieldsOf(auto &v, Is<CallProfile> auto &profile) {
  v("seconds", profile.seconds);
  v("pieces", profile.pieces);
}

void fieldsOf(auto &v, Is<NodeWork> auto &work) {
  v("node", work.node);
  v("kind", work.kind);
  v("operations", work.operations);
  v("bytes", work.bytes);
  v("dtype", work.dtype);
}

void fieldsOf(auto &v, Is<OutputFile> auto &file) {
  v("name", file.name);
  v("dtype", file.dtype);
  v("path", file.path);
  v.ifAny("drawn", file.isDrawn);
}

void fieldsOf(auto &v, Is<MatchCount> auto &match) {
  fieldsOf(v, match.where);
  v("op", match.op);
  v("operations", match.operations);
  v("optional", match.isOptional);
}

void fieldsOf(auto &v, Is<OpChoice> auto &choice) {
  v("op", choice.op);
  v("strategy", choice.strategy);
  v("rule", choice.rule);
  v.late("numbers", choice.numbers);
  v.ifAny("name", choice.name);
  v.ifAny("sizes", choice.sizes);
  v.ifAny("where", choice.where);
}

void fieldsOf(auto &v, Is<ProductKey> auto &product) {
  v("product", product.loops);
  v("sizes", product.sizes);
  v("types", product.types);
  v("weights", product.fromWeights);
  v.ifAny("steps", product.steps);
}

void fieldsOf(auto &v, Is<OpCandidates> auto &candidates) {
  v("op", candidates.op);
  v("origins", candidates.origins);
  v("for", candidates.product);
  v("choice", candidates.choice);
  v("strategies", candidates.strategies);
}

void fieldsOf(auto &v, Is<ModuleCount> auto &count) {
  v.late("by_dialect", count.operations);
  v.late("constant_bytes", count.constantBytes);
}

void fieldsOf(auto &v, Is<PassTime> auto &pass) {
  v("name", pass.name);
  v("depth", pass.depth);
  v("begin", pass.begin);
  v("seconds", pass.seconds);
}

/// A report has `matches` of its own: they refer to a table of places.
void outcomeFields(auto &v, auto &outcome, auto &matches) {
  v("status", outcome.status);
  v.ifAny("reason", outcome.reason);
  v.late("begin", outcome.begin);
  v("seconds", outcome.seconds);
  v.late("worker", outcome.worker);
  v.late("peak_bytes", outcome.peakBytes);
  v.late("changed_module", outcome.changedModule);
  v.ifAny("cache", outcome.cache);
  v.ifAny("cache_note", outcome.cacheNote);
  v.ifAny("before", outcome.before);
  v.ifAny("after", outcome.after);
  v.ifAny("passes", outcome.passes);
  v.ifAny("matches", matches);
  v.ifAny("choices", outcome.choices);
  v.ifAny("run_seconds", outcome.runSeconds);
  v.ifAny("outputs", outcome.outputs);
  v.ifAny("snapshot", outcome.snapshot);
  v.ifAny("reproducer", outcome.reproducer);
  v.ifAny("diagnostics", outcome.diagnostics);
  v.ifAny("log", outcome.log);
  v.own("inputs", outcome.inputs);
  v.own("gaps", outcome.gaps);
  v.own("candidates", outcome.candidates);
  v.own("code_hash", outcome.codeHash);
  v.own("kernels", outcome.kernels);
  v.own("work", outcome.work);
  v.own("arithmetic", outcome.arithmetic);
  v.own("profile", outcome.profile);
  v.own("nodes", outcome.nodes);
}

/// Without its id.
void fieldsOf(auto &v, Is<StepOutcome> auto &outcome) {
  outcomeFields(v, outcome, outcome.matches);
}

//===-- Results -----------------------------------------------------------===//

void fieldsOf(auto &v, Is<ResultKey> auto &key) {
  v("case", key.caseName);
  v("data_set", key.dataSet);
  v("target", key.target);
  v("sweep", key.sweep);
  v("pipeline", key.pipeline);
}

void fieldsOf(auto &v, Is<Tolerance> auto &tolerance) {
  v("atol", tolerance.atol);
  v("rtol", tolerance.rtol);
  v.ifAny("ulp", tolerance.ulp);
}

void fieldsOf(auto &v, Is<WorstElement> auto &element) {
  v.late("index", element.index);
  v("actual", element.actual);
  v("expected", element.expected);
  v("ulp", element.ulp);
  v.late("share", element.share);
}

void fieldsOf(auto &v, Is<CompareResult> auto &result) {
  auto sides = [](auto &actual, auto &expected) {
    return [&](auto &pair) {
      pair("actual", actual);
      pair("expected", expected);
    };
  };
  v("passed", result.passed);
  v.ifAny("mismatch", result.mismatch);
  v("tolerance", result.tolerance);
  v("elements", result.elements);
  v("mismatches", result.mismatches);
  v("max_abs", result.maxAbs);
  v("mean_abs", result.meanAbs);
  v("p99_abs", result.p99Abs);
  v("rms_abs", result.rmsAbs);
  v("max_rel", result.maxRel);
  v("mean_rel", result.meanRel);
  v("p99_rel", result.p99Rel);
  v("max_ulp", result.maxUlp);
  v.late("ulp_histogram", result.ulpHistogram);
  v("relative_l2", result.relativeL2);
  v("cosine", result.cosine);
  v.derived("psnr", result.psnr());
  v("max_norm", result.maxNorm);
  v("expected", [&](auto &expected) {
    expected("min", result.minExpected);
    expected("max", result.maxExpected);
    expected.late("rms", result.rmsExpected);
  });
  v.late("nan", sides(result.nanActual, result.nanExpected));
  v.late("inf", sides(result.infActual, result.infExpected));
  v.late("denormal", sides(result.denormalActual, result.denormalExpected));
  v.late("unbounded", result.unbounded);
  v("worst_share", result.worstShare);
  v("smallest_atol", result.smallestAtol);
  v("smallest_rtol", result.smallestRtol);
  v.late("worst", result.worst);
}

void fieldsOf(auto &v, Is<OutputComparison> auto &comparison) {
  v("output", comparison.output);
  v("against", comparison.against);
  v("criterion", comparison.criterion);
  v.late("basis", comparison.basis);
  v.ifAny("warnings", comparison.warnings);
  fieldsOf(v, comparison.result);
}

void fieldsOf(auto &v, Is<Classified> auto &classified) {
  v("rightly", classified.rightly);
  v("of", classified.of);
}

} // namespace lh

#endif // LH_CORE_PLAN_RECORDFIELDS_H
