# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A writer of MLIR bytecode, version 6 (mlir.llvm.org/docs/BytecodeFormat):
as much of it as portable artifacts of StableHLO need."""
STRINGS, DIALECTS, ENTRIES, OFFSETS, IR, PROPERTIES = 0, 1, 2, 3, 4, 8
HAS_ATTRIBUTES, HAS_RESULTS, HAS_OPERANDS = 1, 2, 4
HAS_REGIONS, HAS_PROPERTIES = 16, 64


def number(value):
    """Unsigned: the zeros below the first byte's lowest one are the bytes that
    follow."""
    for size in range(1, 9):
        if value < 1 << 7 * size:
            return ((value << size) | 1 << size - 1).to_bytes(size, "little")
    return b"\0" + value.to_bytes(8, "little")


def signed(value):
    return number(value << 1 if value >= 0 else (-value << 1) - 1)


def listed(values, encode=number):
    return number(len(values)) + b"".join(map(encode, values))


def section(kind, data):
    return bytes([kind]) + number(len(data)) + data


class Pool:
    """Entries by their place, each once."""

    def __init__(self):
        self.entries = []

    def __call__(self, entry):
        if entry not in self.entries:
            self.entries.append(entry)
        return self.entries.index(entry)


class Module:
    """A builtin.module of operations of one other dialect, to which all types
    and attributes but the unknown location belong."""

    def __init__(self, producer, dialect):
        self.producer, self.dialects = producer, ["builtin", dialect]
        self.text, self.properties = Pool(), Pool()
        self.types = Pool()
        self.attributes, self.operations = Pool(), Pool()
        self.nowhere = self.attribute(number(15), "builtin")
        self.operations(("builtin", "module"))

    def attribute(self, data, dialect=None):
        return self.attributes((dialect or self.dialects[1], data))

    def type(self, data):
        return self.types((self.dialects[1], data))

    def operation(self, name, results=(), operands=(), properties=None,
                  regions=(), isolated=False):
        """An operation's bytes. `results` are types, `operands` numbers of
        values, `properties` attributes, `regions` those of region()."""
        mask, tail = 0, b""
        if properties is not None:
            mask |= HAS_PROPERTIES
            data = b"".join(map(number, properties))
            tail += number(self.properties(data))
        for bit, values in ((HAS_RESULTS, results), (HAS_OPERANDS, operands)):
            if values:
                mask |= bit
                tail += listed(values)
        if regions:
            mask |= HAS_REGIONS
            body = b"".join(regions)
            tail += number(len(regions) << 1 | isolated)
            tail += section(IR, body) if isolated else body
        return (number(self.operations(tuple(name.split(".")))) +
                bytes([mask]) + number(self.nowhere) + tail)

    @staticmethod
    def region(arguments, values, operations):
        """One block; `values` are all that it defines, arguments too."""
        head = number(len(operations) << 1 | bool(arguments))
        if arguments:
            head += listed(arguments, lambda kind: number(kind << 1))
            head += b"\0"  # uses in the usual order
        return number(1) + number(values) + head + b"".join(operations)

    def _grouped(self, entries, encode):
        """Pairs of a dialect and what is encoded, by dialect."""
        out = b""
        for at, dialect in enumerate(self.dialects):
            own = [entry for of, entry in entries if of == dialect]
            if own:
                out += number(at) + listed(own, encode)
        return out

    def finished(self, operations):
        """The file of a module with these operations."""
        values = [*self.attributes.entries, *self.types.entries]
        offsets = (number(len(self.attributes.entries)) +
                   number(len(self.types.entries)))
        for pool in (self.attributes, self.types):
            offsets += self._grouped(pool.entries,
                                     lambda data: number(len(data) << 1 | 1))
        names = listed(self.dialects, lambda name: number(self.text(name) << 1))
        names += number(len(self.operations.entries))
        names += self._grouped(self.operations.entries,
                               lambda name: number(self.text(name) << 1 | 1))
        body = number(1 << 1) + self.operation(
            "builtin.module", regions=[self.region((), 0, operations)],
            isolated=True)
        words = [word.encode() + b"\0" for word in self.text.entries]
        strings = (number(len(words)) +
                   b"".join(number(len(word)) for word in reversed(words)) +
                   b"".join(words))
        return (b"ML\xefR" + number(6) + self.producer.encode() + b"\0" +
                section(STRINGS, strings) + section(DIALECTS, names) +
                section(ENTRIES, b"".join(data for _, data in values)) +
                section(OFFSETS, offsets) + section(IR, body) +
                section(PROPERTIES, listed(
                    self.properties.entries,
                    lambda data: number(len(data)) + data)))
