# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where mistakes are made: each shipped GPU schedule with each of its kernels.

Sizes are multiples of no tile, so that guards and padding matter, but fill most
of one; of several blocks; and sums so long that the buffers of a pipeline are filled again (three
of NVIDIA's, four of wgmma's): a mistake in what nobody uses twice is none. And
small: a mutant's time goes into the simulation of other orders.
"""
import dataclasses
import pathlib
import sys

import numpy as np

from cases import F32, Input, Model, normal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from product_payloads import product  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Route:
    """One shipped pipeline on one target with one case of the suite's."""
    manifest: str
    pipeline: str
    target: str
    case: str

    def name(self):
        return f"{self.pipeline}/{self.target}/{self.case}"


PRODUCTS = {
    "f32": product(121, 251, 35, "f32", "f32"),
    "wide-f32": product(121, 251, 70, "f32", "f32"),
    "f16": product(251, 121, 130, "f16", "f32"),
    "bf16": product(121, 251, 130, "bf16", "f32"),
    "i8": product(121, 251, 270, "i8", "i32"),
    "batch": product(121, 101, 130, "f16", "f16", batch=2),
    "long-f16": product(121, 251, 350, "f16", "f32"),
    "long-bf16": product(251, 121, 350, "bf16", "f32"),
    "loops": product(33, 41, 50, "f32", "f32"),
}

# simt, the kernels of mma.sync, wgmma, MFMA and WMMA, and loops.
KERNELS = {
    "cuda/cuda-sm80": ("f32", "f16", "bf16", "i8", "batch"),
    "tf32-cuda/cuda-sm80": ("wide-f32",),
    "cuda/cuda-sm90": ("long-f16", "long-bf16"),
    "rocm/rocm-gfx942": ("f32", "f16", "bf16", "batch"),
    "rocm/rocm-gfx90a": ("f16",),
    "rocm/rocm-gfx1100": ("f16", "bf16"),
    "plain-cuda/cuda-sm80": ("loops",),
    "plain-rocm/rocm-gfx942": ("loops",),
}
WHOLE = {
    "onnx-to-cuda": ("optimized/cuda-sm80", "plain/cuda-sm80"),
    "onnx-to-rocm": ("optimized/rocm-gfx942", "optimized/rocm-gfx1100",
                     "plain/rocm-gfx942"),
}


def net():
    """A small classifier: convolution, pool, product, softmax."""
    model = Model("net", x=Input((2, 3, 11, 9)))
    filters = model.constant(normal(1, (5, 3, 3, 3)) / 5)
    y = model.op("Conv", "x", filters, model.constant(normal(2, (5,))),
                 pads=[1, 1, 1, 1])
    y = model.op("MaxPool", model.op("Relu", y), kernel_shape=[2, 2],
                 strides=[2, 2])
    y = model.op("Reshape", y, model.constant([2, -1], np.int64))
    weights = model.constant(normal(3, (100, 33)) / 10)
    y = model.op("Gemm", y, weights, model.constant(normal(4, (33,))))
    return model.ends((model.op("Softmax", y, axis=1), F32))


def rows():
    """What blocks and warps share: rows, long sums, columns; and a transpose."""
    model = Model("rows", x=Input((37, 131)), s=Input((131,)),
                  b=Input((131,)))
    normed = model.op("LayerNormalization", "x", "s", "b")
    return model.ends(
        (model.op("Transpose", normed, perm=[1, 0]), F32),
        (model.op("Softmax", "x", axis=1), F32),
        (model.op("ReduceSum", model.op("Mul", "x", "x"),
                  model.constant([1], np.int64)), F32),
        (model.op("ReduceMax", "x", axes=[0]), F32))


MODELS = {model.name: model for model in (net(), rows())}


def routes():
    for way, cases in KERNELS.items():
        for case in cases:
            yield Route("matmul-to-gpu", *way.split("/"), case)
    for manifest, ways in WHOLE.items():
        for way in ways:
            for case in MODELS:
                yield Route(manifest, *way.split("/"), case)


def write_case(name, folder, seed, sets):
    """The case as a manifest declares it."""
    words = {"seed": seed, "draws": 1, "sets": list(sets)}
    if name in MODELS:
        model = MODELS[name]
        words["model"] = str(model.write(folder))
        words["inputs"] = {each: {"shape": list(spec.shape), "dist": "normal"}
                           for each, spec in model.inputs.items()}
    else:
        path = folder / f"{name}.mlir"
        path.write_text(PRODUCTS[name])
        words["model"] = str(path)
    return {"generate": words}
