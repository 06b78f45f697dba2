# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lit's configuration for docs/upstream: LLVM's own tools, nothing of ours.
import os

import lit.formats

config.name = "upstream"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".ll", ".test"]
config.test_source_root = os.path.join(config.source_dir, "docs", "upstream")
config.test_exec_root = os.path.join(config.build_dir, "upstream")
config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools_dir, os.environ["PATH"]])
# No stack traces of crashes that are expected.
config.environment["LLVM_DISABLE_CRASH_REPORT"] = "1"
config.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"

config.substitutions.append(("%{python}", config.python))
# From loops, vectors and memrefs, and from linalg on memrefs, to what runs.
config.substitutions.append(
    ("%{to-llvm}",
     "-convert-linalg-to-loops -convert-vector-to-scf=full-unroll "
     "-expand-strided-metadata -lower-affine -convert-scf-to-cf "
     "-convert-vector-to-llvm -convert-math-to-llvm -finalize-memref-to-llvm "
     "-convert-arith-to-llvm -convert-func-to-llvm -convert-cf-to-llvm "
     "-convert-ub-to-llvm -reconcile-unrealized-casts"))
config.substitutions.append(
    ("%{runner}",
     "-e main -entry-point-result=void -shared-libs="
     + ",".join(os.path.join(config.llvm_library_dir, f"libmlir_{name}.so")
                for name in ("runner_utils", "c_runner_utils"))))
