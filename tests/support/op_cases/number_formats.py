# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats as tables of exact fractions: what Cast's cases compare
with. Nothing here rounds in floating point."""
from fractions import Fraction

import numpy as np

NAN, INF, NEG_INF = "nan", "inf", "-inf"


class FloatFormat:
    """A format of `bits` bits. `kind` says which codes are no numbers: "fn"
    the largest magnitude, "fnuz" -0, "ieee" the last exponent, "power" 255,
    "finite" none."""

    def __init__(self, data_type, bits, exponent_bits, fraction_bits, bias,
                 kind):
        self.data_type, self.bits = data_type, bits
        self.exponent_bits, self.fraction_bits = exponent_bits, fraction_bits
        self.bias, self.kind = bias, kind
        self._positive = None

    @property
    def has_sign(self):
        return self.kind != "power"

    @property
    def sign(self):
        return 1 << (self.exponent_bits + self.fraction_bits)

    def value(self, code):
        """A Fraction, (0, '-') for -0, or one of the three names."""
        if self.kind == "power":
            return NAN if code == 255 else Fraction(2) ** (code - 127)
        negative = bool(code & self.sign)
        magnitude = code & (self.sign - 1)
        if self.kind == "fnuz" and code == self.sign:
            return NAN
        last_exponent = (1 << self.exponent_bits) - 1
        exponent = magnitude >> self.fraction_bits
        fraction = magnitude & ((1 << self.fraction_bits) - 1)
        if self.kind == "ieee" and exponent == last_exponent:
            if fraction:
                return NAN
            return NEG_INF if negative else INF
        if self.kind == "fn" and magnitude == self.sign - 1:
            return NAN
        scale = Fraction(2) ** (max(exponent, 1) - self.bias -
                                self.fraction_bits)
        if exponent:
            fraction += 1 << self.fraction_bits
        if negative and fraction == 0:
            return (0, "-")
        return -fraction * scale if negative else fraction * scale

    def positives(self):
        """(code, value) of the numbers from 0 up, and what would follow."""
        if self._positive is None:
            top = self.sign if self.has_sign else 256
            pairs = [(c, self.value(c)) for c in range(top)]
            self._positive = [(c, v) for c, v in pairs
                              if isinstance(v, Fraction)]
        return self._positive

    @property
    def largest(self):
        return self.positives()[-1]

    def nan_code(self):
        if self.kind == "finite":
            return self.sign  # -0, as ml_dtypes has it
        if self.kind == "fnuz":
            return self.sign
        if self.kind == "ieee":
            return (self.sign - 1) ^ ((1 << (self.fraction_bits - 1)) - 1)
        return self.sign - 1 if self.has_sign else 255

    def _overflow(self, saturate):
        if saturate or self.kind == "finite":
            return self.largest[0]
        return self.largest[0] + 1 if self.kind == "ieee" else self.nan_code()

    def encode(self, value, saturate=True, rounding="up",
               infinity_is_nan=False):
        if self.kind == "power":
            return self._encode_power(value, saturate, rounding)
        if value == NAN:
            return self.nan_code()
        if value in (INF, NEG_INF):
            if infinity_is_nan and self.kind == "fnuz":
                return self.nan_code()
            code, negative = self._overflow(saturate), value == NEG_INF
        elif value == (0, "-"):
            code, negative = 0, True
        else:
            code, negative = self._nearest(abs(value), saturate), value < 0
        if self.kind == "fnuz" and code == 0:
            return 0
        return code | (self.sign if negative else 0)

    def _nearest(self, magnitude, saturate):
        code, last = self.largest
        # One step beyond the largest, as if exponents went on.
        step = last - self.positives()[-2][1]
        beyond = last + step
        if magnitude > last:
            middle = (last + beyond) / 2
            stays = magnitude < middle or (magnitude == middle and
                                           code % 2 == 0)
            return code if stays else self._overflow(saturate)
        # Binary search for the neighbours.
        table = self.positives()
        low, high = 0, len(table) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if table[middle][1] <= magnitude:
                low = middle
            else:
                high = middle
        below, above = table[low], table[high]
        left, right = magnitude - below[1], above[1] - magnitude
        if left == right:
            return below[0] if below[0] % 2 == 0 else above[0]
        return below[0] if left < right else above[0]

    def _encode_power(self, value, saturate, rounding):
        table = self.positives()
        if value == (0, "-"):
            value = Fraction(0)
        if value in (NAN, NEG_INF) or (value != INF and value < 0):
            return 255
        if value == INF or value > table[-1][1]:
            return table[-1][0] if saturate else 255
        if value < table[0][1]:
            return 0 if saturate else 255
        below = max(c for c, v in table if v <= value)
        if table[below][1] == value or rounding == "down":
            return below
        above = below + 1
        if rounding == "up":
            return above
        middle = (table[below][1] + table[above][1]) / 2
        return above if value >= middle else below


class WideFormat(FloatFormat):
    """16 to 64 bits: rounded by division instead of a table."""

    def _nearest(self, magnitude, saturate):
        if magnitude == 0:
            return 0
        exponent = 1 - self.bias
        while magnitude >= Fraction(2) ** (exponent + 1):
            exponent += 1
        if exponent > self.bias + 1:
            return ((1 << self.exponent_bits) - 1) << self.fraction_bits
        units = magnitude / Fraction(2) ** (exponent - self.fraction_bits)
        whole, rest = divmod(units, 1)
        if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2):
            whole += 1
        # The implicit bit adds one to the exponent field.
        code = ((exponent + self.bias - 1) << self.fraction_bits) + int(whole)
        infinity = ((1 << self.exponent_bits) - 1) << self.fraction_bits
        return min(code, infinity)

    @property
    def largest(self):
        infinity = ((1 << self.exponent_bits) - 1) << self.fraction_bits
        return infinity - 1, self.value(infinity - 1)

    def encode(self, value, saturate=True, rounding="up",
               infinity_is_nan=False):
        return super().encode(value, saturate=False)


class IntegerFormat:
    def __init__(self, data_type, bits, has_sign):
        self.data_type, self.bits, self.has_sign = data_type, bits, has_sign

    def value(self, code):
        if self.has_sign and code >> (self.bits - 1):
            return Fraction(code - (1 << self.bits))
        return Fraction(code)

    def encode_integer(self, value):
        """The upper bits are dropped."""
        return int(value) & ((1 << self.bits) - 1)

    def bounds(self):
        if self.has_sign:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


FLOATS = {
    "f32": WideFormat(1, 32, 8, 23, 127, "ieee"),
    "f16": WideFormat(10, 16, 5, 10, 15, "ieee"),
    "f64": WideFormat(11, 64, 11, 52, 1023, "ieee"),
    "bf16": WideFormat(16, 16, 8, 7, 127, "ieee"),
}
SMALL_FLOATS = {
    "e4m3fn": FloatFormat(17, 8, 4, 3, 7, "fn"),
    "e4m3fnuz": FloatFormat(18, 8, 4, 3, 8, "fnuz"),
    "e5m2": FloatFormat(19, 8, 5, 2, 15, "ieee"),
    "e5m2fnuz": FloatFormat(20, 8, 5, 2, 16, "fnuz"),
    "e8m0": FloatFormat(24, 8, 8, 0, 127, "power"),
    "e2m1": FloatFormat(23, 4, 2, 1, 1, "finite"),
}
SMALL_INTEGERS = {
    "uint4": IntegerFormat(21, 4, False),
    "int4": IntegerFormat(22, 4, True),
    "uint2": IntegerFormat(25, 2, False),
    "int2": IntegerFormat(26, 2, True),
}
INTEGERS = {
    "uint8": IntegerFormat(2, 8, False),
    "int8": IntegerFormat(3, 8, True),
    "uint16": IntegerFormat(4, 16, False),
    "int16": IntegerFormat(5, 16, True),
    "int32": IntegerFormat(6, 32, True),
    "int64": IntegerFormat(7, 64, True),
    "uint32": IntegerFormat(12, 32, False),
    "uint64": IntegerFormat(13, 64, False),
}
ALL = {**FLOATS, **SMALL_FLOATS, **SMALL_INTEGERS, **INTEGERS}


def pack(codes, bits):
    """The bytes of a tensor: little-endian; below a byte, low bits first."""
    if bits >= 8:
        return b"".join(int(c).to_bytes(bits // 8, "little") for c in codes)
    per_byte = 8 // bits
    data = bytearray((len(codes) + per_byte - 1) // per_byte)
    for i, code in enumerate(codes):
        data[i // per_byte] |= (int(code) & ((1 << bits) - 1)) << (
            i % per_byte * bits)
    return bytes(data)


def code_of_float(name, number):
    """The code of a Python float (or of a Fraction, rounded)."""
    if isinstance(number, float):
        if np.isnan(number):
            number = NAN
        elif np.isinf(number):
            number = INF if number > 0 else NEG_INF
        elif number == 0 and np.signbit(number):
            number = (0, "-")
        else:
            number = Fraction(number)
    return FLOATS[name].encode(number)
