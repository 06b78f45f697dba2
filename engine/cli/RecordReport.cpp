// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lh-run record` shows: old and new outputs in statistics.
#include "cli/RecordReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

static void printErrors(const CompareResult &result, llvm::raw_ostream &out) {
  using llvm::format;
  if (!result.mismatch.empty()) {
    out << result.mismatch << '\n';
    return;
  }
  out << format("max abs %.3g, mean abs %.3g, rms %.3g, relative L2 %.3g, ",
                result.maxAbs, result.meanAbs, result.rmsAbs, result.relativeL2)
      << "max " << result.maxUlp << " ulp, NaN " << result.nanActual
      << " against " << result.nanExpected << '\n';
}

void lh::printRecorded(const RecordedOutput &output, const RecordErrors &errors,
                       llvm::raw_ostream &out) {
  out << "output '" << output.name << "', ";
  for (int64_t dim : output.fresh.shape())
    out << dim << 'x';
  out << dtypeName(output.fresh.dtype()) << "\n  new error  ";
  printErrors(errors.fresh, out);
  if (!errors.old)
    return;
  out << "  old error  ";
  printErrors(*errors.old, out);
  if (!errors.change->mismatch.empty()) {
    out << "  change     " << errors.change->mismatch << '\n';
    return;
  }
  out << "  change     " << errors.change->mismatches << " of "
      << errors.change->elements
      << llvm::format(" elements, max abs %.3g, max ", errors.change->maxAbs)
      << errors.change->maxUlp << " ulp\n";
}
