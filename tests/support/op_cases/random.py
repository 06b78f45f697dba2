# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random operators, by Lighthouse's definition of their numbers: the i-th
is output i of SplitMix64, seeded with the bits of the float32 `seed`, or with
FNV-1a of the first output's name."""
import math
import struct

import numpy as np
from onnx import TensorProto, helper

from op_cases.case import random_of, write_case

MASK = (1 << 64) - 1


class SplitMix:
    """The generator as its authors write it: a state that counts up."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.bits() >> 11) / 2.0 ** 53

    def normal(self):
        first, second = self.uniform(), self.uniform()
        return math.sqrt(-2 * math.log(1 - first)) * math.cos(
            2 * math.pi * second)


def generator(seed, output="y"):
    if seed is not None:
        return SplitMix(struct.unpack("<I", struct.pack("<f", seed))[0])
    state = 0xCBF29CE484222325
    for byte in output.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return SplitMix(state)


def with_seed(seed, **attributes):
    return attributes if seed is None else dict(attributes, seed=seed)


def case(op, name, shape, seed, low=None, high=None, dtype=np.float32,
         opset=22):
    source = generator(seed)
    is_normal = op.startswith("RandomNormal")
    names = ("mean", "scale") if is_normal else ("low", "high")
    a, b = (0.0, 1.0) if low is None else (low, high)
    y = [source.normal() * b + a if is_normal else
         source.uniform() * (b - a) + a for _ in range(math.prod(shape))]
    attributes = with_seed(seed)
    if low is not None:
        attributes.update({names[0]: low, names[1]: high})
    inputs = {}
    if op.endswith("Like"):
        inputs = {"x": np.zeros(shape, dtype)}
    else:
        attributes["shape"] = shape
        attributes["dtype"] = {np.float32: TensorProto.FLOAT,
                               np.float64: TensorProto.DOUBLE,
                               np.float16: TensorProto.FLOAT16}[dtype]
    node = helper.make_node(op, list(inputs), ["y"], **attributes)
    write_case(f"{op.lower()}_{name}", node, inputs,
               {"y": np.array(y).reshape(shape).astype(dtype)}, opset)


def bernoulli_case(name, seed, dtype=None):
    p = random_of(f"bernoulli_{name}").uniform(0, 1, (3, 5)).astype(np.float32)
    p[0, 0], p[0, 1] = 0, 1
    source = generator(seed)
    y = [float(source.uniform() < v) for v in p.ravel()]
    attributes = with_seed(seed)
    if dtype:
        attributes["dtype"] = {"int32": TensorProto.INT32,
                               "bool": TensorProto.BOOL}[dtype]
    node = helper.make_node("Bernoulli", ["p"], ["y"], **attributes)
    write_case(f"bernoulli_{name}", node, {"p": p},
               {"y": np.array(y).reshape(p.shape).astype(dtype or np.float32)},
               15)


def multinomial_case(name, seed, samples):
    x = random_of(f"multinomial_{name}").uniform(-2, 1, (2, 4)).astype(
        np.float32)
    source = generator(seed)
    y = np.zeros((2, samples), np.int32)
    for at in np.ndindex(*y.shape):
        scores = [float(v) - math.log(-math.log(1 - source.uniform()))
                  for v in x[at[0]]]
        y[at] = scores.index(max(scores))
    node = helper.make_node("Multinomial", ["x"], ["y"],
                            **with_seed(seed, sample_size=samples))
    write_case(f"multinomial_{name}", node, {"x": x}, {"y": y}, 7)


def drawn_case(name, nodes, draw, opset=22, **inputs):
    """What another generator draws: the numbers differ, their distribution
    doesn't."""
    write_case(f"drawn_{name}", nodes, inputs,
               {"y": draw(random_of(f"drawn_{name}")).astype(np.float32)},
               opset)


def drawn_cases():
    make = helper.make_node
    drawn_case("normal", make("RandomNormal", [], ["y"], shape=[40, 50],
                              mean=3.0, scale=0.5),
               lambda r: r.normal(3.0, 0.5, (40, 50)))
    x = random_of("drawn_noise").standard_normal((30, 40)).astype(np.float32)
    drawn_case("noise", [make("RandomUniformLike", ["x"], ["u"], low=-1.0),
                         make("Add", ["x", "u"], ["s"]),
                         make("Relu", ["s"], ["y"])],
               lambda r: np.maximum(x + r.uniform(-1, 1, x.shape), 0), x=x)


def write_cases():
    drawn_cases()
    for op in ("RandomNormal", "RandomUniform"):
        case(op, "seeded", [3, 4], 7.5)
        case(op, "no_seed", [5], None)
        case(op, "float64", [2, 3], 1.0, -3.0, 4.0, np.float64)
        case(op, "float16", [2, 3], -1.0, 1.0, 2.0, np.float16)
        case(op + "Like", "seeded", [2, 3, 2], 42.0, -1.0, 2.0)
    bernoulli_case("seeded", 3.0)
    bernoulli_case("int32", 4.0, "int32")
    bernoulli_case("bool", None, "bool")
    multinomial_case("seeded", 5.0, 6)
    multinomial_case("no_seed", None, 3)
