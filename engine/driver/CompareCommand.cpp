// `lh-run compare`: two tensor files, as numbers.
#include "driver/Commands.h"
#include "numerics/Comparator.h"
#include "numerics/TensorFile.h"
#include "support/SourceStore.h"
#include "support/StreamSink.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace lh;

static std::string shapeText(const Tensor &tensor) {
  std::string text;
  for (int64_t dim : tensor.shape())
    text += std::to_string(dim) + "x";
  return text + dtypeName(tensor.dtype()).str();
}

static void printStatistics(const CompareResult &result,
                            llvm::raw_ostream &out) {
  using llvm::format;
  out << format("tolerance  atol %g, rtol %g", result.tolerance.atol,
                result.tolerance.rtol);
  if (result.tolerance.ulp)
    out << ", ulp " << *result.tolerance.ulp;
  out << format("\nabsolute   max %g, mean %g, p99 %g", result.maxAbs,
                result.meanAbs, result.p99Abs)
      << format("\nrelative   max %g, mean %g, p99 %g", result.maxRel,
                result.meanRel, result.p99Rel)
      << format("\nnorms      relative L2 %g, cosine %.9g, max %g",
                result.relativeL2, result.cosine, result.maxNorm)
      << "\nulp        max " << result.maxUlp << "\nspecial    NaN "
      << result.nanActual << " against " << result.nanExpected << ", Inf "
      << result.infActual << " against " << result.infExpected
      << format("\npasses at  atol %g, or rtol %g\n", result.smallestAtol,
                result.smallestRtol);
  for (const WorstElement &element : result.worst)
    out << "worst      ["
        << llvm::join(
               llvm::map_range(element.index,
                               [](int64_t i) { return std::to_string(i); }),
               ", ")
        << format("] actual %.9g, expected %.9g\n", element.actual,
                  element.expected);
}

int lh::compareCommand(const CompareOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, {env.color, ""});
  FailureOr<Tensor> actual = readTensorFile(options.actual, sink);
  FailureOr<Tensor> expected = readTensorFile(options.expected, sink);
  if (failed(actual) || failed(expected))
    return 2;

  Tolerance tolerance = builtInTolerance(actual->dtype());
  tolerance.atol = options.atol.value_or(tolerance.atol);
  tolerance.rtol = options.rtol.value_or(tolerance.rtol);
  if (options.ulp)
    tolerance.ulp = options.ulp;
  CompareResult result = compareTensors(*actual, *expected, tolerance);
  env.out << "actual     " << shapeText(*actual) << "\nexpected   "
          << shapeText(*expected) << '\n';
  if (!result.mismatch.empty()) {
    env.out << "different  " << result.mismatch << '\n';
    return 1;
  }
  printStatistics(result, env.out);
  env.out << (result.passed ? "passed" : "failed") << ", " << result.mismatches
          << " of " << result.elements << " elements differ\n";
  return result.passed ? 0 : 1;
}
