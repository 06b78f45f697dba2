# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models of peers.py. Each node is written and computed in f64 at once, so
what a model must give is known without any of the programs measured."""
import collections
import math

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 8
LOWEST = float(numpy.finfo(numpy.float32).min)
# A value of the graph: its name, and its numbers in f64 (or integers).
Value = collections.namedtuple("Value", "name numbers")
KINDS = {numpy.dtype(numpy.float32): TensorProto.FLOAT,
         numpy.dtype(numpy.int64): TensorProto.INT64,
         numpy.dtype(numpy.int32): TensorProto.INT32,
         numpy.dtype(numpy.uint8): TensorProto.UINT8}
_erf = numpy.frompyfunc(math.erf, 1, 1)


class Graph:
    """A model under construction; weights are seeded normal numbers. With
    `repeat` its inputs and outputs are as many times as tall as the numbers
    say, which go round: one block's results are those of all, as long as no
    node mixes rows."""

    def __init__(self, seed=0, repeat=1):
        self.random = numpy.random.default_rng(seed)
        self.repeat, self.flops = repeat, 0
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.fed, self.given, self.stores = {}, {}, []

    def whole(self, numbers):
        if self.repeat == 1:
            return numbers
        return numpy.tile(numbers, (self.repeat, *[1] * (numbers.ndim - 1)))

    def fresh(self, hint):
        return f"{hint}{len(self.nodes) + len(self.weights)}"

    def input(self, name, numbers):
        """What the caller feeds, f32 or i64."""
        kind = KINDS[numbers.dtype]
        self.inputs.append(helper.make_tensor_value_info(
            name, kind, self.whole(numbers).shape))
        self.fed[name] = self.whole(numbers)
        return Value(name, numbers if kind == TensorProto.INT64 else
                     numbers.astype(numpy.float64))

    def stored(self, numbers, hint="constant"):
        """An initialiser with these f32 or i64 numbers."""
        name = self.fresh(hint)
        self.weights.append(numpy_helper.from_array(numbers, name))
        self.stores.append((name, numbers))
        if numbers.dtype == numpy.float32:
            numbers = numbers.astype(numpy.float64)
        return Value(name, numbers)

    def weight(self, *shape, scale=1.0, shift=0.0):
        numbers = self.random.standard_normal(shape) * scale + shift
        return self.stored(numbers.astype(numpy.float32), "weight")

    def scalar(self, number):
        return self.stored(numpy.array(number, numpy.float32))

    def integers(self, *numbers):
        return self.stored(numpy.array(numbers, numpy.int64))

    def node(self, op, operands, numbers, more=(), **attributes):
        """Of one result, or of `more` after it; a missing operand is None."""
        name = self.fresh(op.lower())
        names = [name, *(f"{name}_{i + 1}" for i in range(len(more)))]
        self.nodes.append(helper.make_node(
            op, [operand.name if operand else "" for operand in operands],
            names, name=name, **attributes))
        values = [*map(Value, names, [numbers, *more])]
        return values if more else values[0]

    def output(self, value, name):
        self.nodes.append(helper.make_node("Identity", [value.name], [name],
                                           name=name))
        whole = self.whole(value.numbers)
        self.outputs.append(helper.make_tensor_value_info(
            name, TensorProto.FLOAT, whole.shape))
        self.given[name] = whole

    def save(self, path):
        graph = helper.make_graph(self.nodes, path.stem, self.inputs,
                                  self.outputs, self.weights)
        domains = {node.domain: 1 for node in self.nodes} | {"": OPSET}
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid(*domain)
                                  for domain in domains.items()])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        path.write_bytes(model.SerializeToString())
        return path

    # Nodes.

    def add(self, a, b):
        return self.node("Add", [a, b], a.numbers + b.numbers)

    def sub(self, a, b):
        return self.node("Sub", [a, b], a.numbers - b.numbers)

    def mul(self, a, b):
        return self.node("Mul", [a, b], a.numbers * b.numbers)

    def div(self, a, b):
        return self.node("Div", [a, b], a.numbers / b.numbers)

    def power(self, a, b):
        return self.node("Pow", [a, b], a.numbers ** b.numbers)

    def relu(self, x):
        return self.node("Relu", [x], numpy.maximum(x.numbers, 0))

    def tanh(self, x):
        return self.node("Tanh", [x], numpy.tanh(x.numbers))

    def erf(self, x):
        return self.node("Erf", [x], _erf(x.numbers).astype(numpy.float64))

    def matmul(self, a, b):
        product = a.numbers @ b.numbers
        self.flops += 2 * product.size * a.numbers.shape[-1]
        return self.node("MatMul", [a, b], product)

    def convolution(self, x, filters, window):
        """With a bias, on [1, channels, rows, columns]; as many pixels come
        out as go in."""
        channels, rim = x.numbers.shape[1], window // 2
        weight = self.weight(filters, channels, window, window,
                             scale=(channels * window ** 2) ** -0.5)
        bias = self.weight(filters)
        padded = numpy.pad(x.numbers, [(0, 0), (0, 0), (rim, rim), (rim, rim)])
        windows = numpy.lib.stride_tricks.sliding_window_view(
            padded, (window, window), (2, 3))
        y = numpy.tensordot(weight.numbers, windows[0], ((1, 2, 3), (0, 3, 4)))
        self.flops += 2 * y.size * weight.numbers[0].size
        return self.node("Conv", [x, weight, bias],
                         (y + bias.numbers[:, None, None])[None],
                         kernel_shape=[window, window], pads=[rim] * 4)

    def softmax(self, x):
        powers = numpy.exp(x.numbers - x.numbers.max(-1, keepdims=True))
        return self.node("Softmax", [x],
                         powers / powers.sum(-1, keepdims=True), axis=-1)

    def layer_norm(self, x, epsilon=1e-5):
        width = x.numbers.shape[-1]
        scale = self.weight(width, scale=0.1, shift=1)
        bias = self.weight(width, scale=0.1)
        centred = x.numbers - x.numbers.mean(-1, keepdims=True)
        spread = numpy.sqrt((centred ** 2).mean(-1, keepdims=True) + epsilon)
        return self.node("LayerNormalization", [x, scale, bias],
                         centred / spread * scale.numbers + bias.numbers,
                         axis=-1, epsilon=epsilon)

    def reshape(self, x, *shape):
        return self.node("Reshape", [x, self.integers(*shape)],
                         x.numbers.reshape(shape))

    def transpose(self, x, *order):
        return self.node("Transpose", [x], x.numbers.transpose(order),
                         perm=order)

    def concat(self, a, b, axis):
        return self.node("Concat", [a, b], numpy.concatenate(
            [a.numbers, b.numbers], axis), axis=axis)

    def slice(self, x, begin, end, axis):
        numbers = numpy.take(x.numbers, range(begin, end), axis)
        return self.node("Slice", [x, *map(self.integers,
                                           (begin, end, axis))], numbers)

    # Layers, as PyTorch's exporter writes them.

    def linear(self, x, width):
        depth = x.numbers.shape[-1]
        product = self.matmul(x, self.weight(depth, width,
                                             scale=1 / math.sqrt(depth)))
        return self.add(self.weight(width, scale=0.1), product)

    def gelu_erf(self, x):
        y = self.erf(self.div(x, self.scalar(math.sqrt(2))))
        y = self.mul(x, self.add(y, self.scalar(1)))
        return self.mul(y, self.scalar(0.5))

    def gelu_tanh(self, x):
        y = self.mul(self.power(x, self.scalar(3)), self.scalar(0.044715))
        y = self.mul(self.add(x, y), self.scalar(math.sqrt(2 / math.pi)))
        y = self.add(self.tanh(y), self.scalar(1))
        return self.mul(self.mul(x, self.scalar(0.5)), y)

    def split_heads(self, x, heads):
        """[1, rows, hidden] to [1, heads, rows, width]."""
        _, rows, hidden = x.numbers.shape
        x = self.reshape(x, 1, rows, heads, hidden // heads)
        return self.transpose(x, 0, 2, 1, 3)

    def merge_heads(self, x):
        _, heads, rows, width = x.numbers.shape
        return self.reshape(self.transpose(x, 0, 2, 1, 3), 1, rows,
                            heads * width)

    def additive_mask(self, mask):
        """0 where an integer mask [1, keys] is 1, else the lowest float."""
        for axis in (1, 2):
            mask = self.node("Unsqueeze", [mask, self.integers(axis)],
                             numpy.expand_dims(mask.numbers, axis))
        mask = self.node("Cast", [mask], mask.numbers.astype(numpy.float64),
                         to=TensorProto.FLOAT)
        return self.mul(self.sub(self.scalar(1), mask), self.scalar(LOWEST))

    def attend(self, query, key, value, mask=None):
        """Of [1, heads, rows, width] each."""
        width = query.numbers.shape[-1]
        scores = self.matmul(query, self.transpose(key, 0, 1, 3, 2))
        scores = self.div(scores, self.scalar(math.sqrt(width)))
        if mask:
            scores = self.add(scores, mask)
        return self.merge_heads(self.matmul(self.softmax(scores), value))


def normal(*shape, seed=1):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(
        numpy.float32)


def bert_layer(rows=128, hidden=768, heads=12, inner=3072):
    """One encoder layer on hidden states, some keys masked."""
    graph = Graph()
    x = graph.input("x", normal(1, rows, hidden))
    mask = numpy.ones((1, rows), numpy.int64)
    mask[0, rows - rows // 8:] = 0
    mask = graph.additive_mask(graph.input("mask", mask))
    query, key, value = (graph.split_heads(graph.linear(x, hidden), heads)
                         for _ in range(3))
    y = graph.linear(graph.attend(query, key, value, mask), hidden)
    x = graph.layer_norm(graph.add(y, x))
    y = graph.linear(graph.gelu_erf(graph.linear(x, inner)), hidden)
    graph.output(graph.layer_norm(graph.add(y, x)), "y")
    return graph


def gpt2_step(past=127, hidden=768, heads=12):
    """One decoder layer on one new token, with what it keeps for the next."""
    graph = Graph()
    x = graph.input("x", normal(1, 1, hidden))
    keys, values = (graph.input(name, normal(1, heads, past, hidden // heads,
                                             seed=seed))
                    for seed, name in ((2, "keys"), (3, "values")))
    joined = graph.linear(graph.layer_norm(x), 3 * hidden)
    query, key, value = (
        graph.split_heads(graph.slice(joined, i * hidden, (i + 1) * hidden, 2),
                          heads) for i in range(3))
    keys, values = graph.concat(keys, key, 2), graph.concat(values, value, 2)
    y = graph.linear(graph.attend(query, keys, values), hidden)
    x = graph.add(y, x)
    y = graph.linear(graph.gelu_tanh(graph.linear(graph.layer_norm(x),
                                                  4 * hidden)), hidden)
    graph.output(graph.add(y, x), "y")
    graph.output(keys, "new_keys")
    graph.output(values, "new_values")
    return graph


def rms_norm(graph, x, epsilon=1e-5):
    scale = graph.weight(x.numbers.shape[-1], scale=0.1, shift=1)
    mean = graph.node("ReduceMean", [graph.mul(x, x)],
                      (x.numbers ** 2).mean(-1, keepdims=True), axes=[-1])
    mean = graph.add(mean, graph.scalar(epsilon))
    root = graph.node("Sqrt", [mean], numpy.sqrt(mean.numbers))
    return graph.mul(scale, graph.div(x, root))


def linear_of_bits(graph, x, width, bits=4, block=32):
    """Weights of a few bits, as ONNX Runtime's quantiser stores them."""
    depth = x.numbers.shape[-1]
    integers = graph.random.integers(0, 1 << bits, (width, depth), numpy.uint8)
    scales = graph.random.uniform(0.5, 1.5, (width, depth // block)) / (
        4 * math.sqrt(depth))
    scales = scales.astype(numpy.float32)
    weights = (integers.astype(numpy.float32) - (1 << (bits - 1))).reshape(
        width, -1, block) * scales[..., None]
    places = integers.reshape(width, depth // block, -1, 8 // bits)
    packed = numpy.zeros(places.shape[:-1], numpy.uint8)
    for place in range(8 // bits):
        packed |= places[..., place] << (bits * place)
    graph.flops += 2 * weights.size
    return graph.node(
        "MatMulNBits", [x, graph.stored(packed), graph.stored(scales)],
        x.numbers @ weights.reshape(width, depth).T.astype(numpy.float64),
        domain="com.microsoft", K=depth, N=width, bits=bits, block_size=block)


def turned(x, cosines, sines):
    """The halves of heads [heads, 1, width], turned by one position's angles."""
    a, b = numpy.split(x, 2, -1)
    return numpy.concatenate([a * cosines - b * sines,
                              a * sines + b * cosines], -1)


def grouped_attention(graph, query, key, value, past, heads, shared):
    """One token; `past`: keys and values [1, shared, tokens, width]."""
    tokens, width = past[0].numbers.shape[2:]
    angles = numpy.outer(numpy.arange(tokens + 1),
                         10000.0 ** (-numpy.arange(0, width, 2) / width))
    caches = [graph.stored(numpy.float32(part))
              for part in (numpy.cos(angles), numpy.sin(angles))]
    now = [cache.numbers[tokens] for cache in caches]
    split = (x.numbers.reshape(-1, 1, width) for x in (query, key, value))
    q, k, v = split
    q, k = turned(q, *now), turned(k, *now)
    keys, values = (numpy.concatenate([old.numbers, new[None]], 2)
                    for old, new in zip(past, (k, v)))
    each = heads // shared
    scores = q.reshape(shared, each, width) @ keys[0].transpose(0, 2, 1)
    powers = numpy.exp((scores - scores.max(-1, keepdims=True))
                       / math.sqrt(width))
    result = powers / powers.sum(-1, keepdims=True) @ values[0]
    held = [graph.stored(numpy.array(number, numpy.int32))
            for number in ([tokens], tokens + 1)]
    graph.flops += 4 * heads * (tokens + 1) * width
    return graph.node("GroupQueryAttention",
                      [query, key, value, *past, *held, *caches],
                      result.reshape(1, 1, -1), [keys, values],
                      domain="com.microsoft", num_heads=heads,
                      kv_num_heads=shared, do_rotary=1)


def decoder_step(past=1023, hidden=2048, heads=32, shared=4, inner=5632,
                 layers=2):
    """Decoder layers on one new token, with weights of 4 bits, of the sizes of
    TinyLlama (Zhang et al., 2024)."""
    graph = Graph()
    x = graph.input("x", normal(1, 1, hidden))
    width = hidden // heads
    for layer in range(layers):
        held = [graph.input(f"{name}{layer}", normal(1, shared, past, width,
                                                     seed=2 * layer + seed))
                for seed, name in ((2, "keys"), (3, "values"))]
        y = rms_norm(graph, x)
        query, key, value = (linear_of_bits(graph, y, count * width)
                             for count in (heads, shared, shared))
        y, *new = grouped_attention(graph, query, key, value, held, heads,
                                    shared)
        x = graph.add(x, linear_of_bits(graph, y, hidden))
        y = rms_norm(graph, x)
        gate, up = (linear_of_bits(graph, y, inner) for _ in range(2))
        gate = graph.mul(gate, graph.node(
            "Sigmoid", [gate], 1 / (1 + numpy.exp(-gate.numbers))))
        x = graph.add(x, linear_of_bits(graph, graph.mul(gate, up), hidden))
        for name, value in zip(("new_keys", "new_values"), new):
            graph.output(value, f"{name}{layer}")
    graph.output(x, "y")
    return graph


def mlp(rows=256, width=1024, layers=3):
    graph = Graph()
    x = graph.input("x", normal(rows, width))
    for _ in range(layers):
        x = graph.relu(graph.linear(x, width))
    graph.output(x, "y")
    return graph


def convolution(window, channels, filters, size):
    """One of a net's, with its activation; between layers the channels are
    innermost."""
    graph = Graph()
    x = graph.transpose(graph.input("x", normal(1, size, size, channels)),
                        0, 3, 1, 2)
    y = graph.relu(graph.convolution(x, filters, window))
    graph.output(graph.transpose(y, 0, 2, 3, 1), "y")
    return graph


def large(layer):
    """The layer on 65536 x 1024 numbers."""
    graph = Graph(repeat=128)
    graph.output(layer(graph, graph.input("x", normal(512, 1024))), "y")
    return graph


def chain(graph, x):
    """relu(x a + b) x - c, with a number per column."""
    a, b, c = (graph.weight(x.numbers.shape[-1]) for _ in range(3))
    y = graph.relu(graph.add(graph.mul(x, a), b))
    return graph.sub(graph.mul(y, x), c)
