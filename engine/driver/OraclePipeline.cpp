// A straight list of passes: the less it does, the easier it is to trust.
#include "driver/OraclePipeline.h"

const char *const lh::oraclePipeline =
    "lh-widen, linalg-generalize-named-ops, canonicalize, cse, "
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map "
    "allow-return-allocs-from-loops}, "
    "canonicalize, cse, canonicalize, lh-entry-abi, "
    "buffer-deallocation-pipeline, convert-bufferization-to-memref, "
    "convert-linalg-to-loops, fold-memref-alias-ops, "
    "convert-math-to-funcs, math-extend-to-supported-types, "
    "arith-expand{include-bf16=true}, convert-math-to-libm, "
    "expand-strided-metadata, lower-affine, convert-scf-to-cf, "
    "convert-complex-to-standard, convert-math-to-llvm, "
    "finalize-memref-to-llvm{use-generic-functions=true}, "
    "convert-arith-to-llvm, convert-index-to-llvm, convert-ub-to-llvm, "
    "convert-complex-to-llvm, convert-cf-to-llvm, convert-func-to-llvm, "
    "reconcile-unrealized-casts";
