# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences and optionals, inside of a model and at its border, against
Python's lists."""
import numpy as np
from onnx import TensorProto, helper

from op_cases.case import Maybe, random_of, write_case

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def number(value):
    return np.array(value, np.int64)


def lists():
    """Constructed, changed in place and at the ends, read, counted, joined."""
    r = random_of("sequence_lists")
    a, b, c = (r.standard_normal((2, 3)).astype(np.float32) for _ in range(3))
    nodes = [node("SequenceConstruct", ["a", "b"], ["s"]),
             node("SequenceInsert", ["s", "c"], ["t"]),
             node("SequenceInsert", ["t", "a", "first"], ["u"]),
             node("SequenceErase", ["u", "last"], ["v"]),
             node("Identity", ["v"], ["w"]),
             node("SequenceAt", ["w", "minus"], ["picked"]),
             node("SequenceLength", ["w"], ["count"]),
             node("ConcatFromSequence", ["w"], ["joined"], axis=1),
             node("ConcatFromSequence", ["w"], ["stacked"], axis=-1,
                  new_axis=1)]
    left = [a, a, b]  # c, the last, is gone
    write_case("sequence_lists", nodes, {"a": a, "b": b, "c": c},
               {"picked": left[-2], "count": number(3),
                "joined": np.concatenate(left, 1),
                "stacked": np.stack(left, -1)}, 17,
               {"first": number(0), "last": number(-1), "minus": number(-2)})


def empty():
    x = random_of("sequence_empty").standard_normal((3,)).astype(np.float32)
    nodes = [node("SequenceEmpty", [], ["none"], dtype=FLOAT),
             node("SequenceLength", ["none"], ["count"]),
             node("SequenceInsert", ["none", "x"], ["one"]),
             node("SequenceAt", ["one", "zero"], ["y"])]
    write_case("sequence_empty", nodes, {"x": x},
               {"count": number(0), "y": x}, 11, {"zero": number(0)})


def pieces():
    """By one size, by a list, and without sizes, with and without the axis."""
    r = random_of("sequence_pieces")
    x = r.standard_normal((5, 4)).astype(np.float32)
    nodes = [node("SplitToSequence", ["x", "two"], ["s"]),
             node("SequenceAt", ["s", "place"], ["rest"]),
             node("SplitToSequence", ["x", "parts"], ["t"], axis=1),
             node("SequenceAt", ["t", "one"], ["part"]),
             node("SplitToSequence", ["x"], ["u"], axis=1, keepdims=0),
             node("SequenceAt", ["u", "one"], ["column"]),
             node("SplitToSequence", ["x"], ["v"], axis=-2),
             node("SequenceAt", ["v", "one"], ["row"])]
    write_case("sequence_pieces", nodes, {"x": x},
               {"rest": x[4:], "part": x[:, 1:], "column": x[:, 1],
                "row": x[1:2]}, 12,
               {"two": number(2), "place": number(2), "one": number(1),
                "parts": np.array([1, 3])})


def mapped():
    """A body for each element, which also sees what stands around it."""
    r = random_of("sequence_map")
    x = r.standard_normal((2, 6)).astype(np.float32)
    shift, scale = (r.standard_normal((2, 1)).astype(np.float32)
                    for _ in range(2))

    def info(name, kind=FLOAT):
        return helper.make_tensor_value_info(name, kind, None)
    body = helper.make_graph(
        [node("Mul", ["e", "scale"], ["m"]), node("Add", ["m", "k"], ["r"]),
         node("Shape", ["e"], ["n"])],
        "body", [info("e"), info("k")], [info("r"), info("n", INT64)])
    nodes = [node("SplitToSequence", ["x", "sizes"], ["s"], axis=1),
             node("SequenceMap", ["s", "shift"], ["rs", "ns"], body=body),
             node("ConcatFromSequence", ["rs"], ["y"], axis=1),
             node("ConcatFromSequence", ["ns"], ["shapes"], axis=0,
                  new_axis=1)]
    write_case("sequence_map", nodes, {"x": x, "shift": shift, "scale": scale},
               {"y": x * scale + shift,
                "shapes": np.array([[2, 1], [2, 2], [2, 3]])}, 18,
               {"sizes": np.array([1, 2, 3])})


def optionals():
    x = random_of("optional").standard_normal((3, 2)).astype(np.float32)
    kind = helper.make_tensor_type_proto(FLOAT, None)
    nodes = [node("Optional", ["x"], ["some"]),
             node("Optional", [], ["none"], type=kind),
             node("OptionalHasElement", ["some"], ["yes"]),
             node("OptionalHasElement", ["none"], ["no"]),
             node("OptionalGetElement", ["some"], ["z"]),
             node("Neg", ["z"], ["y"])]
    write_case("optional_tensor", nodes, {"x": x},
               {"yes": np.array(True), "no": np.array(False), "y": -x}, 18)
    nodes = [node("SequenceConstruct", ["x", "x"], ["s"]),
             node("Optional", ["s"], ["some"]),
             node("OptionalGetElement", ["some"], ["t"]),
             node("ConcatFromSequence", ["t"], ["y"], axis=0)]
    write_case("optional_sequence", nodes, {"x": x},
               {"y": np.concatenate([x, x])}, 18)


def border():
    """Lists that enter and leave, changed where a number says."""
    r = random_of("sequence_border")
    a, b, c = (r.standard_normal(shape).astype(np.float32)
               for shape in ((2, 3), (4,), (1, 2)))
    nodes = [node("SequenceInsert", ["s", "c", "place"], ["t"]),
             node("SequenceErase", ["t", "gone"], ["u"]),
             node("SequenceAt", ["t", "last"], ["end"]),
             node("SequenceErase", ["u"], ["v"]),
             node("SequenceErase", ["v"], ["none"])]
    left = [a, b]
    left.insert(-1, c)  # before the last one, as ONNX counts too
    write_case("sequence_border", nodes,
               {"s": [a, b], "c": c, "place": number(-1), "gone": number(0)},
               {"t": left, "u": left[1:], "end": b, "none": []}, 17,
               {"last": number(-1)})


def optional_border():
    r = random_of("optional_border")
    a, b = (r.standard_normal((2, 3)).astype(np.float32) for _ in range(2))
    nodes = [node("OptionalHasElement", ["nothing"], ["no"]),
             node("OptionalGetElement", ["some"], ["x"]),
             node("OptionalGetElement", ["list"], ["s"]),
             node("SequenceInsert", ["s", "x"], ["t"]),
             node("Optional", ["t"], ["u"]),
             node("Identity", ["nothing"], ["still"])]
    write_case("optional_border", nodes,
               {"nothing": Maybe(None, a), "some": Maybe(a),
                "list": Maybe([b, a])},
               {"no": np.array(False), "u": Maybe([b, a, a]),
                "still": Maybe(None, a)}, 18)


def info(name, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, [])


def sequence_info(name):
    return helper.make_tensor_sequence_value_info(name, FLOAT, None)


def loop():
    """A loop that carries a list and a number, and stacks what it met."""
    x = random_of("sequence_loop").standard_normal((5,)).astype(np.float32)
    body = helper.make_graph(
        [node("Identity", ["going"], ["goes"]),
         node("Unsqueeze", ["i", "axis"], ["from"]),
         node("Slice", ["x", "from", "five"], ["rest"]),
         node("ReduceSum", ["rest"], ["sum"], keepdims=0),
         node("Add", ["total", "sum"], ["more"]),
         node("SequenceInsert", ["s", "rest"], ["longer"])],
        "body", [info("i", INT64), info("going", TensorProto.BOOL),
                 info("total"), sequence_info("s")],
        [info("goes", TensorProto.BOOL), info("more"),
         sequence_info("longer"), info("sum")])
    nodes = [node("Loop", ["turns", "go", "zero", "start"],
                  ["total", "rests", "sums"], body=body)]
    rests = [x[i:] for i in range(4)]
    sums = np.array([rest.sum(dtype=np.float32) for rest in rests])
    write_case("sequence_loop", nodes,
               {"turns": number(4), "go": np.array(True), "x": x,
                "start": [x]},
               {"total": sums.sum(dtype=np.float32), "rests": [x, *rests],
                "sums": sums}, 18,
               {"zero": np.float32(0), "axis": np.array([0]),
                "five": np.array([5])})


def branches():
    """Branches that give lists of different lengths."""
    x = random_of("sequence_if").standard_normal((2, 2)).astype(np.float32)
    one = helper.make_graph([node("SequenceConstruct", ["x"], ["s"])], "one",
                            [], [sequence_info("s")])
    two = helper.make_graph([node("SequenceConstruct", ["x", "x"], ["t"])],
                            "two", [], [sequence_info("t")])
    write_case("sequence_if",
               node("If", ["c"], ["y"], then_branch=one, else_branch=two),
               {"c": np.array(False), "x": x}, {"y": [x, x]}, 18)


def write_cases():
    for write in (lists, empty, pieces, mapped, optionals, border,
                  optional_border, loop, branches):
        write()
