# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One small program for each operator of TOSA 1.0, with what numpy says that it
computes, by the operator's description in the specification.

CASES has them by name; `NAME-DETAIL` is a further case of operator NAME.
"""
import dataclasses
import math

import numpy as np

random = np.random.default_rng(7)


@dataclasses.dataclass
class Case:
    program: str
    inputs: list
    outputs: list


CASES = {}
ELEMENTS = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32",
            "int64": "i64", "float16": "f16", "float32": "f32"}


def type_of(array):
    sizes = "".join(f"{size}x" for size in array.shape)
    return f"tensor<{sizes}{ELEMENTS[str(array.dtype)]}>"


def constant(name, value):
    """A `tosa.const` of a numpy array."""
    value = np.asarray(value)
    kind = type_of(value)
    text = str(value.tolist()).replace("True", "true").replace("False", "false")
    return (f'  %{name} = "tosa.const"() {{values = dense<{text}> : {kind}}} '
            f': () -> {kind}\n')


def shape(name, *sizes):
    count = len(sizes)
    return (f"  %{name} = tosa.const_shape {{values = dense<{list(sizes)}> : "
            f"tensor<{count}xindex>}} : () -> !tosa.shape<{count}>\n")


def program(inputs, outputs, body):
    arguments = ", ".join(f"%x{i}: {type_of(a)}" for i, a in enumerate(inputs))
    kinds = ", ".join(type_of(a) for a in outputs)
    names = ", ".join(f"%y{i}" for i in range(len(outputs)))
    return (f"func.func @main({arguments}) -> ({kinds}) {{\n{body}"
            f"  return {names} : {kinds}\n}}\n")


def add(name, inputs, outputs, body):
    outputs = [np.ascontiguousarray(a) for a in outputs]
    CASES[name] = Case(program(inputs, outputs, body), inputs, outputs)


def apply(op, inputs, outputs, attributes="", more="", before=""):
    """The one operation, on the inputs and on values that `before` makes:
    `more` is ', %name : type' of each, as pairs."""
    names = [f"%x{i}" for i in range(len(inputs))] + [n for n, _ in more or []]
    kinds = [type_of(a) for a in inputs] + [t for _, t in more or []]
    results = ", ".join(f"%y{i}" for i in range(len(outputs)))
    given = f" {{{attributes}}}" if attributes else ""
    return (f'{before}  {results} = "tosa.{op}"({", ".join(names)}){given} : '
            f'({", ".join(kinds)}) -> '
            f'({", ".join(type_of(np.asarray(a)) for a in outputs)})\n')


def simple(name, inputs, outputs, **more):
    outputs = [np.asarray(a) for a in outputs]
    op = name.split("-")[0]
    add(name, inputs, outputs, apply(op, inputs, outputs, **more))


def floats(*sizes, low=-2.0, high=2.0):
    return random.uniform(low, high, sizes).astype(np.float32)


def integers(*sizes, low=-100, high=100, dtype=np.int32):
    return random.integers(low, high, sizes, dtype=dtype)


def booleans(*sizes):
    return random.integers(0, 2, sizes).astype(bool)


def zero(name, element):
    return constant(name, np.zeros(1, element))


def windows(image, size, stride, pad, dilation=(1, 1), fill=0):
    """Of an image (n, h, w, c): (n, oh, ow, kh, kw, c)."""
    top, bottom, left, right = pad
    padded = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)),
                    constant_values=fill)
    rows = (padded.shape[1] - (size[0] - 1) * dilation[0] - 1) // stride[0] + 1
    columns = ((padded.shape[2] - (size[1] - 1) * dilation[1] - 1)
               // stride[1] + 1)
    out = np.empty((image.shape[0], rows, columns, *size, image.shape[3]),
                   image.dtype)
    for i in range(size[0]):
        for j in range(size[1]):
            out[:, :, :, i, j] = padded[
                :, i * dilation[0]:i * dilation[0] + rows * stride[0]:stride[0],
                j * dilation[1]:j * dilation[1] + columns * stride[1]:stride[1]
            ][:, :rows, :columns]
    return out


def numbers(**lists):
    return ", ".join(f"{name} = array<i64: {', '.join(map(str, values))}>"
                     for name, values in lists.items())


ZEROS_F32 = zero("zx", np.float32) + zero("zw", np.float32)
ZERO_PAIR = [("%zx", "tensor<1xf32>"), ("%zw", "tensor<1xf32>")]


def tensor_operators():
    x = floats(3, 5, 4)
    simple("argmax", [x], [x.argmax(1).astype(np.int32)],
           attributes="axis = 1 : i32")
    image = floats(1, 7, 6, 3)
    pooled = windows(image, (3, 2), (2, 2), (0, 0, 0, 0))
    simple("avg_pool2d", [image], [pooled.mean((3, 4), dtype=np.float32)],
           attributes=numbers(kernel=(3, 2), stride=(2, 2), pad=(0, 0, 0, 0))
           + ", acc_type = f32", more=ZERO_PAIR, before=ZEROS_F32)
    pooled = windows(image, (3, 3), (1, 2), (1, 1, 1, 0), fill=-np.inf)
    simple("max_pool2d", [image], [pooled.max((3, 4))],
           attributes=numbers(kernel=(3, 3), stride=(1, 2), pad=(1, 1, 1, 0)))
    filters, bias = floats(5, 3, 2, 3), floats(5)
    seen = windows(image, (3, 2), (1, 2), (1, 1, 0, 1), (1, 2))
    simple("conv2d", [image, filters, bias],
           [np.einsum("nhwijc,oijc->nhwo", seen, filters) + bias],
           attributes=numbers(pad=(1, 1, 0, 1), stride=(1, 2), dilation=(1, 2))
           + ", acc_type = f32", more=ZERO_PAIR, before=ZEROS_F32)
    depth, bias = floats(3, 2, 3, 2), floats(6)
    seen = windows(image, (3, 2), (1, 1), (1, 1, 1, 0))
    result = np.einsum("nhwijc,ijcm->nhwcm", seen, depth)
    simple("depthwise_conv2d", [image, depth, bias],
           [result.reshape(*result.shape[:3], 6) + bias],
           attributes=numbers(pad=(1, 1, 1, 0), stride=(1, 1), dilation=(1, 1))
           + ", acc_type = f32", more=ZERO_PAIR, before=ZEROS_F32)
    volume, filters, bias = floats(1, 4, 5, 4, 2), floats(3, 2, 2, 3, 2), floats(3)
    out = np.zeros((1, 3, 4, 2, 3), np.float32) + bias
    for d, h, w in np.ndindex(2, 2, 3):
        out += np.einsum("ndhwc,oc->ndhwo",
                         volume[:, d:d + 3, h:h + 4, w:w + 2],
                         filters[:, d, h, w])
    simple("conv3d", [volume, filters, bias], [out],
           attributes=numbers(pad=(0,) * 6, stride=(1, 1, 1),
                              dilation=(1, 1, 1)) + ", acc_type = f32",
           more=ZERO_PAIR, before=ZEROS_F32)
    turned_convolution()
    a, b = floats(2, 5, 7), floats(2, 7, 3)
    simple("matmul", [a, b], [a @ b], more=ZERO_PAIR, before=ZEROS_F32)
    a = integers(1, 5, 7, dtype=np.int8)
    b = integers(1, 7, 3, dtype=np.int8)
    simple("matmul-int8", [a, b],
           [(a.astype(np.int32) - 3) @ (b.astype(np.int32) + 2)],
           before=constant("zx", np.array([3], np.int8))
           + constant("zw", np.array([-2], np.int8)),
           more=[("%zx", "tensor<1xi8>"), ("%zw", "tensor<1xi8>")])
    transforms()


def turned_convolution():
    image, filters, bias = floats(1, 4, 5, 2), floats(3, 3, 2, 2), floats(3)
    full = np.zeros((1, 3 * 2 + 3, 4 * 2 + 2, 3), np.float32)
    for y, x in np.ndindex(4, 5):
        full[:, y * 2:y * 2 + 3, x * 2:x * 2 + 2] += np.einsum(
            "nc,oijc->nijo", image[:, y, x], filters)
    out = full[:, 1:] + bias  # one row less above
    simple("transpose_conv2d", [image, filters, bias], [out],
           attributes=numbers(out_pad=(-1, 0, 0, 0), stride=(2, 2))
           + ", acc_type = f32", more=ZERO_PAIR, before=ZEROS_F32)


def transforms():
    real, imaginary = floats(2, 4, 8), floats(2, 4, 8)
    whole = np.fft.fft2(real + 1j * imaginary)
    simple("fft2d", [real, imaginary],
           [whole.real.astype(np.float32), whole.imag.astype(np.float32)],
           attributes="inverse = false")
    half = np.fft.rfft2(real)
    simple("rfft2d", [real],
           [half.real.astype(np.float32), half.imag.astype(np.float32)])


def activations():
    x = floats(3, 5)
    simple("clamp", [x], [x.clip(-0.5, 1.0)],
           attributes="min_val = -0.5 : f32, max_val = 1.0 : f32")
    n = integers(3, 5, dtype=np.int8)
    simple("clamp-int8", [n], [n.clip(-20, 30)],
           attributes="min_val = -20 : i8, max_val = 30 : i8")
    erf = np.vectorize(math.erf)
    simple("erf", [x], [erf(x.astype(np.float64)).astype(np.float32)])
    simple("sigmoid", [x],
           [(1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)])
    simple("tanh", [x], [np.tanh(x)])


def binary_operators():
    a, b = floats(3, 5), floats(3, 1)
    m, n = integers(3, 5), integers(1, 5)
    for name, function in (("add", np.add), ("sub", np.subtract),
                           ("maximum", np.maximum), ("minimum", np.minimum)):
        simple(name, [a, b], [function(a, b)])
        simple(name + "-int32", [m, n], [function(m, n)])
    simple("pow", [np.abs(a) + 0.1, b], [np.power(np.abs(a) + 0.1, b)])
    shift = constant("s", np.zeros(1, np.int8))
    given = [("%s", "tensor<1xi8>")]
    simple("mul", [a, b], [a * b], before=shift, more=given)
    simple("mul-int32", [m, n], [m * n], before=shift, more=given)
    large, scale = integers(3, 5, low=-2**30, high=2**30), integers(
        3, 5, low=-2**30, high=2**30)
    scaled = (large.astype(object) * scale + 2**29) // 2**30
    simple("mul-shift", [large, scale], [scaled.astype(np.int32)],
           before=constant("s", np.array([30], np.int8)), more=given)
    for name, function in (("bitwise_and", np.bitwise_and),
                           ("bitwise_or", np.bitwise_or),
                           ("bitwise_xor", np.bitwise_xor)):
        simple(name, [m, n], [function(m, n)])
    p, q = booleans(3, 5), booleans(3, 5)
    for name, function in (("logical_and", np.logical_and),
                           ("logical_or", np.logical_or),
                           ("logical_xor", np.logical_xor)):
        simple(name, [p, q], [function(p, q)])
    by = integers(3, 5, low=0, high=31)
    simple("arithmetic_right_shift", [m, by], [m >> by],
           attributes="round = false")
    rounded = (m >> by) + np.where(by > 0, (m >> np.maximum(by - 1, 0)) & 1, 0)
    simple("arithmetic_right_shift-round", [m, by], [rounded.astype(np.int32)],
           attributes="round = true")
    simple("logical_left_shift", [m, by], [m << by])
    simple("logical_right_shift", [m, by],
           [(m.view(np.uint32) >> by.view(np.uint32)).view(np.int32)])
    divisor = np.where(n == 0, 7, n).astype(np.int32)
    simple("intdiv", [m, divisor],
           [np.trunc(m / divisor).astype(np.int32)])
    for name, function in (("equal", np.equal), ("greater", np.greater),
                           ("greater_equal", np.greater_equal)):
        simple(name, [m, n], [function(m, n)])
        simple(name + "-float32", [a, b], [function(a, b)])
    tables()


def tables():
    table = integers(256, low=-128, high=127, dtype=np.int8)
    x = integers(3, 5, low=-128, high=127, dtype=np.int8)
    simple("table", [x, table], [table[x.astype(np.int32) + 128]])
    steps = integers(513, low=-2**15, high=2**15 - 1, dtype=np.int16)
    x = integers(3, 5, low=-2**15, high=2**15 - 1, dtype=np.int16)
    place = x.astype(np.int32) + 32768
    base = steps.astype(np.int32)[place >> 7]
    following = steps.astype(np.int32)[(place >> 7) + 1]
    simple("table-int16", [x, steps],
           [(base << 7) + (following - base) * (place & 127)])


def unary_operators():
    x = floats(3, 5)
    positive = np.abs(x) + 0.1
    m = integers(3, 5)
    simple("abs", [x], [np.abs(x)])
    simple("abs-int32", [m], [np.abs(m)])
    simple("bitwise_not", [m], [~m])
    simple("ceil", [x], [np.ceil(x)])
    simple("floor", [x], [np.floor(x)])
    leading = np.array([[32 - int(v).bit_length() if v >= 0 else 0
                         for v in row] for row in m], np.int32)
    simple("clz", [m], [leading])
    simple("cos", [x], [np.cos(x)])
    simple("sin", [x], [np.sin(x)])
    simple("exp", [x], [np.exp(x)])
    simple("log", [positive], [np.log(positive)])
    p = booleans(3, 5)
    simple("logical_not", [p], [~p])
    simple("negate", [x], [-x], before=ZEROS_F32, more=ZERO_PAIR)
    n = integers(3, 5, dtype=np.int8)
    simple("negate-int8", [n],
           [(5 - (n.astype(np.int32) - 3)).clip(-128, 127).astype(np.int8)],
           before=constant("zx", np.array([3], np.int8))
           + constant("zw", np.array([5], np.int8)),
           more=[("%zx", "tensor<1xi8>"), ("%zw", "tensor<1xi8>")])
    simple("reciprocal", [positive], [1 / positive])
    simple("rsqrt", [positive],
           [(1 / np.sqrt(positive.astype(np.float64))).astype(np.float32)])
    other = floats(3, 5)
    simple("select", [p, x, other], [np.where(p, x, other)])


def reductions():
    x, m = floats(3, 5, 4), integers(3, 5, 4)
    p = random.integers(0, 5, (3, 5, 4)).astype(bool)
    axis = "axis = 1 : i32"
    for name, function in (("reduce_max", np.max), ("reduce_min", np.min),
                           ("reduce_sum", np.sum)):
        simple(name, [x], [function(x, 1, keepdims=True)], attributes=axis)
        simple(name + "-int32", [m],
               [function(m, 1, keepdims=True).astype(np.int32)],
               attributes=axis)
    simple("reduce_product", [x], [np.prod(x, 1, keepdims=True)],
           attributes=axis)
    simple("reduce_all", [p], [p.all(1, keepdims=True)], attributes=axis)
    simple("reduce_any", [~p], [(~p).any(1, keepdims=True)], attributes=axis)


def layouts():
    x, y = floats(3, 5), floats(3, 2)
    simple("concat", [x, y], [np.concatenate([x, y], 1)],
           attributes="axis = 1 : i32")
    simple("pad", [x], [np.pad(x, ((1, 2), (0, 3)), constant_values=1.5)],
           before=shape("p", 1, 2, 0, 3)
           + constant("v", np.array([1.5], np.float32)),
           more=[("%p", "!tosa.shape<4>"), ("%v", "tensor<1xf32>")])
    simple("reshape", [x], [x.reshape(5, 3)], before=shape("s", 5, 3),
           more=[("%s", "!tosa.shape<2>")])
    simple("reverse", [x], [x[:, ::-1]], attributes="axis = 1 : i32")
    simple("slice", [x], [x[1:3, 1:4]],
           before=shape("from", 1, 1) + shape("size", 2, 3),
           more=[("%from", "!tosa.shape<2>"), ("%size", "!tosa.shape<2>")])
    simple("tile", [x], [np.tile(x, (2, 3))], before=shape("n", 2, 3),
           more=[("%n", "!tosa.shape<2>")])
    z = floats(2, 3, 4)
    simple("transpose", [z], [z.transpose(2, 0, 1)],
           attributes="perms = array<i32: 2, 0, 1>")
    simple("identity", [x], [x])
    simple("const", [x], [x + 2],
           before=constant("c", np.full((3, 5), 2, np.float32)),
           more=[("%c", "tensor<3x5xf32>")])
    body = CASES["const"].program.replace('"tosa.const"(%x0, %c)',
                                          '"tosa.add"(%x0, %c)')
    CASES["const"].program = body
    CASES["const_shape"] = CASES["reshape"]
    values, rows = floats(2, 6, 3), integers(2, 4, low=0, high=6)
    simple("gather", [values, rows],
           [np.stack([values[n][rows[n]] for n in range(2)])])
    places = np.stack([random.permutation(6)[:4] for _ in range(2)]
                      ).astype(np.int32)
    new = floats(2, 4, 3)
    result = values.copy()
    for n in range(2):
        result[n][places[n]] = new[n]
    simple("scatter", [values, places, new], [result])


def conversions():
    x = floats(3, 5, low=-50, high=50)
    simple("cast", [x], [np.rint(x).astype(np.int32)])
    m = integers(3, 5)
    simple("cast-float32", [m], [m.astype(np.float32)])
    simple("cast-int8", [m], [m.astype(np.int8)])
    simple("cast-float16", [x], [x.astype(np.float16)])
    simple("cast-bool", [m], [m != 0])
    acc = integers(3, 5, low=-2**20, high=2**20)
    scaled = (acc.astype(np.int64) * 1_342_177_280 + 2**39) >> 40
    simple("rescale", [acc], [(scaled + 4).clip(-128, 127).astype(np.int8)],
           attributes="scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, "
           "per_channel = false, input_unsigned = false, "
           "output_unsigned = false",
           before=constant("m", np.array([1_342_177_280], np.int32))
           + constant("s", np.array([40], np.int8))
           + constant("zx", np.array([0], np.int32))
           + constant("zy", np.array([4], np.int8)),
           more=[("%m", "tensor<1xi32>"), ("%s", "tensor<1xi8>"),
                 ("%zx", "tensor<1xi32>"), ("%zy", "tensor<1xi8>")])
    image = floats(1, 3, 4, 2)
    near = image[:, [0, 0, 1, 1, 2, 2]][:, :, [0, 0, 1, 1, 2, 2, 3, 3]]
    sizes = (shape("scale", 4, 2, 4, 2) + shape("from", -1, -1)
             + shape("border", 1, 1))
    given = [("%scale", "!tosa.shape<4>"), ("%from", "!tosa.shape<2>"),
             ("%border", "!tosa.shape<2>")]
    simple("resize", [image], [near], before=sizes, more=given,
           attributes="mode = #tosa.resize_mode<NEAREST_NEIGHBOR>")
    simple("resize-bilinear", [image], [halfway(image)], before=sizes,
           more=given, attributes="mode = #tosa.resize_mode<BILINEAR>")


def halfway(image):
    """Twice as large, linearly, at half pixels."""
    for axis in (1, 2):
        size = image.shape[axis]
        at = (np.arange(2 * size) + 0.5) / 2 - 0.5
        low = np.floor(at).astype(int)
        share = (at - low).astype(np.float32)
        share = share.reshape([-1 if d == axis else 1 for d in range(4)])
        first = image.take(low.clip(0, size - 1), axis)
        second = image.take((low + 1).clip(0, size - 1), axis)
        image = first * (1 - share) + second * share
    return image.astype(np.float32)


def control_flow():
    flag, a, b = np.array(True), floats(3, 5), floats(3, 5)
    body = """  %y0 = "tosa.cond_if"(%x0, %x1, %x2) ({
  ^bb0(%p: T, %q: T):
    %r = tosa.add %p, %q : (T, T) -> T
    tosa.yield %r : T
  }, {
  ^bb0(%p: T, %q: T):
    %r = tosa.sub %p, %q : (T, T) -> T
    tosa.yield %r : T
  }) : (tensor<i1>, T, T) -> T
""".replace("T", "tensor<3x5xf32>")
    add("cond_if", [flag, a, b], [a + b], body)
    add("cond_if-else", [np.array(False), a, b], [a - b], body)
    count = np.array([4], np.int32)
    body = """  %one = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %n, %y0 = "tosa.while_loop"(%x0, %x1) ({
  ^bb0(%i: tensor<1xi32>, %v: T):
    %more = tosa.greater %i, %zero : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %none = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %flag = tosa.reshape %more, %none : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
    tosa.yield %flag : tensor<i1>
  }, {
  ^bb0(%i: tensor<1xi32>, %v: T):
    %j = tosa.sub %i, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %w = tosa.add %v, %v : (T, T) -> T
    tosa.yield %j, %w : tensor<1xi32>, T
  }) : (tensor<1xi32>, T) -> (tensor<1xi32>, T)
""".replace("T", "tensor<3x5xf32>")
    add("while_loop", [count, a], [a * 16], body)


def stateful():
    x = floats(3, 5)
    body = """  "tosa.variable_write"(%x0) {name = "state"} : (tensor<3x5xf32>) -> ()
  %y0 = "tosa.variable_read"() {name = "state"} : () -> tensor<3x5xf32>
"""
    add("variable", [x], [x], body)
    variable = ('"tosa.variable"() {sym_name = "state", type = f32, '
                'var_shape = dense<[3, 5]> : tensor<2xindex>} : () -> ()\n')
    CASES["variable"].program = variable + CASES["variable"].program
    simple("custom", [x], [x], attributes='operator_name = "own", '
           'domain_name = "mine", implementation_attrs = ""')


for fill in (tensor_operators, activations, binary_operators, unary_operators,
             reductions, layouts, conversions, control_flow, stateful):
    fill()
