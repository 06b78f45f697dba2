// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run compare`: two tensor files, as numbers.
#include "cli/Command.h"

#include "cli/CompareRuns.h"
#include "cli/SharedOptions.h"
#include "core/manifest/ValueText.h"
#include "core/numerics/Comparator.h"
#include "core/numerics/Statistics.h"
#include "core/numerics/TensorFile.h"
#include "core/support/FileSystem.h"
#include "core/support/SourceStore.h"
#include "core/support/StreamSink.h"
#include "insight/report/JsonReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace lh;

static void addCompareFlags(CLI::App &command, CompareOptions &options) {
  command
      .add_option("actual", options.actual,
                  "a tensor (.npy or ONNX's .pb); or a manifest, with "
                  "--pipelines or --per-node")
      ->required();
  command.add_option("expected", options.expected, "the other tensor");
  addValue(command, "--pipelines", "A,B", options.pipelines,
           "of a manifest: run two pipelines on the same inputs, and compare "
           "A's results with B's")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag(
      "--per-node", options.perNode,
      "of a manifest: run each node of the ONNX model by itself through a "
      "pipeline, on what the oracle computes for its inputs, and compare");
  addValue(command, "--bound", "FILE", options.bounds,
           "a tensor of each element's allowed error, in place of --atol and "
           "--rtol");
  addJsonFlag(command, options.json,
              "write the statistics, or the table of a manifest, as JSON");
  addSelectionFlags(command, options.run.graph);
  addThreadsFlag(command, options.run.graph);
  addDeviceFlag(command, options.run.graph);
  addJobsFlag(command, options.run);
  addStepTimeoutFlag(command, options.run);
  addToleranceFlags(command, options.run.tolerance);
}
using llvm::format;

static std::string shapeText(const Tensor &tensor) {
  std::string text;
  for (int64_t dim : tensor.shape())
    text += std::to_string(dim) + "x";
  return text + dtypeName(tensor.dtype()).str();
}

static void printTolerance(const CompareResult &result, bool bounded,
                           llvm::raw_ostream &out) {
  if (bounded)
    out << "tolerance  a bound for each element";
  else
    out << format("tolerance  atol %g, rtol %g", result.tolerance.atol,
                  result.tolerance.rtol);
  if (result.tolerance.ulp)
    out << ", ulp " << *result.tolerance.ulp;
  if (result.unbounded > 0)
    out << "; " << result.unbounded << " without a bound";
  out << '\n';
}

static void printStatistics(const CompareResult &result,
                            llvm::raw_ostream &out) {
  out << format("absolute   max %g, mean %g, p99 %g, RMS %g\n", result.maxAbs,
                result.meanAbs, result.p99Abs, result.rmsAbs)
      << format("relative   max %g, mean %g, p99 %g\n", result.maxRel,
                result.meanRel, result.p99Rel)
      << format("norms      relative L2 %g, cosine %.9g, max %g, PSNR %g dB\n",
                result.relativeL2, result.cosine, result.maxNorm, result.psnr())
      << format("range      %g to %g, RMS %g\n", result.minExpected,
                result.maxExpected, result.rmsExpected)
      << "special    NaN " << result.nanActual << " against "
      << result.nanExpected << ", Inf " << result.infActual << " against "
      << result.infExpected << ", denormal " << result.denormalActual
      << " against " << result.denormalExpected << '\n'
      << format("passes at  atol %g, or rtol %g; the worst takes %.3g of what "
                "is allowed\n",
                result.smallestAtol, result.smallestRtol, result.worstShare);
}

/// "0", "1", "2", "3-4", "5-8", ..., ">32768", "special".
static std::string bucketText(size_t bucket) {
  if (bucket < 3)
    return std::to_string(bucket);
  if (bucket == ulpBuckets - 1)
    return "special";
  int64_t low = int64_t(1) << (bucket - 2);
  if (bucket == ulpBuckets - 2)
    return ">" + std::to_string(low);
  return std::to_string(low + 1) + "-" + std::to_string(2 * low);
}

/// A line for each bucket in use, with a bar of at most forty signs.
static void printDistances(const CompareResult &result, StringRef unit,
                           llvm::raw_ostream &out) {
  out << format("%-11s", unit.str().c_str()) << "max " << result.maxUlp
      << ", off by one " << result.offByOne() << '\n';
  for (size_t bucket = 0; bucket < ulpBuckets; ++bucket) {
    int64_t count = result.ulpHistogram[bucket];
    if (count == 0)
      continue;
    double share = double(count) / double(result.elements);
    out << format("  %12s  %12lld  %6.2f %%  ", bucketText(bucket).c_str(),
                  static_cast<long long>(count), 100 * share)
        << std::string(size_t(std::ceil(40 * share)), '#') << '\n';
  }
}

static void printWorst(const CompareResult &result, StringRef unit,
                       llvm::raw_ostream &out) {
  for (const WorstElement &element : result.worst)
    out << "worst      " << indexText(element.index)
        << format(" actual %.9g, expected %.9g, ", element.actual,
                  element.expected)
        << element.ulp << ' ' << unit
        << format(", %.3g of what is allowed\n", element.share);
}

static void printResult(const CompareResult &result, const Tensor &actual,
                        bool bounded, llvm::raw_ostream &out) {
  bool counted = isInteger(actual.dtype()) || actual.dtype() == DType::Bool;
  StringRef unit = counted ? "LSB" : "ULP";
  printTolerance(result, bounded, out);
  printStatistics(result, out);
  printDistances(result, unit, out);
  printWorst(result, unit, out);
  out << (result.passed ? "passed" : "failed") << ", " << result.mismatches
      << " of " << result.elements << " elements differ\n";
}

/// A bound that nothing could exceed would pass any number.
static LogicalResult checkBounds(const std::string &path, const Tensor &bounds,
                                 DiagnosticSink &sink) {
  for (int64_t i = 0, e = bounds.elementCount(); i < e; ++i)
    if (double bound = bounds.at(i); !std::isfinite(bound) || bound < 0)
      return sink.error(DiagKind::NumericsBadTolerance, {path},
                        "the bound of " +
                            indexText(indexOf(i, bounds.shape())) + " is " +
                            valueText(Value(bound)) +
                            "; a bound must be finite and at least 0");
  return success();
}

/// The bounds as float64; says what is wrong with them.
static FailureOr<Tensor> readBounds(const std::string &path,
                                    const Tensor &expected, DriverEnv &env,
                                    DiagnosticSink &sink) {
  FailureOr<Tensor> read = readTensorFile(path, sink);
  if (failed(read))
    return failure();
  if (read->shape() != expected.shape()) {
    env.err << path << ": error: the bounds are " << shapeText(*read)
            << "; each element of " << shapeText(expected) << " needs one\n";
    return failure();
  }
  Tensor bounds(DType::Float64, read->shape().vec());
  for (int64_t i = 0, e = bounds.elementCount(); i < e; ++i)
    bounds.set(i, read->at(i));
  if (failed(checkBounds(path, bounds, sink)))
    return failure();
  return bounds;
}

/// Whether the words name a manifest: tensors are .npy and .pb.
static bool isManifest(StringRef path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") ||
         path.ends_with(".json");
}

/// As compareTensors; numbers of different types are different.
static CompareResult compareAlike(const Tensor &actual, const Tensor &expected,
                                  const CompareOptions &options,
                                  const Tensor *bounds, DiagnosticSink &sink) {
  Tolerance tolerance = builtInTolerance(actual.dtype());
  const ToleranceDecl &asked = options.run.tolerance;
  tolerance.atol = asked.atol.value_or(tolerance.atol);
  tolerance.rtol = asked.rtol.value_or(tolerance.rtol);
  tolerance.ulp = asked.ulp ? asked.ulp : tolerance.ulp;
  if (actual.dtype() == expected.dtype())
    return compareTensors(actual, expected, tolerance, bounds);
  CompareResult result;
  result.mismatch =
      ("type " + dtypeName(actual.dtype()) + " differs from the expected " +
       dtypeName(expected.dtype()))
          .str();
  (void)sink.error(DiagKind::NumericsTypeMismatch, {options.actual},
                   result.mismatch + " of '" + options.expected +
                       "'; write both in one type to compare their values");
  return result;
}

static int compareFiles(const CompareOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, {.color = env.color});
  FailureOr<Tensor> actual = readTensorFile(options.actual, sink);
  FailureOr<Tensor> expected = readTensorFile(options.expected, sink);
  if (failed(actual) || failed(expected))
    return badUsage;
  bool bounded = !options.bounds.empty();
  FailureOr<Tensor> bounds = failure();
  if (bounded)
    bounds = readBounds(options.bounds, *expected, env, sink);
  if (bounded && failed(bounds))
    return badUsage;

  CompareResult result = compareAlike(*actual, *expected, options,
                                      bounded ? &*bounds : nullptr, sink);
  env.out << "actual     " << ::shapeText(*actual) << "\nexpected   "
          << ::shapeText(*expected) << '\n';
  if (!result.mismatch.empty())
    env.out << "different  " << result.mismatch << '\n';
  else
    printResult(result, *actual, bounded, env.out);
  if (!options.json.empty() &&
      failed(
          writeFileAtomically(options.json, jsonComparison(result), {}, sink)))
    return badUsage;
  return result.passed ? 0 : 1;
}

static int runCompare(const CompareOptions &options, DriverEnv &env) {
  if (isManifest(options.actual)) {
    CompareOptions ofManifest = options;
    ofManifest.run.graph.manifest = options.actual;
    if (options.perNode == !options.pipelines.empty() ||
        !options.expected.empty()) {
      env.err << "lh-run: compare of a manifest takes either --pipelines A,B "
                 "or --per-node\n";
      return badUsage;
    }
    return options.perNode ? compareNodes(ofManifest, env)
                           : comparePipelines(ofManifest, env);
  }
  if (options.expected.empty()) {
    env.err << "lh-run: compare takes two tensors (.npy or .pb), or a manifest "
               "with --pipelines A,B or --per-node\n";
    return badUsage;
  }
  return compareFiles(options, env);
}

CommandRun lh::makeCompareCommand(CLI::App &command) {
  return makeCommand(command, addCompareFlags, runCompare);
}
