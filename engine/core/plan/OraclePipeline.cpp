// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A straight list of passes: the less it does, the easier it is to trust.
#include "core/plan/OraclePipeline.h"

using namespace lh;

// Sparse tensors as dense ones. MLIR's own way from TOSA, whose control flow
// goes first: what is in it isn't lowered otherwise. Then no arithmetic on
// tensors, and no op that stands for several.
static constexpr StringRef simpleOps =
    "lh-scatter-sparse, func.func(tosa-to-scf, tosa-optional-decompositions, "
    "tosa-infer-shapes, "
    "tosa-make-broadcastable, tosa-to-linalg-named, tosa-make-broadcastable, "
    "tosa-to-linalg, tosa-to-arith{include-apply-rescale=true}, "
    "tosa-to-tensor, convert-elementwise-to-linalg), "
    "lh-decompose-aggregates, ";

// convert-math-to-llvm goes first: libm has no copysign on every type, no
// ctpop and no ctlz; its log1p and its expm1 would lose the small arguments.
static constexpr StringRef lowering =
    "canonicalize, linalg-generalize-named-ops, "
    "lh-split-empties, eliminate-empty-tensors, lh-entry-abi{tensors=true}, "
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map "
    "allow-return-allocs-from-loops=true}, "
    "canonicalize, cse, lh-entry-abi, buffer-deallocation-pipeline, "
    "convert-bufferization-to-memref, convert-linalg-to-loops, "
    "lh-lower-reshapes, fold-memref-alias-ops, convert-math-to-funcs, "
    "math-extend-to-supported-types, "
    "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32}, "
    "arith-expand{include-bf16=true}, expand-strided-metadata, lower-affine, "
    "lh-call-libm, convert-scf-to-cf, "
    "convert-math-to-llvm{approximate-log1p=false}, convert-math-to-libm, "
    "convert-vector-to-llvm, convert-complex-to-standard, "
    "finalize-memref-to-llvm{use-generic-functions=true}, "
    "convert-arith-to-llvm, convert-index-to-llvm, convert-ub-to-llvm, "
    "convert-complex-to-llvm, convert-cf-to-llvm, convert-func-to-llvm, "
    "reconcile-unrealized-casts";

static std::string boundsPass(const BoundOptions &bounds) {
  const NumericsDecl &numerics = bounds.numerics;
  std::string options;
  auto addOption = [&](StringRef name, const std::string &value) {
    options.append(options.empty() ? "" : " ").append(name).append("=");
    options.append(value);
  };
  if (numerics.ulp)
    addOption("math-ulp", std::to_string(numerics.ulp->value));
  if (numerics.winograd) {
    addOption("winograd-m", std::to_string(numerics.winograd->value.tile));
    addOption("winograd-r", std::to_string(numerics.winograd->value.filter));
  }
  if (numerics.operands)
    addOption("operands", numerics.operands->value);
  if (bounds.flushToZero)
    addOption("flush-to-zero", "true");
  if (bounds.proof)
    addOption("proof", "true");
  return options.empty() ? "lh-error-bounds"
                         : "lh-error-bounds{" + options + "}";
}

std::string lh::oraclePipeline(OracleKind kind, const BoundOptions &options) {
  switch (kind) {
  case OracleKind::Values:
    return (simpleOps + "lh-expose-scores, lh-widen, " + lowering).str();
  case OracleKind::Bounds:
    return (simpleOps + "lh-expose-scores, " + boundsPass(options) +
            ", lh-widen, " + lowering)
        .str();
  case OracleKind::Plain:
    return (simpleOps + "lh-expose-scores, " + lowering).str();
  }
  return "";
}
