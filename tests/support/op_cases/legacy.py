# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Old forms that no other family has: BatchNormalization before opset 14, Cast
to a type by name, Gemm that broadcasts on demand."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case

F32 = np.float32


def batch_case(name, opset, outputs, **attributes):
    random = random_of("batchnorm")
    x = (2 * random.standard_normal((3, 4, 5)) + 1).astype(F32)
    by_element = attributes.get("spatial", 1) == 0
    shape = (4, 5) if by_element else (4,)
    scale, bias, mean = (random.standard_normal(shape).astype(F32)
                         for _ in range(3))
    variance = (random.random(shape) + 0.5).astype(F32)
    inputs = {"x": x, "scale": scale, "bias": bias, "mean": mean,
              "variance": variance}
    spread = (lambda v: v) if by_element else (lambda v: v[:, None])
    trains = len(outputs) > 1 or (opset < 7 and "is_test" not in attributes)
    used_mean, used_variance = mean, variance
    if trains:
        wide = x.astype(np.float64)
        used_mean = wide.mean((0, 2)).astype(F32)
        used_variance = wide.var((0, 2)).astype(F32)
    momentum = attributes.get("momentum", 0.9)
    results = {
        "y": spread(scale) * (x - spread(used_mean))
        / np.sqrt(spread(used_variance) + 1e-5) + spread(bias),
        "running_mean": momentum * mean + (1 - momentum) * used_mean,
        "running_variance":
            momentum * variance + (1 - momentum) * used_variance,
        "saved_mean": used_mean, "saved_variance": used_variance}
    node = helper.make_node("BatchNormalization", list(inputs), outputs,
                            **attributes)
    write_case(name, node, inputs,
               {key: results[key].astype(F32) for key in outputs}, opset)


def write_gemms():
    random = random_of("gemm_6")
    a, b = (random.standard_normal(shape).astype(F32)
            for shape in ((5, 3), (5, 4)))
    for name, c in (("vector", random.standard_normal(4).astype(F32)),
                    ("column", random.standard_normal((3, 1)).astype(F32)),
                    ("scalar", np.array([1.5], F32))):
        node = helper.make_node("Gemm", ["a", "b", "c"], ["y"], transA=1,
                                broadcast=1, alpha=0.5, beta=2.0)
        write_case(f"gemm_6_{name}", node, {"a": a, "b": b, "c": c},
                   {"y": 0.5 * (a.T @ b) + 2 * c}, 6)


def write_casts():
    x = np.array([-3.7, 0, 2.5], F32)
    for name, dtype in (("INT32", np.int32), ("DOUBLE", np.float64),
                        ("BOOL", np.bool_), ("FLOAT16", np.float16)):
        node = helper.make_node("Cast", ["x"], ["y"], to=name)
        write_case(f"cast_1_{name.lower()}", node, {"x": x},
                   {"y": x.astype(dtype)}, 1)


def write_cases():
    everything = ["y", "running_mean", "running_variance", "saved_mean",
                  "saved_variance"]
    batch_case("batchnorm_6_test", 6, ["y"], is_test=1, consumed_inputs=[0] * 5)
    batch_case("batchnorm_6_training", 6, everything, momentum=0.75)
    batch_case("batchnorm_7_by_element", 7, ["y"], spatial=0)
    batch_case("batchnorm_7_training", 7, everything)
    batch_case("batchnorm_9_training", 9, everything[:3], momentum=0.25)
    write_gemms()
    write_casts()
