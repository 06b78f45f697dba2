# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If, Loop, Scan and model-local functions, against Python's own."""
import numpy as np
import onnx
from onnx import TensorProto, helper

from op_cases.case import random_of, write_case

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node = helper.make_node


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, inputs, outputs, initializers=()):
    tensors = [onnx.numpy_helper.from_array(np.asarray(value), name)
               for name, value in initializers]
    return helper.make_graph(nodes, "body", inputs, outputs, tensors)


def if_cases():
    x = random_of("if").standard_normal((3, 5)).astype(np.float32)
    # The branches use a name of the graph around them and differ in shape.
    then = graph([node("Slice", ["x", "from", "to"], ["t"])], [],
                 [info("t", FLOAT, None)],
                 [("from", np.array([1])), ("to", np.array([3]))])
    other = graph([node("Neg", ["x"], ["e"])], [], [info("e", FLOAT, None)])
    for chosen in (True, False):
        write_case(f"if_shapes_{str(chosen).lower()}",
                   node("If", ["c"], ["y"], then_branch=then,
                        else_branch=other),
                   {"c": np.array(chosen), "x": x},
                   {"y": x[1:3] if chosen else -x}, 19,
                   shapes={"y": ["rows", 5]})
    inner = node("If", ["inside"], ["y"], then_branch=then, else_branch=other)
    write_case("if_nested",
               [node("Not", ["c"], ["inside"]),
                node("If", ["c"], ["z"],
                     then_branch=graph([inner], [], [info("y", FLOAT, None)]),
                     else_branch=graph([node("Abs", ["x"], ["a"])], [],
                                       [info("a", FLOAT, None)]))],
               {"c": np.array(True), "x": x}, {"z": -x}, 21,
               shapes={"z": ["rows", 5]})


def loop(body, inputs, outputs):
    return node("Loop", inputs, outputs, body=body)


def loop_cases():
    r = random_of("loop")
    x = r.standard_normal((4,)).astype(np.float32)
    carried = [info("i", INT64, []), info("c", BOOL, []),
               info("a", FLOAT, [4])]
    # A counted loop, one carried value, one stacked output.
    body = graph([node("Identity", ["c"], ["go"]),
                  node("Mul", ["a", "w"], ["m"]),
                  node("Add", ["m", "x"], ["b"]),
                  node("Identity", ["b"], ["s"])],
                 carried,
                 [info("go", BOOL, []), info("b", FLOAT, [4]),
                  info("s", FLOAT, [4])],
                 [("w", np.float32(0.5))])
    a, rows = np.zeros(4, np.float32), []
    for _ in range(5):
        a = a * np.float32(0.5) + x
        rows.append(a)
    start = np.zeros(4, np.float32)
    write_case("loop_counted", loop(body, ["n", "", "a0"], ["y", "s"]),
               {"n": np.array(5), "a0": start, "x": x},
               {"y": a, "s": np.stack(rows)}, 16,
               shapes={"s": ["n", 4]})
    write_case("loop_zero_times", loop(body, ["n", "", "a0"], ["y", "s"]),
               {"n": np.array(0), "a0": x, "x": x},
               {"y": x, "s": np.zeros((0, 4), np.float32)}, 16,
               shapes={"s": ["n", 4]})
    for starts in (True, False):
        kept = np.stack(rows) if starts else np.zeros((0, 4), np.float32)
        write_case(f"loop_condition_{str(starts).lower()}",
                   loop(body, ["n", "go0", "a0"], ["y", "s"]),
                   {"n": np.array(5), "go0": np.array(starts), "a0": start,
                    "x": x},
                   {"y": a if starts else start, "s": kept}, 13,
                   shapes={"s": ["n", 4]})
    # Ends when a sum exceeds a limit: no trip count.
    ends = graph([node("Add", ["a", "x"], ["b"]),
                  node("ReduceSum", ["b"], ["sum"], keepdims=0),
                  node("Less", ["sum", "limit"], ["go"])],
                 carried, [info("go", BOOL, []), info("b", FLOAT, [4])],
                 [("limit", np.float32(20))])
    step = np.abs(x) + np.float32(0.25)
    total = start
    while True:
        total = total + step
        if not total.sum() < 20:
            break
    write_case("loop_until", loop(ends, ["", "", "a0"], ["y"]),
               {"a0": start, "x": step}, {"y": total}, 19)


def growing_cases():
    # A carried value and slices whose shapes change from turn to turn.
    x = random_of("grow").standard_normal((2, 3)).astype(np.float32)
    body = graph([node("Concat", ["a", "x"], ["b"], axis=0),
                  node("Identity", ["c"], ["go"])],
                 [info("i", INT64, []), info("c", BOOL, []),
                  info("a", FLOAT, None)],
                 [info("go", BOOL, []), info("b", FLOAT, None)])
    write_case("loop_growing", loop(body, ["n", "", "a0"], ["y"]),
               {"n": np.array(3), "a0": x[:1], "x": x},
               {"y": np.concatenate([x[:1], x, x, x])}, 19,
               shapes={"y": ["rows", 3]})
    # The loop's own number takes part.
    squares = graph([node("Mul", ["i", "i"], ["s"]),
                     node("Identity", ["c"], ["go"])],
                    [info("i", INT64, []), info("c", BOOL, [])],
                    [info("go", BOOL, []), info("s", INT64, [])])
    write_case("loop_squares", loop(squares, ["n", ""], ["y"]),
               {"n": np.array(7)}, {"y": np.arange(7) ** 2}, 11,
               shapes={"y": ["n"]})
    nested = graph([loop(squares, ["i", ""], ["inner"]),
                    node("ReduceSum", ["inner"], ["s"], keepdims=0),
                    node("Identity", ["c"], ["go"])],
                   [info("i", INT64, []), info("c", BOOL, [])],
                   [info("go", BOOL, []), info("s", INT64, [])])
    sums = [sum(k * k for k in range(i)) for i in range(6)]
    write_case("loop_nested", loop(nested, ["n", ""], ["y"]),
               {"n": np.array(6)}, {"y": np.array(sums)}, 13,
               shapes={"y": ["n"]})


def scan_cases():
    r = random_of("scan")
    x = r.standard_normal((3, 5, 2)).astype(np.float32)
    start = r.standard_normal((3, 2)).astype(np.float32)
    body = graph([node("Add", ["a", "v"], ["b"]),
                  node("Mul", ["b", "v"], ["s"])],
                 [info("a", FLOAT, [3, 2]), info("v", FLOAT, [3, 2])],
                 [info("b", FLOAT, [3, 2]), info("s", FLOAT, [3, 2])])
    for backwards in (0, 1):
        for last in (0, 1):
            a, slices = start, []
            for k in (range(4, -1, -1) if backwards else range(5)):
                a = a + x[:, k]
                slices.append(a * x[:, k])
            slices = slices[::-1] if last else slices
            write_case(f"scan_axis_{backwards}{last}",
                       node("Scan", ["a0", "x"], ["y", "s"], body=body,
                            num_scan_inputs=1, scan_input_axes=[1],
                            scan_input_directions=[backwards],
                            scan_output_axes=[-1],
                            scan_output_directions=[last]),
                       {"a0": start, "x": x},
                       {"y": a, "s": np.stack(slices, -1)}, 11,
                       shapes={"x": [3, "t", 2], "s": [3, 2, "t"]})
    # Opset 8 has a batch dimension that the body doesn't see.
    batched = r.standard_normal((2, 4, 3)).astype(np.float32)
    first = r.standard_normal((2, 3)).astype(np.float32)
    sums = np.cumsum(np.concatenate([first[:, None], batched], 1), 1,
                     dtype=np.float32)[:, 1:]
    body = graph([node("Add", ["a", "v"], ["b"]),
                  node("Identity", ["b"], ["s"])],
                 [info("a", FLOAT, [3]), info("v", FLOAT, [3])],
                 [info("b", FLOAT, [3]), info("s", FLOAT, [3])])
    write_case("scan_batched",
               node("Scan", ["", "a0", "x"], ["y", "s"], body=body,
                    num_scan_inputs=1, directions=[0]),
               {"a0": first, "x": batched}, {"y": sums[:, -1], "s": sums}, 8)


def referring(op, inputs, outputs, **references):
    """A node of a function whose attributes are those of the call."""
    made = node(op, inputs, outputs)
    for name, (reference, kind) in references.items():
        attribute = made.attribute.add()
        attribute.name, attribute.type = name, kind
        attribute.ref_attr_name = reference
    return made


def function_cases():
    r = random_of("function")
    x = r.standard_normal((2, 3, 4)).astype(np.float32)
    own = [helper.make_opsetid("", 18)]
    soft = referring("Softmax", ["x"], ["p"],
                     axis=("dim", onnx.AttributeProto.INT))
    inner = helper.make_function(
        "own.inner", "Scaled", ["x", "by"], ["y"],
        [soft, node("Mul", ["p", "by"], ["y"])], own, ["dim"])
    # "by" is left out by the call: an optional input of Clip inside.
    outer = helper.make_function(
        "own", "Twice", ["x", "low", "high"], ["y"],
        [referring("Scaled", ["x", "two"], ["s"],
                   dim=("axis", onnx.AttributeProto.INT)),
         node("Clip", ["s", "low", "high"], ["y"]),
         node("Constant", [], ["unused"], value_float=1.0)], own, ["axis"])
    outer.node[0].domain = "own.inner"
    outer.node.insert(0, node("Constant", [], ["two"], value_float=2.0))
    outer.opset_import.append(helper.make_opsetid("own.inner", 1))
    e = np.exp(x - x.max(1, keepdims=True))
    soft = e / e.sum(1, keepdims=True) * 2
    call = node("Twice", ["x", "", "top"], ["y"], domain="own", axis=1)
    write_case("function_attributes", call,
               {"x": x, "top": np.float32(0.8)},
               {"y": np.minimum(soft, np.float32(0.8))}, 18,
               opsets=(("own", 1), ("own.inner", 1)),
               functions=[inner, outer])
    # One function, called twice, with a subgraph inside.
    then = graph([node("Neg", ["x"], ["t"])], [], [info("t", FLOAT, None)])
    other = graph([node("Abs", ["x"], ["e"])], [], [info("e", FLOAT, None)])
    chosen = helper.make_function(
        "own", "Sign", ["c", "x"], ["y"],
        [node("If", ["c"], ["y"], then_branch=then, else_branch=other)], own,
        [])
    write_case("function_with_if",
               [node("Sign", ["c", "x"], ["a"], domain="own"),
                node("Not", ["c"], ["d"]),
                node("Sign", ["d", "a"], ["y"], domain="own")],
               {"c": np.array(True), "x": x}, {"y": np.abs(-x)}, 18,
               opsets=(("own", 1),), functions=[chosen])


def write_cases():
    if_cases()
    loop_cases()
    growing_cases()
    scan_cases()
    function_cases()
