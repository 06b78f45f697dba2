#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a portable artifact of StableHLO: a layer of a net and the sum over
its rows, whose text is tests/lit/stablehlo/Inputs/artifact.mlir.

    make-artifact.py FILE [--newer operation | attribute | type | word]
                          [--claims blocks | regions | results | operands]

--newer: with something of a version to come. --claims: with a number that is
far too large.
"""
import argparse
import pathlib
import struct

from bytecode import (HAS_OPERANDS, HAS_REGIONS, HAS_RESULTS, Module,
                      listed, number, signed)

# Codes of VhloBytecode.cpp (openxla/stablehlo).
ARRAY, FLAG, DIRECTION, COMPARISON, INTEGER, PRECISION = 1, 2, 3, 4, 9, 11
TEXT, TENSOR, TYPE = 14, 15, 17
I1, F32, FUNCTION, I64, RANKED, NONE = 0, 4, 8, 14, 20, 33
ENORMOUS = 1 << 50


class Vhlo(Module):
    """Types and attributes of VHLO by their codes."""

    def __init__(self, version):
        super().__init__(f"StableHLO_v{version}", "vhlo")

    def tensor(self, shape, element=F32):
        return self.type(number(RANKED) + listed(shape, signed) +
                         number(self.type(number(element))))

    def signature(self, inputs, results):
        kind = self.type(number(FUNCTION) + listed(inputs) + listed(results))
        return self.attribute(number(TYPE) + number(kind))

    def string(self, value):
        return self.attribute(number(TEXT) + number(self.text(value)))

    def array(self, values):
        return self.attribute(number(ARRAY) + listed(values))

    def word(self, kind, value):
        return self.attribute(number(kind) + number(value))

    def integer(self, value):
        kind = self.type(number(I64))
        return self.attribute(number(INTEGER) + number(kind) + signed(value))

    def constant(self, kind, data):
        return self.attribute(number(TENSOR) + number(kind) +
                              number(len(data)) + data)

    def integers(self, values):
        return self.constant(self.tensor([len(values)], I64),
                             struct.pack(f"<{len(values)}q", *values))

    def floats(self, shape, values):
        return self.constant(self.tensor(shape),
                             struct.pack(f"<{len(values)}f", *values))

    def function(self, name, visibility, inputs, results, values, operations):
        nothing = self.array([])
        return self.operation(
            "vhlo.func_v1", isolated=True,
            properties=[nothing, self.signature(inputs, results), nothing,
                        self.string(name), self.string(visibility)],
            regions=[self.region(inputs, values, operations)])


def twice(m, kind):
    """@twice, which the program calls."""
    return m.function("twice", "private", [kind], [kind], 2, [
        m.operation("vhlo.add_v1", [kind], [0, 0]),
        m.operation("vhlo.return_v1", (), [1])])


def sum_of_rows(m, operand, zero):
    """The sum over dimension 1; its region's values come behind the
    twelve of @main."""
    scalar = m.tensor([])
    inner = m.region([scalar, scalar], 3, [
        m.operation("vhlo.add_v1", [scalar], [12, 13]),
        m.operation("vhlo.return_v1", (), [14])])
    return m.operation("vhlo.reduce_v1", [m.tensor([3])], [operand, zero],
                       properties=[m.integers([1])], regions=[inner])


def product(m, kind, left, right):
    none = m.attribute(number(TYPE) + number(m.type(number(NONE))))
    default = m.word(PRECISION, 0)
    return m.operation(
        "vhlo.dot_general_v2", [kind], [left, right],
        properties=[none, none, m.integers([]), none, m.integers([1]), none,
                    none, m.array([default, default]), m.integers([]), none,
                    m.integers([0]), none])


def layer(m, newer):
    """@main: values 0 to 11."""
    rows, wide, truth = m.tensor([3, 4]), m.tensor([3, 2]), m.tensor([3, 2], I1)
    direction = m.word(DIRECTION, 9 if newer == "word" else 2)
    exotic = {"type": [m.type(number(99))] if newer == "type" else [wide]}
    operations = [
        m.operation("vhlo.constant_v1", [m.tensor([4, 2])], properties=[
            m.floats([4, 2], [0.5, -1, 2, 0.25, -0.75, 1.5, 1, -2])]),
        m.operation("vhlo.constant_v1", [m.tensor([2])], properties=[
            m.floats([2], [0.125, -0.5])]),
        m.operation("vhlo.constant_v1", [m.tensor([])], properties=[
            m.floats([], [0])]),
        product(m, wide, 0, 1),
        m.operation("vhlo.broadcast_in_dim_v1", [wide], [2],
                    properties=[m.integers([1])]),
        m.operation("vhlo.add_v1", exotic.get(newer, [wide]), [4, 5]),
        m.operation("vhlo.broadcast_in_dim_v1", [wide], [3],
                    properties=[m.integers([])]),
        m.operation("vhlo.compare_v1", [truth], [6, 7],
                    properties=[m.word(COMPARISON, 1), direction]),
        m.operation("vhlo.fuse_v7" if newer == "operation" else
                    "vhlo.select_v1", [wide], [8, 6, 7],
                    properties=[m.attribute(number(77))]
                    if newer == "attribute" else
                    [m.string("x")] if newer == "operation" else None),
        sum_of_rows(m, 9, 3),
        m.operation("vhlo.call_v1", [m.tensor([3])], [10],
                    properties=[m.string("twice")]),
        m.operation("vhlo.return_v1", (), [11])]
    return m.function("main", "public", [rows], [m.tensor([3])], 12, operations)


def claiming(m, what):
    """An operation whose numbers no file can hold."""
    start = m.operation("vhlo.return_v1")
    mask, claim = {
        "regions": (HAS_REGIONS, number(ENORMOUS << 1)),
        "blocks": (HAS_REGIONS, number(1 << 1) + number(ENORMOUS) + number(0)),
        "results": (HAS_RESULTS, number(ENORMOUS)),
        "operands": (HAS_OPERANDS, number(ENORMOUS))}[what]
    return start[:1] + bytes([mask]) + start[2:] + claim


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--newer")
    parser.add_argument("--claims")
    options = parser.parse_args()
    module = Vhlo("1.9.0")
    operations = ([claiming(module, options.claims)] if options.claims else
                  [layer(module, options.newer),
                   twice(module, module.tensor([3]))])
    options.file.write_bytes(module.finished(operations))


main()
