// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of StableHLO's suite: programs that hold their own inputs and
// expected outputs.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_TESTFILE_H
#define LH_COMPILER_INGRESS_STABLEHLO_TESTFILE_H

#include "core/numerics/Tensor.h"

#include "mlir/IR/MLIRContext.h"

namespace lh {

/// A test as a program of its own.
struct HloTest {
  std::string name;    ///< of its function; empty for @main
  std::string program; ///< text with @main(inputs...) -> what is checked
  std::vector<Tensor> inputs, expected;
  /// Why it says nothing of what is right; then nothing is expected.
  std::string unjudged;
};

/// Reads the tests of the file at `path`: parts between lines `// -----`, of
/// each every public function without arguments that checks something
/// (`check.expect_*`, `stablehlo.custom_call @check.*`), and @main in any case.
/// What `@inputs` returns become arguments; what is checked becomes results. A
/// part that can't be read is a test of that name, as it is.
FailureOr<std::vector<HloTest>> readHloTests(const std::string &path,
                                             mlir::MLIRContext &context,
                                             DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_TESTFILE_H
