# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cast and CastLike between every pair of types, and what moves the types
that numpy lacks."""
from fractions import Fraction

import numpy as np
import onnx
from onnx import helper

from op_cases.case import packed, random_of, write_case
from op_cases.number_formats import (ALL, FLOATS, INF, INTEGERS, NAN, NEG_INF,
                                     SMALL_FLOATS, SMALL_INTEGERS,
                                     code_of_float, pack)


def tensor_of(name, codes, shape=None):
    form = ALL[name]
    return packed(form.data_type, [len(codes)] if shape is None else shape,
                  pack(codes, form.bits))


def cast_code(source, target, code, opset=25, **rules):
    """The target's code of the source's `code`."""
    value = ALL[source].value(code)
    form = ALL[target]
    if target in FLOATS or target in SMALL_FLOATS:
        if target in SMALL_FLOATS:
            rules = {**rules, "infinity_is_nan": opset < 24}
        return form.encode(value, **rules)
    if source in INTEGERS or source in SMALL_INTEGERS:
        return form.encode_integer(value)
    return float_to_integer(value, target, opset)


def float_to_integer(value, target, opset):
    low, high = ALL[target].bounds()
    if value == (0, "-") or value == NAN:
        value = Fraction(0)
    if target in SMALL_INTEGERS:
        whole = round(value)  # of a Fraction: to nearest even
        if opset < 23:
            whole = min(max(whole, low), high)
        return ALL[target].encode_integer(whole)
    whole = int(value)  # towards zero
    return ALL[target].encode_integer(min(max(whole, low), high))


def write_casts(name, jobs, opset=25, like=False):
    """`jobs`: (source, codes, target, attributes of the node)."""
    nodes, inputs, outputs = [], {}, {}
    for source, codes, target, attributes in jobs:
        x = next((k for k, (s, c) in inputs.items() if (s, c) ==
                  (source, tuple(codes))), f"x{len(inputs)}")
        inputs[x] = (source, tuple(codes))
        y = f"y{len(outputs)}"
        rules = {"saturate": bool(attributes.get("saturate", 1)),
                 "rounding": attributes.get("round_mode", "up")}
        outputs[y] = tensor_of(target, [
            cast_code(source, target, code, opset,
                      **(rules if target in SMALL_FLOATS else {}))
            for code in codes])
        to = ALL[target].data_type
        if like:
            nodes.append(helper.make_node("CastLike", [x, "like"], [y],
                                          **attributes))
        else:
            nodes.append(helper.make_node("Cast", [x], [y], to=to,
                                          **attributes))
    tensors = {k: tensor_of(s, list(c)) for k, (s, c) in inputs.items()}
    if like:
        tensors["like"] = tensor_of(jobs[0][2], [1])
    write_case(name, nodes, tensors, outputs, opset)


def codes_of_numbers(source, numbers):
    return [code_of_float(source, number) for number in numbers]


def neighbours(source, code):
    """The codes next to a positive number's code, and its own."""
    return [code - 1, code, code + 1] if code else [0, 1]


def tricky_codes(source, target):
    """Codes of `source` at and around `target`'s numbers and the middles
    between them, with both signs."""
    form, table = FLOATS[source], SMALL_FLOATS[target].positives()
    if target == "e8m0":
        table = table[:3] + table[100:104] + table[125:131] + table[-3:]
    elif len(table) > 40:
        table = table[:20] + table[20:-6:5] + table[-6:]
    points = []
    for (_, low), (_, high) in zip(table, table[1:]):
        points += [low, (low + high) / 2]
    last, step = table[-1][1], table[-1][1] - table[-2][1]
    points += [last, last + step / 4, last + step / 2, last + step,
               last + 4 * step]
    codes = set()
    for point in points:
        code = form.encode(point)
        if form.value(code) in (INF, NAN):
            continue
        codes.update(neighbours(source, code))
    codes.discard(-1)
    codes = sorted(c for c in codes if form.value(c) not in (INF, NAN))
    extremes = codes_of_numbers(source, [float("nan"), float("inf"), 1e30])
    return codes + extremes + [c | form.sign for c in codes + extremes]


def write_decoding():
    for name, form in SMALL_FLOATS.items():
        every = list(range(1 << form.bits))
        numbers = [c for c in every
                   if form.value(c) not in (NAN, INF, NEG_INF)]
        fits = {target: [c for c in numbers if in_range(form, c, target)]
                for target in ("int32", "uint8", "int64", "int4", "uint2")}
        write_casts(f"cast_{name}_decode",
                    [(name, every, target, {}) for target in FLOATS] +
                    [(name, codes, target, {})
                     for target, codes in fits.items()])
    for name, form in SMALL_INTEGERS.items():
        every = [c for c in range(1 << form.bits)] + [1]
        targets = [t for t in ALL if t != name and t not in SMALL_FLOATS]
        write_casts(f"cast_{name}_decode",
                    [(name, every, target, {}) for target in targets])
        write_casts(f"cast_{name}_to_small_floats",
                    [(name, every, target, {}) for target in SMALL_FLOATS])


def in_range(form, code, target):
    value = form.value(code)
    low, high = ALL[target].bounds()
    return value == (0, "-") or low <= value <= high


def write_encoding():
    for name in SMALL_FLOATS:
        modes = [{}, {"saturate": 0}]
        if name == "e8m0":
            modes = [{"saturate": s, "round_mode": mode} for s in (1, 0)
                     for mode in ("up", "down", "nearest")]
        for source in FLOATS:
            codes = tricky_codes(source, name)
            write_casts(f"cast_{source}_to_{name}",
                        [(source, codes, name, mode) for mode in modes])
        others = [t for t in SMALL_FLOATS if t != name]
        every = list(range(1 << SMALL_FLOATS[name].bits))
        write_casts(f"cast_{name}_to_other_small_floats",
                    [(name, every, target, {"saturate": saturate})
                     for target in others for saturate in (1, 0)])


def write_older_opsets():
    fp8 = [t for t in SMALL_FLOATS if t not in ("e8m0", "e2m1")]
    numbers = [0.0, -0.0, 1.06, -3.3, 1e-7, 1e6, -1e6, float("nan"),
               float("inf"), float("-inf"), 0.017, -448.0, 464.0, 464.5]
    for opset in (19, 21, 23, 24):
        write_casts(f"cast_float8_opset{opset}",
                    [(source, codes_of_numbers(source, numbers), target,
                      {"saturate": saturate})
                     for source in ("f32", "f16") for target in fp8
                     for saturate in (1, 0)], opset)
    write_casts("castlike_float8", [("f32", codes_of_numbers("f32", numbers),
                                     "e5m2fnuz", {"saturate": 0})], like=True)
    write_casts("castlike_e8m0_down",
                [("f32", codes_of_numbers("f32", [1.0, 1.9, 3.0, 1e-40]),
                  "e8m0", {"round_mode": "down"})], like=True)


def write_small_integers():
    whole = [float(i) for i in range(-9, 16)]
    halves = [i / 4 for i in range(-40, 70)] + [1e9, -1e9]
    for opset in (21, 23, 25):
        targets = ["int4", "uint4"] + (["int2", "uint2"] if opset > 24 else [])
        write_casts(f"cast_floats_to_small_integers_opset{opset}",
                    [(source, codes_of_numbers(source, numbers), target, {})
                     for source in FLOATS for target in targets
                     for numbers in (whole, halves[:-2])], opset)
    jobs = []
    for source, form in INTEGERS.items():
        low, high = form.bounds()
        numbers = [n for n in (*range(-20, 21), 127, 200, low, high)
                   if low <= n <= high]
        codes = [form.encode_integer(n) for n in numbers]
        jobs += [(source, codes, target, {})
                 for target in (*SMALL_INTEGERS, *INTEGERS)
                 if target != source]
    write_casts("cast_integers_to_integers", jobs)


def write_integers_to_floats():
    """Integers that a detour over another float type would round twice."""
    for source, form in INTEGERS.items():
        low, high = form.bounds()
        numbers = {low, low + 1, high, high - 1, 0, 1, 2, 3, 17, 100}
        for power in range(3, form.bits):
            for bits in (8, 11, 24, 53, 3, 4):
                base = 1 << power
                if power > bits:
                    half = 1 << (power - bits)
                    numbers.update({base + half, base + half + 1,
                                    base + half - 1, base + 3 * half})
        numbers |= {-n for n in numbers}
        rng = random_of(source)
        kept = sorted(n for n in numbers if low <= n <= high)
        if len(kept) > 250:
            kept = sorted(rng.choice(np.array(kept, dtype=object), 250,
                                     replace=False).tolist())
        codes = [form.encode_integer(n) for n in kept]
        write_casts(f"cast_{source}_to_floats",
                    [(source, codes, target, {}) for target in FLOATS])
        write_casts(f"cast_{source}_to_small_floats",
                    [(source, codes[::3], target, {"saturate": saturate})
                     for target in SMALL_FLOATS for saturate in (1, 0)])


def write_wide_floats():
    """Between the four wide types: ties, and ties that an intermediate
    rounding would make."""
    for source, form in FLOATS.items():
        for target, narrow in FLOATS.items():
            if source == target:
                continue
            codes = set()
            rng = random_of(source + target)
            limit = narrow.largest[0]
            chosen = {0, 1, 2, 3, limit - 1, limit,
                      1 << narrow.fraction_bits,
                      (1 << narrow.fraction_bits) - 1,
                      *(int(c) for c in rng.integers(0, limit, 25))}
            for code in chosen:
                low = narrow.value(code)
                high = (narrow.value(code + 1) if code < limit else
                        2 * low - narrow.value(code - 1))
                near = form.encode((low + high) / 2)
                codes.update({form.encode(low), near, near + 1,
                              max(near - 1, 0)})
            codes |= set(codes_of_numbers(source, [float("inf"),
                                                   float("nan"), 1e300]))
            codes = sorted(codes)
            write_casts(f"cast_{source}_to_{target}",
                        [(source, codes + [c | form.sign for c in codes],
                          target, {})])


def write_bool():
    numbers = [0.0, -0.0, float("nan"), float("inf"), -1.5, 1e-45, 0.25]
    nodes, inputs, outputs = [], {}, {}
    for source, form in ALL.items():
        if source in FLOATS or source in SMALL_FLOATS:
            values = [form.encode(FLOATS["f64"].value(
                code_of_float("f64", n))) for n in numbers]
        else:
            values = [0, 1, 2 % (1 << form.bits), (1 << form.bits) - 1, 0]
        inputs[source] = tensor_of(source, values)
        truth = [form.value(c) not in (Fraction(0), (0, "-")) for c in values]
        outputs["bool_of_" + source] = np.array(truth)
        nodes.append(helper.make_node("Cast", [source], ["bool_of_" + source],
                                      to=onnx.TensorProto.BOOL))
    write_case("cast_to_bool", nodes, inputs, outputs, 25)
    nodes, outputs = [], {}
    for target, form in ALL.items():
        one = (form.encode(Fraction(1)) if target in FLOATS or
               target in SMALL_FLOATS else 1)
        zero = 0
        outputs[target] = tensor_of(target, [one, zero, one])
        nodes.append(helper.make_node("Cast", ["x"], [target],
                                      to=form.data_type))
    write_case("cast_from_bool", nodes, {"x": np.array([True, False, True])},
               outputs, 25)


def write_zero_signs():
    """A zero's sign shows in its reciprocal."""
    numbers = [0.0, -0.0, -1e-12, 1e-12, -1.0, 2.0]
    x = np.array(numbers, dtype=np.float32)
    nodes, outputs = [], {}
    for name in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e2m1", "f16",
                 "bf16"):
        form = ALL[name]
        nodes += [helper.make_node("Cast", ["x"], [name], to=form.data_type),
                  helper.make_node("Cast", [name], [name + "_wide"], to=1),
                  helper.make_node("Reciprocal", [name + "_wide"],
                                   ["over_" + name])]
        outputs["over_" + name] = np.array([
            reciprocal(form.value(form.encode(FLOATS["f32"].value(
                code_of_float("f32", float(number)))))) for number in x],
            dtype=np.float32)
    write_case("cast_zero_signs", nodes, {"x": x}, outputs, 25)


def reciprocal(value):
    if value == (0, "-"):
        return -np.inf
    return np.inf if value == 0 else float(1 / value)


def write_opset_1():
    """The type as a word."""
    x = np.array([-3.7, 0.0, 100.25], dtype=np.float32)
    words = {"DOUBLE": np.float64, "INT32": np.int32, "BOOL": np.bool_,
             "FLOAT16": np.float16, "INT64": np.int64, "INT8": np.int8}
    write_case("cast_opset1",
               [helper.make_node("Cast", ["x"], [word], to=word)
                for word in words],
               {"x": x}, {word: x.astype(kind)
                          for word, kind in words.items()}, 1)


def write_known_elements():
    """Small constants pass as shapes through the importer, yet lose their
    upper bits."""
    values = np.array([2**31, -1, 2**63 - 1, 2**32 + 5, 7])
    write_case("cast_known_elements",
               [helper.make_node("Cast", ["k"], ["narrow"], to=6),
                helper.make_node("Cast", ["narrow"], ["wide"], to=7),
                helper.make_node("Mul", ["wide", "x"], ["y"])],
               {"x": np.array([1, 2, 3, 4, 5])},
               {"y": values.astype(np.int32).astype(np.int64) *
                np.array([1, 2, 3, 4, 5])}, 13, {"k": values})


def typed(name, codes, shape):
    """The same tensor in int32_data instead of raw_data."""
    form = ALL[name]
    tensor = packed(form.data_type, shape, b"")
    tensor.ClearField("raw_data")
    tensor.int32_data.extend(pack(codes, form.bits))
    return tensor


def write_movement():
    """Every operator that keeps elements as they are, of each small type."""
    for name, form in {**SMALL_FLOATS, **SMALL_INTEGERS}.items():
        rng = random_of("movement " + name)
        x = rng.integers(0, 1 << form.bits, (3, 5))
        constant = rng.integers(0, 1 << form.bits, (2, 5))
        initial = rng.integers(0, 1 << form.bits, (3, 1))
        fill = int(rng.integers(1, 1 << form.bits))
        if name == "e8m0":
            fill = 130  # 8: of smaller powers, zeros would pass
        node = helper.make_node
        nodes = [
            node("Constant", [], ["c"],
                 value=typed(name, constant.ravel(), [2, 5])),
            node("Identity", ["x"], ["same"]),
            node("Reshape", ["x", "flat"], ["reshaped"]),
            node("Transpose", ["x"], ["turned"], perm=[1, 0]),
            node("Concat", ["x", "c"], ["joined"], axis=0),
            node("Gather", ["x", "rows"], ["picked"], axis=0),
            node("Slice", ["x", "one", "four", "one"], ["sliced"]),
            node("Expand", ["initial", "shape"], ["expanded"]),
            node("Unsqueeze", ["x", "one"], ["deeper"]),
            node("Squeeze", ["deeper", "one"], ["back"]),
            node("Flatten", ["x"], ["flattened"], axis=0),
            node("Split", ["x"], ["first", "second"], axis=1, num_outputs=2),
            node("Tile", ["x", "twice"], ["tiled"]),
            node("ConstantOfShape", ["shape"], ["filled"],
                 value=typed(name, [fill], [1])),
            node("Pad", ["x", "pads", "value"], ["padded"]),
            node("Pad", ["x", "pads"], ["reflected"], mode="edge"),
            node("Shape", ["x"], ["extent"]),
        ]
        padded = np.full((4, 7), fill)
        padded[1:4, 2:7] = x
        edge = np.pad(x, ((1, 0), (2, 0)), mode="edge")
        results = {
            "same": x, "reshaped": x.reshape(5, 3), "turned": x.T,
            "joined": np.concatenate([x, constant]), "picked": x[[2, 0, 2]],
            "sliced": x[:, 1:4], "expanded": np.broadcast_to(initial,
                                                               (3, 4)),
            "deeper": x[:, None, :], "back": x,
            "flattened": x.reshape(1, -1), "first": x[:, :3],
            "second": x[:, 3:], "tiled": np.tile(x, (2, 1)),
            "filled": np.full((3, 4), fill), "padded": padded,
            "reflected": edge,
        }
        outputs = {key: tensor_of(name, value.ravel().tolist(), value.shape)
                   for key, value in results.items()}
        outputs["extent"] = np.array([3, 5])
        write_case(f"movement_{name}", nodes,
                   {"x": tensor_of(name, x.ravel().tolist(), [3, 5])},
                   outputs, 25, {
                       "initial": typed(name, initial.ravel(), [3, 1]),
                       "flat": np.array([5, -1]), "rows": np.array([2, 0, 2]),
                       "one": np.array([1]), "four": np.array([4]),
                       "shape": np.array([3, 4]),
                       "twice": np.array([2, 1]),
                       "pads": np.array([1, 2, 0, 0]),
                       "value": tensor_of(name, [fill], [])})


def write_large_weights():
    """Initialisers that stay in the file, packed, and are unpacked at run
    time."""
    for name, shape in (("int4", (3, 2803)), ("uint2", (7, 2347))):
        form = ALL[name]
        weight = random_of("large " + name).integers(0, 1 << form.bits, shape)
        chosen = np.array([0, 1, 2, shape[1] // 2, shape[1] - 2, -1])
        write_case(
            f"large_{name}_weight",
            [helper.make_node("Gather", ["w", "columns"], ["picked"], axis=1),
             helper.make_node("Cast", ["picked"], ["y"], to=1)],
            {"columns": chosen},
            {"y": np.array([[float(form.value(int(c))) for c in row]
                            for row in weight[:, chosen]], dtype=np.float32)},
            25, {"w": tensor_of(name, weight.ravel().tolist(), shape)})


def write_cases():
    write_decoding()
    write_encoding()
    write_older_opsets()
    write_small_integers()
    write_integers_to_floats()
    write_wide_floats()
    write_bool()
    write_zero_signs()
    write_opset_1()
    write_known_elements()
    write_movement()
    write_large_weights()
