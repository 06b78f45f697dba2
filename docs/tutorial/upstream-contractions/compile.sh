#!/bin/sh
# compile.sh < MODULE > model.ll: from tensors to LLVM IR.
set -e
module=$(mktemp)
trap 'rm -f "$module"' EXIT
libraries=packs.mlir,bufferize.mlir,vectors.mlir
mlir-opt --allow-unregistered-dialect --pass-pipeline="builtin.module(
    transform-preload-library{transform-library-paths=$libraries},
    transform-interpreter{entry-point=lower_packs},
    transform-interpreter{entry-point=bufferize},
    canonicalize, cse, func.func(buffer-loop-hoisting),
    buffer-deallocation-pipeline, convert-bufferization-to-memref,
    func.func(llvm-request-c-wrappers),
    transform-interpreter{entry-point=lower_vectors},
    func.func(scf-forall-to-for), convert-linalg-to-loops,
    convert-vector-to-scf{full-unroll=true},
    expand-strided-metadata, lower-affine, convert-scf-to-cf,
    convert-vector-to-llvm, finalize-memref-to-llvm{use-generic-functions=true},
    convert-arith-to-llvm, convert-index-to-llvm, convert-ub-to-llvm,
    convert-cf-to-llvm, convert-func-to-llvm, reconcile-unrealized-casts)" -o "$module"
mlir-translate --mlir-to-llvmir "$module"
