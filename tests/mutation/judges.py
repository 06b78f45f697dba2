# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other tools' checks would say: two arrays, equal enough or not."""
import numpy as np


def wide(array):
    """An output as numpy has it, but bfloat16 as float32."""
    if array.dtype.kind == "V" and array.dtype.itemsize == 2:
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array


def dtype_of(path):
    array = np.load(path, mmap_mode="r")
    return "bfloat16" if array.dtype.kind == "V" else array.dtype.name


def within(actual, expected, rtol, atol):
    if actual.shape != expected.shape:
        return False
    with np.errstate(all="ignore"):
        return np.allclose(actual.astype(np.float64),
                           expected.astype(np.float64), rtol, atol,
                           equal_nan=True)


TORCH = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5),
         "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}

# name: (type) -> (rtol, atol)
CLASSICAL = {
    "allclose(1e-2)": lambda dtype: (1e-2, 1e-2),
    "numpy's defaults": lambda dtype: (1e-5, 1e-8),
    "torch's defaults": lambda dtype: TORCH.get(dtype, (0, 0)),
}


def accepts(rule, actual, expected):
    """Whether the rule takes the file `actual` for `expected`."""
    rtol, atol = CLASSICAL[rule](dtype_of(actual))
    return within(wide(np.load(actual)), wide(np.load(expected)), rtol, atol)


def same_bits(one, other):
    """Equal to the bit, but that any NaN is as good as another."""
    one, other = np.load(one), np.load(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind not in "fV":
        return one.tobytes() == other.tobytes()
    number = ~(np.isnan(wide(one)) & np.isnan(wide(other)))
    return one[number].tobytes() == other[number].tobytes()
