# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DFT and STFT by their defining sums, windows and mel filters by the
formulas; all in float64."""
import cmath
import math

import numpy as np
from onnx import TensorProto, helper

from op_cases.case import random_of, write_case


def transform(line, length, inverse):
    """All `length` results of one line of complex numbers."""
    line = (list(line) + [0] * length)[:length]
    sign = 1 if inverse else -1
    result = []
    for k in range(length):
        total = 0
        for n, value in enumerate(line):
            total += value * cmath.exp(sign * 2j * cmath.pi *
                                       (k * n % length) / length)
        result.append(total / length if inverse else total)
    return result


def along(array, axis, of_line):
    """Applies a function of lines; parts are the last dimension."""
    values = array[..., 0].astype(np.complex128)
    if array.shape[-1] == 2:
        values = values + 1j * array[..., 1].astype(np.float64)
    values = np.apply_along_axis(lambda line: np.array(of_line(line)), axis,
                                 values)
    return np.stack([values.real, values.imag], -1)


def dft_case(name, shape, axis, opset=20, length=None, inverse=0, onesided=0,
             dtype=np.float32, as_initializer=True, dynamic=None,
             feeds_axis=False):
    name = f"dft_{name}"
    x = random_of(name).uniform(-1, 1, shape).astype(dtype)
    rank = len(shape)
    place = axis % rank
    given = shape[place]
    if inverse and onesided:
        n = length or 2 * (given - 1)

        def of_line(line):
            half = (list(line) + [0] * n)[:n // 2 + 1]
            half = half[:len(line)] + [0] * (n // 2 + 1 - len(line))
            whole = [half[k] if k <= n // 2 else np.conj(half[n - k])
                     for k in range(n)]
            return transform(whole, n, True)
        y = along(x, place, of_line)[..., :1]
    else:
        n = length or given
        bins = n // 2 + 1 if onesided else n
        y = along(x, place, lambda line: transform(line, n, inverse)[:bins])
    operands = {"dft_length": np.array(length, np.int64)} if length else {}
    attributes = {"inverse": inverse, "onesided": onesided}
    inputs = ["x", "dft_length" if length else ""]
    if opset < 20:
        attributes["axis"] = axis
    else:
        inputs.append("axis")
        operands["axis"] = np.array(axis, np.int64)
    fixed = operands if as_initializer else {
        k: v for k, v in operands.items() if k == "axis"}
    fed = {} if as_initializer else {
        k: v for k, v in operands.items() if k != "axis"}
    if feeds_axis:
        fed["axis"] = fixed.pop("axis")
    node = helper.make_node("DFT", inputs, ["y"], **attributes)
    write_case(name, node, {"x": x, **fed}, {"y": y.astype(dtype)}, opset,
               initializers=fixed, shapes=dynamic)


def stft_case(name, length, step, frame=None, window=None, parts=1, onesided=1,
              dtype=np.float32, dynamic=None, batch=2):
    name = f"stft_{name}"
    rng = random_of(name)
    x = rng.uniform(-1, 1, (batch, length, parts)).astype(dtype)
    weights = None
    if window:
        weights = rng.uniform(0.1, 1, window).astype(dtype)
    size = frame or window or length
    scale = np.ones(size) if weights is None else weights.astype(np.float64)
    bins = size // 2 + 1 if onesided else size
    frames = (length - size) // step + 1
    y = np.zeros((batch, frames, bins, 2))
    for f in range(frames):
        piece = x[:, f * step:f * step + size].astype(np.float64)
        piece = piece * scale[None, :, None]
        y[:, f] = along(piece, 1,
                        lambda line: transform(line, size, False)[:bins])
    inputs = {"signal": x, "frame_step": np.array(step, np.int64)}
    fixed = {}
    if window:
        inputs["window"] = weights
    if frame:
        fixed["frame_length"] = np.array(frame, np.int64)
    node = helper.make_node(
        "STFT", ["signal", "frame_step", "window" if window else "",
                 "frame_length" if frame else ""], ["y"], onesided=onesided)
    write_case(name, node, inputs, {"y": y.astype(dtype)}, 17,
               initializers=fixed, shapes=dynamic)


def window_case(op, size, periodic, dtype=TensorProto.FLOAT):
    weights = {"Hann": (0.5, 0.5, 0), "Hamming": (25 / 46, 21 / 46, 0),
               "Blackman": (0.42, 0.5, 0.08)}[op]
    turns = size if periodic else size - 1
    y = [weights[0] - weights[1] * math.cos(2 * math.pi * n / turns) +
         weights[2] * math.cos(4 * math.pi * n / turns) for n in range(size)]
    kind = "periodic" if periodic else "symmetric"
    numpy_type = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE:
                  np.float64, TensorProto.FLOAT16: np.float16}[dtype]
    node = helper.make_node(f"{op}Window", ["size"], ["y"], periodic=periodic,
                            output_datatype=dtype)
    write_case(f"{op.lower()}window_{kind}_{size}_{np.dtype(numpy_type).name}",
               node, {"size": np.array(size, np.int32)},
               {"y": np.array(y).astype(numpy_type)}, 17)


def mel_case(name, bands, length, rate, low, high, fixed=True):
    def mel(f):
        return 2595 * math.log10(1 + f / 700)

    step = (mel(high) - mel(low)) / (bands + 2)
    edges = []
    for i in range(bands + 2):
        hertz = 700 * (10 ** ((mel(low) + i * step) / 2595) - 1)
        edges.append(math.floor((length + 1) * hertz / rate))
    y = np.zeros((length // 2 + 1, bands))
    for i in range(bands):
        start, peak, end = edges[i:i + 3]
        for j in range(start, peak):
            y[j, i] = (j - start) / (peak - start)
        y[peak, i] = 1
        for j in range(peak + 1, end):
            y[j, i] = (end - j) / (end - peak)
    operands = {"bands": np.array(bands, np.int64),
                "length": np.array(length, np.int64),
                "rate": np.array(rate, np.int64),
                "low": np.array(low, np.float32),
                "high": np.array(high, np.float32)}
    node = helper.make_node("MelWeightMatrix", list(operands), ["y"])
    extra = {"length_of_row": np.zeros(1, np.float32)} if fixed else {}
    write_case(f"melweightmatrix_{name}", node, extra or operands,
               {"y": y.astype(np.float32)}, 17,
               initializers=operands if fixed else {},
               shapes=None if fixed else {"y": ["bins", "bands"]})


def write_cases():
    dft_case("real_17", (2, 6, 1), 1, opset=17)
    dft_case("complex_axis2_17", (1, 3, 5, 2), 2, opset=17)
    dft_case("real_onesided", (2, 7, 1), -2, onesided=1)
    dft_case("real_onesided_even", (2, 8, 1), 1, onesided=1)
    dft_case("axis0", (6, 3, 2), 0)
    dft_case("inverse_axis0", (5, 3, 2), 0, inverse=1)
    dft_case("inverse_real", (2, 5, 1), 1, inverse=1)
    dft_case("padded", (2, 5, 1), 1, length=9)
    dft_case("cut", (2, 9, 2), 1, length=4)
    dft_case("length_at_run_time", (2, 5, 1), 1, length=7,
             as_initializer=False, dynamic={"y": [2, "n", 2]})
    dft_case("split_48", (2, 48, 1), 1)
    dft_case("split_60_onesided", (1, 60, 1), 1, onesided=1)
    dft_case("split_inverse_100", (1, 100, 2), 1, inverse=1)
    dft_case("split_padded", (2, 30, 1), 1, length=72, onesided=1)
    dft_case("prime_37", (2, 37, 2), 1)
    dft_case("float64", (2, 10, 2), 1, dtype=np.float64)
    dft_case("float16", (1, 4, 1), 1, dtype=np.float16)
    dft_case("dynamic", (2, 6, 2), 1, dynamic={"x": ["b", "n", 2],
                                               "y": ["b", "n", 2]})
    opened = {"y": ["a", "b", "c", 2]}
    for axis in (0, -3, 2):
        dft_case(f"fed_axis_{axis % 4}", (2, 3, 5, 1), axis, dynamic=opened,
                 feeds_axis=True)
    dft_case("fed_axis_onesided", (2, 5, 6, 1), -2, onesided=1, dynamic=opened,
             feeds_axis=True)
    dft_case("fed_axis_inverse_onesided", (2, 3, 4, 2), 1, onesided=1,
             inverse=1, dynamic={"y": ["a", "b", "c", 1]}, feeds_axis=True)
    dft_case("inverse_onesided", (2, 5, 2), 1, inverse=1, onesided=1)
    dft_case("inverse_onesided_odd", (2, 5, 2), 1, length=9, inverse=1,
             onesided=1)
    dft_case("inverse_onesided_padded_17", (2, 4, 3, 2), 1, opset=17,
             length=12, inverse=1, onesided=1)
    dft_case("inverse_onesided_cut", (1, 9, 2), 1, length=6, inverse=1,
             onesided=1)
    stft_case("window", 40, 7, window=16)
    stft_case("frame_length", 30, 4, frame=10)
    stft_case("window_and_length", 33, 5, frame=8, window=8, onesided=0)
    stft_case("complex", 24, 6, frame=12, parts=2, onesided=0)
    stft_case("float64", 24, 6, window=9, dtype=np.float64)
    stft_case("long_frames", 120, 30, window=60, batch=1)
    stft_case("dynamic", 26, 6, window=8,
              dynamic={"signal": ["b", "n", 1], "y": ["b", "f", 5, 2]})
    for op in ("Hann", "Hamming", "Blackman"):
        window_case(op, 9, 1)
        window_case(op, 8, 0)
        window_case(op, 7, 1, TensorProto.DOUBLE)
        window_case(op, 6, 0, TensorProto.FLOAT16)
    mel_case("small", 8, 64, 8192, 0.0, 4096.0)
    mel_case("narrow", 12, 32, 16000, 200.0, 3000.0)
    mel_case("run_time", 4, 20, 4000, 100.0, 1800.0, fixed=False)
