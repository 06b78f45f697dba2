#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of each type, of odd images, windows, strides and dilations, on
simulated GPUs: by the kernels for products where they take them, against the
oracle.

Usage: gpu_convolutions.py LH_RUN [--full] [TARGET...]

Without --full: one odd shape for each type.
"""
from dataclasses import dataclass

from gpu_kernels import TYPES, check_all

ZERO = {"i8": "0", "i32": "0"}


@dataclass
class Shape:
    """A convolution of images [batch][channels][height][width]."""
    name: str
    batch: int
    channels: int
    image: tuple
    filters: int
    window: tuple
    pads: tuple = (0, 0, 0, 0)  # top, left, bottom, right
    strides: tuple = (1, 1)
    dilations: tuple = (1, 1)
    groups: int = 1


QUICK = [Shape("odd", 2, 5, (9, 7), 20, (3, 3), (1, 1, 1, 1), (2, 1))]
FULL = QUICK + [
    Shape("stem", 1, 3, (15, 17), 33, (7, 7), (3, 3, 3, 3), (2, 2)),
    Shape("block", 1, 64, (14, 14), 64, (3, 3), (1, 1, 1, 1)),
    Shape("uneven", 2, 16, (10, 11), 24, (3, 3), (0, 1, 2, 1), (1, 2), (2, 1)),
    Shape("one-channel", 1, 1, (8, 8), 8, (5, 5)),
    Shape("thinned", 3, 20, (7, 7), 130, (1, 1), strides=(2, 2)),
    Shape("pixels", 2, 9, (6, 5), 7, (1, 1)),
    Shape("spread", 1, 40, (9, 9), 150, (3, 2), (2, 0, 0, 1), (1, 1), (1, 3)),
    Shape("line", 1, 17, (12, 5), 3, (1, 3)),
    Shape("left-only", 1, 12, (6, 6), 16, (1, 3), (0, 2, 0, 0)),
    Shape("grouped", 1, 12, (6, 7), 18, (3, 3), (1, 1, 1, 1), groups=3),
]


def length(size, window, pads, stride, dilation):
    return (size + pads - dilation * (window - 1) - 1) // stride + 1


def tensor(sizes, element):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + f"{element}>"


def padding(shape, source, padded, element):
    """linalg of the zeros around the images."""
    top, left, bottom, right = shape.pads
    none = "0, " * (len(padded) - 2)
    indices = ", ".join(f"%i{i}: index" for i in range(len(padded)))
    return f"""
  %around = arith.constant {ZERO.get(element, "0.0")} : {element}
  %input = tensor.pad %x low[{none}{top}, {left}] high[{none}{bottom}, {right}] {{
  ^bb0({indices}):
    tensor.yield %around : {element}
  }} : {tensor(source, element)} to {tensor(padded, element)}"""


def payload(shape, read, summed):
    """linalg of a convolution, with ReLU."""
    (height, width), groups = shape.image, shape.groups
    top, left, bottom, right = shape.pads
    result_image = [length(height, shape.window[0], top + bottom,
                           shape.strides[0], shape.dilations[0]),
                    length(width, shape.window[1], left + right,
                           shape.strides[1], shape.dilations[1])]
    split = [groups] if groups > 1 else []
    channels, filters = shape.channels // groups, shape.filters // groups
    source = [shape.batch, *split, channels, height, width]
    padded = [*source[:-2], height + top + bottom, width + left + right]
    weights = [*split, filters, channels, *shape.window]
    sums = [shape.batch, *split, filters, *result_image]
    name = "conv_2d_ngchw_gfchw" if split else "conv_2d_nchw_fchw"
    result, zero = tensor(sums, summed), ZERO.get(summed, "0.0")
    pad = padding(shape, source, padded, read) if any(shape.pads) else ""
    operand = "%input" if pad else "%x"
    return f"""func.func @main(%x: {tensor(source, read)},
    %w: {tensor(weights, read)}) -> {result} {{{pad}
  %zero = arith.constant {zero} : {summed}
  %empty = tensor.empty() : {result}
  %zeros = linalg.fill ins(%zero : {summed}) outs(%empty : {result}) -> {result}
  %y = linalg.{name} {{strides = dense<{list(shape.strides)}> : tensor<2xi64>,
      dilations = dense<{list(shape.dilations)}> : tensor<2xi64>}}
      ins({operand}, %w : {tensor(padded, read)}, {tensor(weights, read)})
      outs(%zeros : {result}) -> {result}
  %r = linalg.max ins(%y, %zeros : {result}, {result}) outs(%empty : {result})
      -> {result}
  return %r : {result}
}}
"""


def write_payloads(folder, full):
    for read, summed in TYPES:
        for shape in FULL if full else QUICK:
            (folder / f"{shape.name}-{read}-{summed}.mlir").write_text(
                payload(shape, read, summed))


check_all("convolutions", write_payloads)
