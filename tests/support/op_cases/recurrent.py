# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RNN, LSTM and GRU: each sequence on its own, one step and one unit at a
time, in float64."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case

FUNCTIONS = {
    "Relu": lambda x, a, b: max(0.0, x),
    "Tanh": lambda x, a, b: np.tanh(x),
    "Sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: x if x >= 0 else a * x,
    "ThresholdedRelu": lambda x, a, b: x if x >= a else 0.0,
    "ScaledTanh": lambda x, a, b: a * np.tanh(b * x),
    "HardSigmoid": lambda x, a, b: min(max(a * x + b, 0.0), 1.0),
    "Elu": lambda x, a, b: x if x >= 0 else a * (np.exp(x) - 1),
    "Softsign": lambda x, a, b: x / (1 + abs(x)),
    "Softplus": lambda x, a, b: np.log(1 + np.exp(x)),
}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"],
         "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def applied(function, values, clip):
    name, alpha, beta = function
    if clip:
        values = np.minimum(np.maximum(values, -clip), clip)
    return np.array([FUNCTIONS[name](v, alpha, beta) for v in values])


def rnn_step(x, h, c, w, r, wb, rb, p, f, clip, flags):
    return applied(f[0], w @ x + r @ h + wb + rb, clip), c


def gru_step(x, h, c, w, r, wb, rb, p, f, clip, flags):
    n = len(h)
    z, s, q = slice(0, n), slice(n, 2 * n), slice(2 * n, 3 * n)
    update = applied(f[0], w[z] @ x + r[z] @ h + wb[z] + rb[z], clip)
    reset = applied(f[0], w[s] @ x + r[s] @ h + wb[s] + rb[s], clip)
    if flags.get("linear_before_reset"):
        inner = reset * (r[q] @ h + rb[q])
    else:
        inner = r[q] @ (reset * h) + rb[q]
    candidate = applied(f[1], w[q] @ x + inner + wb[q], clip)
    return (1 - update) * candidate + update * h, c


def lstm_step(x, h, c, w, r, wb, rb, p, f, clip, flags):
    n = len(h)
    i, o, g, q = (slice(k * n, (k + 1) * n) for k in range(4))
    total = w @ x + r @ h + wb + rb
    take = applied(f[0], total[i] + p[:n] * c, clip)
    forget = applied(f[0], total[g] + p[2 * n:] * c, clip)
    if flags.get("input_forget"):
        forget = 1 - take
    cell = forget * c + take * applied(f[1], total[q], clip)
    shown = applied(f[0], total[o] + p[n:2 * n] * cell, clip)
    return shown * applied(f[2], cell, clip), cell


STEP = {"RNN": rnn_step, "GRU": gru_step, "LSTM": lstm_step}


def run(op, x, w, r, b, lengths, h0, c0, p, functions, reverse_of, clip,
        flags):
    """x: (steps, batch, width). Gives Y, Y_h and Y_c of layout 0."""
    steps, batch, _ = x.shape
    directions, _, n = r.shape
    y = np.zeros((steps, directions, batch, n))
    last = np.zeros((directions, batch, n))
    cells = np.zeros((directions, batch, n))
    rows = GATES[op] * n
    for d in range(directions):
        for k in range(batch):
            h, c = h0[d, k], c0[d, k]
            times = list(range(lengths[k]))
            for t in reversed(times) if reverse_of[d] else times:
                h, c = STEP[op](x[t, k], h, c, w[d], r[d], b[d][:rows],
                                b[d][rows:], p[d], functions[d], clip, flags)
                y[t, d, k] = h
            last[d, k], cells[d, k] = h, c
    return y, last, cells


def case(name, op, direction="forward", steps=4, batch=3, width=5, hidden=4,
         inputs=("B",), functions=None, clip=None, layout=0, dtype=np.float32,
         opset=22, outputs=("Y", "Y_h", "Y_c"), shapes=None, weights=False,
         **flags):
    rng = random_of(name)
    directions = 2 if direction == "bidirectional" else 1
    rows = GATES[op] * hidden

    def draw(*shape):
        return rng.uniform(-0.9, 0.9, shape).astype(dtype)

    x, w, r = (draw(steps, batch, width), draw(directions, rows, width),
               draw(directions, rows, hidden))
    b = draw(directions, 2 * rows) if "B" in inputs else None
    lengths = None
    if "sequence_lens" in inputs:
        lengths = rng.integers(1, steps + 1, batch).astype(np.int32)
        lengths[0] = steps
    h0 = draw(directions, batch, hidden) if "initial_h" in inputs else None
    c0 = draw(directions, batch, hidden) if "initial_c" in inputs else None
    p = draw(directions, 3 * hidden) if "P" in inputs else None
    chosen = functions or [(f, 0, 0) for f in USUAL[op]] * directions
    each = len(USUAL[op])
    wide = [np.zeros(s) if v is None else v.astype(np.float64)
            for v, s in ((x, 0), (w, 0), (r, 0), (b, (directions, 2 * rows)),
                         (h0, (directions, batch, hidden)),
                         (c0, (directions, batch, hidden)),
                         (p, (directions, 3 * hidden)))]
    y, last, cells = run(
        op, *wide[:4], [steps] * batch if lengths is None else lengths,
        *wide[4:], [chosen[d * each:(d + 1) * each] for d in range(directions)],
        [direction == "reverse", True], clip, flags)
    if layout:
        x, y = x.transpose(1, 0, 2), y.transpose(2, 0, 1, 3)
        last, cells = last.transpose(1, 0, 2), cells.transpose(1, 0, 2)
        h0 = h0 if h0 is None else h0.transpose(1, 0, 2)
        c0 = c0 if c0 is None else c0.transpose(1, 0, 2)
    given = {"X": x, "W": w, "R": r, "B": b, "sequence_lens": lengths,
             "initial_h": h0}
    if op == "LSTM":
        given.update({"initial_c": c0, "P": p})
    attributes = dict(flags, hidden_size=hidden)
    if direction != "forward":
        attributes["direction"] = direction
    if clip:
        attributes["clip"] = clip
    if layout:
        attributes["layout"] = 1
    if functions:
        attributes["activations"] = [f for f, _, _ in functions]
        takes_alpha = {"Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
                       "HardSigmoid", "Elu"}
        takes_beta = {"Affine", "ScaledTanh", "HardSigmoid"}
        attributes["activation_alpha"] = [a for f, a, _ in functions
                                          if f in takes_alpha]
        attributes["activation_beta"] = [b for f, _, b in functions
                                         if f in takes_beta]
    results = {"Y": y, "Y_h": last}
    if op == "LSTM":
        results["Y_c"] = cells
    node = helper.make_node(
        op, [k if v is not None else "" for k, v in given.items()],
        [k if k in outputs else "" for k in results], **attributes)
    values = {k: np.ascontiguousarray(v) for k, v in given.items()
              if v is not None}
    fixed = {k: values.pop(k) for k in ("W", "R", "B") if k in values
             } if weights else {}
    write_case(name, node, values,
               {k: v.astype(dtype) for k, v in results.items() if k in outputs},
               opset, initializers=fixed, shapes=shapes)


EVERY = ("B", "sequence_lens", "initial_h", "initial_c", "P")


def write_cases():
    dynamic = {"X": ["steps", "batch", 5],
               "Y": ["steps", 2, "batch", 4]}
    for op in ("RNN", "GRU", "LSTM"):
        low = op.lower()
        case(f"{low}_reverse_lengths", op, "reverse", inputs=EVERY)
        case(f"{low}_bidirectional_everything", op, "bidirectional",
             inputs=EVERY)
        case(f"{low}_bidirectional_layout1", op, "bidirectional", layout=1,
             inputs=EVERY, opset=14)
        case(f"{low}_float64", op, dtype=np.float64, inputs=("B", "initial_h"),
             opset=7)
        case(f"{low}_float16", op, dtype=np.float16, batch=2, steps=2)
        case(f"{low}_only_last", op, "bidirectional", outputs=("Y_h",))
        case(f"{low}_only_y", op, outputs=("Y",), inputs=())
        case(f"{low}_clip", op, clip=0.25, inputs=EVERY)
        case(f"{low}_dynamic", op, "bidirectional", inputs=("B",),
             shapes=dynamic, outputs=("Y",))
        case(f"{low}_wide_weights", op, "bidirectional", width=9, hidden=9,
             steps=3, batch=2, weights=True)
        case(f"{low}_one_step_one_sequence", op, steps=1, batch=1, hidden=1,
             width=1)
    case("gru_linear_before_reset", "GRU", "bidirectional", inputs=EVERY,
         linear_before_reset=1)
    case("gru_linear_before_reset_no_bias", "GRU", inputs=(),
         linear_before_reset=1, clip=0.5)
    case("lstm_input_forget", "LSTM", inputs=EVERY, input_forget=1)
    case("lstm_only_cell", "LSTM", outputs=("Y_c",), inputs=EVERY)
    case("rnn_relu_affine", "RNN", "bidirectional",
         functions=[("Relu", 0, 0), ("Affine", 0.7, -0.2)])
    case("lstm_hard_scaled_softsign", "LSTM", inputs=EVERY,
         functions=[("HardSigmoid", 0.3, 0.4), ("ScaledTanh", 1.5, 0.5),
                    ("Softsign", 0, 0)])
    case("lstm_bidirectional_functions", "LSTM", "bidirectional",
         functions=[("Sigmoid", 0, 0), ("LeakyRelu", 0.2, 0),
                    ("Softplus", 0, 0), ("HardSigmoid", 0.25, 0.55),
                    ("Elu", 0.8, 0), ("ThresholdedRelu", 0.1, 0)])
    case("gru_softplus_elu", "GRU",
         functions=[("Sigmoid", 0, 0), ("Elu", 1.2, 0)])
