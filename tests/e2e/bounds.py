#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derived bounds against real errors: the plain lowering in the model's own
types is always within them, and they are tight enough to notice a product
that a sum leaves out.

Usage: bounds.py LH_RUN
"""
import json
import pathlib
import sys
import tempfile

from support import CORPUS, ROOT, SKIPPED, output_of, require, run, skip

LENGTHS = (16, 256, 4096)
TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
# Of ONNX's own backend tests, those whose numbers rounding reaches.
OPERATORS = ("averagepool_2d_default", "basic_conv_with_padding",
             "conv_with_strides_padding", "dequantizelinear",
             "dynamicquantizelinear", "gemm_all_attributes",
             "globalaveragepool", "hardswish", "instancenorm_example",
             "layer_normalization_default_axis", "logsoftmax_axis_1",
             "lrn", "matmul_4d", "maxpool_2d_default",
             "quantizelinear", "reduce_log_sum_exp_default_axes_keepdims_random",
             "sigmoid", "softmax_axis_1", "softmax_large_number", "tanh")

PIPELINES = """
bubbles:
  import: {ingress: %s, model: "${case.model}"%s}
  bounds: {passes: "lh-error-bounds, lh-widen, canonicalize"}
  loops:  {use: lib:common/generalize}
  bufferize: {use: lib:common/bufferize}
  lower:  {use: lib:cpu/lower-to-llvm}
  run:    {execute: main}
edges:
  - import -> bounds -> loops -> bufferize -> lower -> run
  - import -> loops
pipelines:
  bounds: {path: [import, bounds, loops, bufferize, lower, run]}
  plain:  {path: [import, loops, bufferize, lower, run]}
"""

# A product of matrices in `type`, summed up in f32 as importers do, and the
# last product of each sum.
MATMUL = """
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<16xLENGTHxTYPE> {lh.name = "a"},
                %b: tensor<LENGTHx16xTYPE> {lh.name = "b"})
    -> (tensor<16x16xTYPE> {lh.name = "y"}, tensor<16x16xf32> {lh.name = "last"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>)
      -> tensor<16x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<16xLENGTHxTYPE>, tensor<LENGTHx16xTYPE>)
      outs(%start : tensor<16x16xf32>) -> tensor<16x16xf32>
  %row = tensor.extract_slice %a[0, TAIL] [16, 1] [1, 1]
      : tensor<16xLENGTHxTYPE> to tensor<16x1xTYPE>
  %column = tensor.extract_slice %b[TAIL, 0] [1, 16] [1, 1]
      : tensor<LENGTHx16xTYPE> to tensor<1x16xTYPE>
  %last = linalg.matmul ins(%row, %column : tensor<16x1xTYPE>, tensor<1x16xTYPE>)
      outs(%start : tensor<16x16xf32>) -> tensor<16x16xf32>
  NARROW
  return %narrow, %last : tensor<16x16xTYPE>, tensor<16x16xf32>
}
"""
NARROW = """%small = tensor.empty() : tensor<16x16xTYPE>
  %narrow = linalg.generic {indexing_maps = [#id, #id],
                            iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x16xf32>) outs(%small : tensor<16x16xTYPE>) {
  ^bb0(%in: f32, %out: TYPE):
    %rounded = arith.truncf %in : f32 to TYPE
    linalg.yield %rounded : TYPE
  } -> tensor<16x16xTYPE>"""


def matmul(element, length):
    text = MATMUL.replace("NARROW", "%narrow = tensor.cast %y : "
                          "tensor<16x16xf32> to tensor<16x16xf32>"
                          if element == "f32" else NARROW)
    return text.replace("TYPE", element).replace("LENGTH", str(length)) \
        .replace("TAIL", str(length - 1))


def figures(lh_run, folder, ingress, shapes, cases):
    """Runs both pipelines on `cases`, manifest lines, and judges."""
    path = folder / f"{ingress}.yaml"
    path.write_text(f"lighthouse: 1\nname: bounds\ntargets: [host]\n"
                    + PIPELINES % (ingress, shapes) + "cases:\n"
                    + "\n".join(cases) + "\nverify: {against: [oracle], "
                    "oracle: tolerance, atol: 1.0e+30}\n")
    outputs = folder / ingress
    code, text = run(lh_run, path, "--keep-going", "--save-outputs", outputs)
    if code == SKIPPED:
        skip(text.strip())
    found = json.loads(output_of("judge-bounds.py", outputs))
    require(found, text)
    for case, results in found.items():
        for name, result in results.items():
            print(f"{case} {name}: error/bound {result['ratio']:.3f}"
                  + (f", a missing product noticed in "
                     f"{result['noticed']:.1%}" if "noticed" in result else "")
                  + (f", {result['infinite']} infinite"
                     if result["infinite"] else ""))
            require(result["wrong"] == 0,
                    f"{case}: {result['wrong']} of {result['elements']} "
                    f"elements of '{name}' outside their bounds")
    return found


def check_matmuls(lh_run, folder):
    cases = []
    for element, word in TYPES.items():
        for length in LENGTHS:
            model = folder / f"matmul-{element}-{length}.mlir"
            model.write_text(matmul(element, length))
            for dist in ("normal", "uniform"):
                cases.append(
                    f"  {element}-{length}-{dist}: {{generate: {{model: "
                    f"{model}, seed: {length}, inputs: {{"
                    f"a: {{shape: [16, {length}], dist: {dist}}}, "
                    f"b: {{shape: [{length}, 16], dist: {dist}}}}}}}}}")
    found = figures(lh_run, folder, "mlir", "", cases)
    require(len(found) == len(cases), f"{len(found)} of {len(cases)} ran")
    at = found["f32-256-normal"]["y"]
    require(at["noticed"] > 0.95, f"a missing product is noticed in "
            f"{at['noticed']:.1%} of elements only")
    require(0.005 < at["ratio"] <= 1, f"the bound is not tight: {at}")


def check_operators(lh_run, folder):
    cases = [f"  {name.replace('_', '-')}: "
             f"{{onnx-test: {CORPUS}/node/test_{name}}}" for name in OPERATORS]
    found = figures(lh_run, folder, "onnx", ", shapes: case", cases)
    require(len(found) == len(cases),
            f"{len(found)} of {len(cases)} operators have bounds")
    results = [result for case in found.values() for result in case.values()]
    require(not any(result["infinite"] for result in results),
            "an operator's bound is infinite")


lh_run = sys.argv[1]
with tempfile.TemporaryDirectory() as scratch:
    check_matmuls(lh_run, pathlib.Path(scratch))
    if CORPUS.exists():
        check_operators(lh_run, pathlib.Path(scratch))
