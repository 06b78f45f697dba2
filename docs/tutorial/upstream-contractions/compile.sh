#!/bin/sh
# compile.sh < MODULE > model.ll: from tensors to LLVM IR, by the passes of
# schedules/upstream/bufferize.yaml and lower-to-llvm.yaml. packs.mlir lowers packs
# that no step has vectorized.
set -e
module=$(mktemp)
trap 'rm -f "$module"' EXIT
libraries=packs.mlir,bufferize.mlir,vectors.mlir,lower-math.mlir
mlir-opt --allow-unregistered-dialect --pass-pipeline="builtin.module(
    transform-preload-library{transform-library-paths=$libraries},
    transform-interpreter{entry-point=lower_packs}, linalg-generalize-named-ops,
    transform-interpreter{entry-point=bufferize},
    func.func(scf-forall-to-for), canonicalize, cse, canonicalize,
    func.func(buffer-loop-hoisting, promote-buffers-to-stack),
    buffer-deallocation-pipeline, convert-bufferization-to-memref,
    cse, canonicalize, func.func(optimize-allocation-liveness),
    func.func(llvm-request-c-wrappers),
    transform-interpreter{entry-point=lower_vectors},
    func.func(scf-forall-to-for), convert-linalg-to-loops,
    convert-vector-to-scf{full-unroll=true},
    transform-interpreter{entry-point=lower_math}, convert-math-to-libm,
    expand-strided-metadata, lower-affine, convert-scf-to-cf,
    convert-vector-to-llvm{reassociate-fp-reductions=true},
    finalize-memref-to-llvm,
    convert-arith-to-llvm, convert-index-to-llvm, convert-ub-to-llvm,
    convert-cf-to-llvm, convert-func-to-llvm, reconcile-unrealized-casts)" -o "$module"
mlir-translate --mlir-to-llvmir "$module"
