#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small .mlir payloads that exercise the schedules on awkward input.

    schedule-payloads.py DIR            # one file per payload
    schedule-payloads.py --list

Every payload is a function @main on tensors, in the forms an importer emits:
elementwise ops of every type, shape ops, reductions, pooling, contractions of
odd and dynamic sizes, convolutions of every kind.
"""
import os
import sys

from attention_payloads import attention_payloads
from row_payloads import row_payloads

PAYLOADS = {}


def tensor(shape, dtype):
    return "tensor<%s%s>" % ("".join("%sx" % d for d in shape), dtype)


def main(args, result, body):
    """@main with arguments a0, a1, ... of the given tensor types."""
    signature = ", ".join("%%a%d: %s" % (i, t) for i, t in enumerate(args))
    return (
        "func.func @main(%s) -> %s attributes {llvm.emit_c_interface} {\n%s\n"
        "  return %%r : %s\n}\n" % (signature, result, body, result)
    )


def elementwise(dtype, lines, inputs=1, result=None, shape=(3, 7)):
    """A linalg.generic over `shape`: %x, %y in, %v out."""
    result = result or dtype
    rank = len(shape)
    ids = ", ".join("d%d" % i for i in range(rank))
    one_map = "affine_map<(%s) -> (%s)>" % (ids, ids)
    t, r = tensor(shape, dtype), tensor(shape, result)
    ins = ", ".join("%%a%d" % i for i in range(inputs))
    types = ", ".join([t] * inputs)
    names = ["%x", "%y", "%w"][:inputs]
    block = ", ".join("%s: %s" % (n, dtype) for n in names)
    body = """  %%e = tensor.empty() : %s
  %%r = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}
      ins(%s : %s) outs(%%e : %s) {
  ^bb0(%s, %%o: %s):
    %s
    linalg.yield %%v : %s
  } -> %s""" % (
        r,
        ", ".join([one_map] * (inputs + 1)),
        ", ".join(['"parallel"'] * rank),
        ins, types, r, block, result, "\n    ".join(lines), result, r,
    )
    return main([t] * inputs, r, body)


def add_elementwise():
    unary = (
        "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp "
        "exp2 expm1 floor log log10 log1p log2 round roundeven rsqrt sin sinh "
        "sqrt tan tanh trunc"
    ).split()
    for dtype in ("f16", "bf16", "f32", "f64"):
        for op in unary:
            PAYLOADS["math-%s-%s" % (op, dtype)] = elementwise(
                dtype, ["%%v = math.%s %%x : %s" % (op, dtype)])
        for op in ("atan2", "copysign", "powf"):
            PAYLOADS["math-%s-%s" % (op, dtype)] = elementwise(
                dtype, ["%%v = math.%s %%x, %%y : %s" % (op, dtype)], 2)
        for op in ("addf subf mulf divf remf maximumf minimumf maxnumf "
                   "minnumf").split():
            PAYLOADS["arith-%s-%s" % (op, dtype)] = elementwise(
                dtype, ["%%v = arith.%s %%x, %%y : %s" % (op, dtype)], 2)
        for other in ("f16", "bf16", "f32", "f64"):
            bits = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
            if bits[other] > bits[dtype]:
                PAYLOADS["extf-%s-%s" % (dtype, other)] = elementwise(
                    dtype, ["%%v = arith.extf %%x : %s to %s" % (dtype, other)],
                    result=other)
                PAYLOADS["truncf-%s-%s" % (other, dtype)] = elementwise(
                    other, ["%%v = arith.truncf %%x : %s to %s" % (other, dtype)],
                    result=dtype)
        for op, integer in (("fptosi", "i8"), ("fptoui", "i8"),
                            ("fptosi", "i64"), ("fptoui", "i64")):
            PAYLOADS["%s-%s-%s" % (op, dtype, integer)] = elementwise(
                dtype, ["%%v = arith.%s %%x : %s to %s" % (op, dtype, integer)],
                result=integer)
        for op, integer in (("sitofp", "i8"), ("uitofp", "i8"),
                            ("sitofp", "i64"), ("uitofp", "i64")):
            PAYLOADS["%s-%s-%s" % (op, integer, dtype)] = elementwise(
                integer, ["%%v = arith.%s %%x : %s to %s" % (op, integer, dtype)],
                result=dtype)
        PAYLOADS["compare-%s" % dtype] = elementwise(
            dtype, ["%%c = arith.cmpf ult, %%x, %%y : %s" % dtype,
                    "%v = arith.extui %c : i1 to i8"], 2, "i8")
    for dtype in ("i8", "i16", "i32", "i64"):
        for op in ("addi subi muli divsi divui remsi remui andi ori xori shli "
                   "shrsi shrui maxsi maxui minsi minui ceildivsi ceildivui "
                   "floordivsi").split():
            PAYLOADS["arith-%s-%s" % (op, dtype)] = elementwise(
                dtype, ["%%v = arith.%s %%x, %%y : %s" % (op, dtype)], 2)
        PAYLOADS["math-absi-%s" % dtype] = elementwise(
            dtype, ["%%v = math.absi %%x : %s" % dtype])
        PAYLOADS["math-ctpop-%s" % dtype] = elementwise(
            dtype, ["%%v = math.ctpop %%x : %s" % dtype])
        PAYLOADS["math-ctlz-%s" % dtype] = elementwise(
            dtype, ["%%v = math.ctlz %%x : %s" % dtype])
        PAYLOADS["math-ipowi-%s" % dtype] = elementwise(
            dtype, ["%%v = math.ipowi %%x, %%y : %s" % dtype], 2)
    PAYLOADS["math-fma-f32"] = elementwise(
        "f32", ["%v = math.fma %x, %y, %w : f32"], 3)
    PAYLOADS["math-fpowi-f32"] = elementwise(
        "f32", ["%i = arith.fptosi %y : f32 to i32",
                "%v = math.fpowi %x, %i : f32, i32"], 2)
    PAYLOADS["scalar-f32"] = elementwise(
        "f32", ["%v = arith.addf %x, %y : f32"], 2, shape=())
    PAYLOADS["empty-f32"] = elementwise(
        "f32", ["%v = arith.addf %x, %y : f32"], 2, shape=(0, 3))
    PAYLOADS["dynamic-f32"] = main(
        ["tensor<?x?xf32>"], "tensor<?x?xf32>", """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a0, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a0, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.map { math.tanh } ins(%a0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)""")


def add_shapes():
    t = tensor
    PAYLOADS["identity"] = main(["tensor<3x4xf32>"], "tensor<3x4xf32>",
                                "  %r = tensor.cast %a0 : tensor<3x4xf32> to tensor<3x4xf32>")
    PAYLOADS["constant"] = main(
        ["tensor<2xf32>"], "tensor<2x2xf32>",
        "  %r = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>")
    PAYLOADS["pad"] = main(
        ["tensor<2x3xf32>"], "tensor<5x6xf32>", """  %z = arith.constant 1.5 : f32
  %r = tensor.pad %a0 low[1, 2] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<2x3xf32> to tensor<5x6xf32>""")
    PAYLOADS["concat"] = main(
        ["tensor<2x3xf32>", "tensor<2x4xf32>"], "tensor<2x7xf32>",
        "  %r = tensor.concat dim(1) %a0, %a1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>")
    PAYLOADS["concat-dynamic"] = main(
        ["tensor<?x3xf32>", "tensor<?x3xf32>"], "tensor<?x3xf32>",
        "  %r = tensor.concat dim(0) %a0, %a1 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>")
    PAYLOADS["collapse-expand"] = main(
        ["tensor<2x3x4xf32>"], "tensor<4x6xf32>", """  %c = tensor.collapse_shape %a0 [[0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
  %r = tensor.expand_shape %c [[0, 1]] output_shape [4, 6] : tensor<24xf32> into tensor<4x6xf32>""")
    PAYLOADS["reshape-dynamic"] = main(
        ["tensor<?x4xf32>", "tensor<2xindex>"], "tensor<?x?xf32>",
        "  %r = tensor.reshape %a0(%a1) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>")
    PAYLOADS["slice"] = main(
        ["tensor<8x9xf32>"], "tensor<3x4xf32>",
        "  %r = tensor.extract_slice %a0[1, 1] [3, 4] [2, 2] : tensor<8x9xf32> to tensor<3x4xf32>")
    PAYLOADS["insert-slice"] = main(
        ["tensor<8x9xf32>", "tensor<3x4xf32>"], "tensor<8x9xf32>",
        "  %r = tensor.insert_slice %a1 into %a0[1, 1] [3, 4] [2, 2] : tensor<3x4xf32> into tensor<8x9xf32>")
    PAYLOADS["transpose"] = main(
        ["tensor<2x3x4xi64>"], "tensor<4x2x3xi64>", """  %e = tensor.empty() : tensor<4x2x3xi64>
  %r = linalg.transpose ins(%a0 : tensor<2x3x4xi64>) outs(%e : tensor<4x2x3xi64>) permutation = [2, 0, 1]""")
    PAYLOADS["generate"] = main(
        ["tensor<?xf32>"], "tensor<?xf32>", """  %c0 = arith.constant 0 : index
  %n = tensor.dim %a0, %c0 : tensor<?xf32>
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    tensor.yield %f : f32
  } : tensor<?xf32>""")
    PAYLOADS["gather"] = main(
        ["tensor<5x4xf32>", "tensor<3xi64>"], "tensor<3x4xf32>", """  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a1 : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%k: i64, %o: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %k : i64 to index
    %v = tensor.extract %a0[%i, %j] : tensor<5x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>""")
    PAYLOADS["loop"] = main(
        ["tensor<4xf32>"], "tensor<4xf32>", """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %a0) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %u = linalg.map { arith.addf } ins(%t, %a0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    scf.yield %u : tensor<4xf32>
  }""")
    PAYLOADS["loop-grow"] = main(
        ["tensor<?xf32>"], "tensor<?xf32>", """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %a0) -> tensor<?xf32> {
    %u = tensor.concat dim(0) %t, %a0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }""")
    PAYLOADS["if"] = main(
        ["tensor<1xi8>", "tensor<4xf32>", "tensor<4xf32>"], "tensor<4xf32>", """  %c0 = arith.constant 0 : index
  %b = tensor.extract %a0[%c0] : tensor<1xi8>
  %z = arith.constant 0 : i8
  %p = arith.cmpi ne, %b, %z : i8
  %r = scf.if %p -> tensor<4xf32> {
    scf.yield %a1 : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %u = linalg.map { arith.mulf } ins(%a1, %a2 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    scf.yield %u : tensor<4xf32>
  }""")
    for dtype, op in (("f32", "maximumf"), ("f16", "addf"), ("i64", "maxsi"), ("bf16", "addf")):
        zero = "0.0" if "f" in dtype else "0"
        PAYLOADS["reduce-%s-%s" % (op, dtype)] = main(
            [t((3, 5), dtype)], t((3,), dtype), """  %%z = arith.constant %s : %s
  %%e = tensor.empty() : %s
  %%f = linalg.fill ins(%%z : %s) outs(%%e : %s) -> %s
  %%r = linalg.reduce { arith.%s } ins(%%a0 : %s) outs(%%f : %s) dimensions = [1]"""
            % (zero, dtype, t((3,), dtype), dtype, t((3,), dtype), t((3,), dtype),
               op, t((3, 5), dtype), t((3,), dtype)))
    for kind in ("max", "sum"):
        PAYLOADS["pool-%s" % kind] = main(
            ["tensor<1x3x8x8xf32>"], "tensor<1x3x4x4xf32>", """  %%z = arith.constant 0.0 : f32
  %%e = tensor.empty() : tensor<1x3x4x4xf32>
  %%f = linalg.fill ins(%%z : f32) outs(%%e : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %%k = tensor.empty() : tensor<2x2xf32>
  %%r = linalg.pooling_nchw_%s {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%%a0, %%k : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%%f : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>"""
            % kind)


def zeros(name, shape, dtype, dims=()):
    """Lines that define %name as a zero-filled tensor; `dims` are SSA values."""
    t = tensor(shape, dtype)
    zero = "0.0" if dtype.startswith(("f", "b")) else "0"
    return """  %%%s.z = arith.constant %s : %s
  %%%s.e = tensor.empty(%s) : %s
  %%%s = linalg.fill ins(%%%s.z : %s) outs(%%%s.e : %s) -> %s""" % (
        name, zero, dtype, name, ", ".join(dims), t, name, name, dtype, name, t, t)


def dim_lines(value, type_, index, name):
    return """  %%%s.i = arith.constant %d : index
  %%%s = tensor.dim %s, %%%s.i : %s""" % (name, index, name, value, name, type_)


def matmul(m, n, k, dtype="f32", dynamic="", transposed="", bias=False, relu=False,
           result_type=None, unsigned=False):
    """A matmul; `dynamic` and `transposed` name dims and operands ("mk", "ab")."""
    sm, sn, sk = ("?" if d in dynamic else v for d, v in (("m", m), ("n", n), ("k", k)))
    ta = tensor((sk, sm) if "a" in transposed else (sm, sk), dtype)
    tb = tensor((sn, sk) if "b" in transposed else (sk, sn), dtype)
    tc = tensor((sm, sn), result_type or dtype)
    lines, dims = [], []
    if sm == "?":
        lines.append(dim_lines("%a0", ta, 1 if "a" in transposed else 0, "m"))
        dims.append("%m")
    if sn == "?":
        lines.append(dim_lines("%a1", tb, 0 if "b" in transposed else 1, "n"))
        dims.append("%n")
    args = [ta, tb]
    if bias:
        args.append(tensor((sn,), dtype))
        lines.append("""  %%f.e = tensor.empty(%s) : %s
  %%f = linalg.broadcast ins(%%a2 : %s) outs(%%f.e : %s) dimensions = [0]"""
                     % (", ".join(dims), tc, args[2], tc))
    else:
        lines.append(zeros("f", (sm, sn), result_type or dtype, dims))
    maps = ""
    if transposed:
        maps = " indexing_maps = [affine_map<(m, n, k) -> (%s)>, affine_map<(m, n, k) -> (%s)>, affine_map<(m, n, k) -> (m, n)>]" % (
            "k, m" if "a" in transposed else "m, k", "n, k" if "b" in transposed else "k, n")
    if unsigned:
        maps += " {cast = #linalg.type_fn<cast_unsigned>}"
    result = "%c" if relu else "%r"
    lines.append("  %s = linalg.matmul%s ins(%%a0, %%a1 : %s, %s) outs(%%f : %s) -> %s"
                 % (result, maps, ta, tb, tc, tc))
    if relu:
        lines.append("""  %%e = tensor.empty(%s) : %s
  %%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%%c : %s) outs(%%e : %s) {
  ^bb0(%%x: f32, %%o: f32):
    %%zero = arith.constant 0.0 : f32
    %%v = arith.maximumf %%x, %%zero : f32
    linalg.yield %%v : f32
  } -> %s""" % (", ".join(dims), tc, tc, tc, tc))
    return main(args, tc, "\n".join(lines))


def batch_matmul(b, m, n, k):
    ta, tb, tc = (tensor(s, "f32") for s in ((b, m, k), (b, k, n), (b, m, n)))
    lines, dims = [], []
    if b == "?":
        lines.append(dim_lines("%a0", ta, 0, "b"))
        dims = ["%b"]
    lines.append(zeros("f", (b, m, n), "f32", dims))
    lines.append("  %%r = linalg.batch_matmul ins(%%a0, %%a1 : %s, %s) outs(%%f : %s) -> %s"
                 % (ta, tb, tc, tc))
    return main([ta, tb], tc, "\n".join(lines))


def product_over(loops, maps, left, right, result, dtype="f32", plus="addf", times="mulf"):
    """A linalg.generic of products, summed up over the last loop."""
    a, b, c = (tensor(shape, dtype) for shape in (left, right, result))
    parallel = '"parallel", ' * loops.count(",")
    return main([a, b], c, zeros("f", result, dtype) + f"""
  %r = linalg.generic {{indexing_maps = [{", ".join(
      f"affine_map<({loops}) -> ({each})>" for each in maps)}], iterator_types = [{parallel}"reduction"]}}
      ins(%a0, %a1 : {a}, {b}) outs(%f : {c}) {{
  ^bb0(%x: {dtype}, %y: {dtype}, %o: {dtype}):
    %p = arith.{times} %x, %y : {dtype}
    %v = arith.{plus} %o, %p : {dtype}
    linalg.yield %v : {dtype}
  }} -> {c}""")


def contract_generic(m, n, k, *words, **named):
    return product_over("m, n, k", ("m, k", "k, n", "m, n"), (m, k), (k, n), (m, n), *words, **named)


def conv(n, c, h, w, f, kh, kw, stride=1, dilation=1, pad=0, bias=True, relu=False,
         fixed_batch=None):
    """conv_2d_nchw_fchw with optional padding, bias as broadcast init, relu."""
    oh = (h + 2 * pad - dilation * (kh - 1) - 1) // stride + 1
    ow = (w + 2 * pad - dilation * (kw - 1) - 1) // stride + 1
    tx, tw = tensor((n, c, h, w), "f32"), tensor((f, c, kh, kw), "f32")
    ty = tensor((n, f, oh, ow), "f32")
    lines, dims = [], []
    if n == "?":
        lines.append(dim_lines("%a0", tx, 0, "n"))
        dims = ["%n"]
    x, txp = "%a0", tx
    if pad:
        txp = tensor((n, c, h + 2 * pad, w + 2 * pad), "f32")
        lines.append("""  %%pz = arith.constant 0.0 : f32
  %%p = tensor.pad %%a0 low[0, 0, %d, %d] high[0, 0, %d, %d] {
  ^bb0(%%i: index, %%j: index, %%k: index, %%l: index):
    tensor.yield %%pz : f32
  } : %s to %s""" % (pad, pad, pad, pad, tx, txp))
        x = "%p"
    args = [tx, tw]
    if bias:
        args.append(tensor((f,), "f32"))
        lines.append("""  %%f.e = tensor.empty(%s) : %s
  %%f = linalg.broadcast ins(%%a2 : %s) outs(%%f.e : %s) dimensions = [0, 2, 3]"""
                     % (", ".join(dims), ty, args[2], ty))
    else:
        lines.append(zeros("f", (n, f, oh, ow), "f32", dims))
    result = "%c" if relu else "%r"
    lines.append("""  %s = linalg.conv_2d_nchw_fchw {dilations = dense<%d> : tensor<2xi64>, strides = dense<%d> : tensor<2xi64>}
      ins(%s, %%a1 : %s, %s) outs(%%f : %s) -> %s""" % (result, dilation, stride, x, txp, tw, ty, ty))
    if relu:
        ids = "a, b, c, d"
        lines.append("""  %%e = tensor.empty(%s) : %s
  %%r = linalg.generic {indexing_maps = [affine_map<(%s) -> (%s)>, affine_map<(%s) -> (%s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%%c : %s) outs(%%e : %s) {
  ^bb0(%%x: f32, %%o: f32):
    %%zero = arith.constant 0.0 : f32
    %%v = arith.maximumf %%x, %%zero : f32
    linalg.yield %%v : f32
  } -> %s""" % (", ".join(dims), ty, ids, ids, ids, ids, ty, ty, ty))
    return main(args, ty, "\n".join(lines))


def depthwise(n, c, h, w, k, stride=1):
    oh, ow = (h - k) // stride + 1, (w - k) // stride + 1
    tx, tw, ty = tensor((n, c, h, w), "f32"), tensor((c, k, k), "f32"), tensor((n, c, oh, ow), "f32")
    return main([tx, tw], ty, zeros("f", (n, c, oh, ow), "f32") + """
  %%r = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<%d> : tensor<2xi64>}
      ins(%%a0, %%a1 : %s, %s) outs(%%f : %s) -> %s""" % (stride, tx, tw, ty, ty))


def grouped(n, g, c, h, w, f, k):
    """conv_2d_ngchw_gfchw with c and f per group."""
    oh, ow = h - k + 1, w - k + 1
    tx, tw = tensor((n, g, c, h, w), "f32"), tensor((g, f, c, k, k), "f32")
    ty = tensor((n, g, f, oh, ow), "f32")
    return main([tx, tw], ty, zeros("f", (n, g, f, oh, ow), "f32") + """
  %%r = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%%a0, %%a1 : %s, %s) outs(%%f : %s) -> %s""" % (tx, tw, ty, ty))


def add_chains():
    """Contractions that meet: through an init, a loop, or a shared operand."""
    t = "tensor<20x40xf32>"
    a, b = "tensor<20x30xf32>", "tensor<30x40xf32>"
    dot = "linalg.matmul ins(%%%s, %%%s : %s, %s) outs(%%%s : %s) -> %s"
    PAYLOADS["chain-init"] = main(
        [a, b, a, b], t, zeros("f", (20, 40), "f32") + """
  %p = """ + dot % ("a0", "a1", a, b, "f", t, t) + """
  %r = """ + dot % ("a2", "a3", a, b, "p", t, t))
    PAYLOADS["chain-init-whole-tiles"] = main(
        ["tensor<64x64xf32>"] * 4, "tensor<64x64xf32>",
        zeros("f", (64, 64), "f32") + """
  %p = """ + dot % (("a0", "a1") + ("tensor<64x64xf32>",) * 2 + ("f",) + ("tensor<64x64xf32>",) * 2) + """
  %r = """ + dot % (("a2", "a3") + ("tensor<64x64xf32>",) * 2 + ("p",) + ("tensor<64x64xf32>",) * 2))
    PAYLOADS["chain-init-elementwise"] = main(
        [a, b, a, b], t, zeros("f", (20, 40), "f32") + """
  %p = """ + dot % ("a0", "a1", a, b, "f", t, t) + """
  %e = tensor.empty() : """ + t + """
  %q = linalg.map { math.absf } ins(%p : """ + t + ") outs(%e : " + t + """)
  %r = """ + dot % ("a2", "a3", a, b, "q", t, t))
    PAYLOADS["chain-init-argument"] = main(
        [a, b, t], t, "  %r = " + dot % ("a0", "a1", a, b, "a2", t, t))
    PAYLOADS["chain-two-uses"] = main(
        [a, b], t, zeros("f", (20, 40), "f32") + """
  %p = """ + dot % ("a0", "a1", a, b, "f", t, t) + """
  %e = tensor.empty() : """ + t + """
  %q = linalg.map { math.absf } ins(%p : """ + t + ") outs(%e : " + t + """)
  %r = linalg.map { arith.addf } ins(%p, %q : """ + t + ", " + t + ") outs(%e : " + t + ")")
    s = "tensor<40x40xf32>"
    PAYLOADS["chain-power"] = main(
        [s], s, zeros("f", (40, 40), "f32") + """
  %p = """ + dot % ("a0", "a0", s, s, "f", s, s) + """
  %r = """ + dot % ("p", "p", s, s, "f", s, s))
    PAYLOADS["chain-loop"] = main(
        [s, s], s, zeros("f", (40, 40), "f32") + """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a0) -> tensor<40x40xf32> {
    %y = """ + dot % ("x", "a1", s, s, "f", s, s) + """
    scf.yield %y : tensor<40x40xf32>
  }""")
    h, g = "tensor<20x30xf16>", "tensor<30x40xf16>"
    PAYLOADS["mixed-matmul"] = main(
        [h, g], t, zeros("f", (20, 40), "f32") + "\n  %r = "
        + dot % ("a0", "a1", h, g, "f", t, t))
    PAYLOADS["mixed-generic"] = main(
        [h, g], t, zeros("f", (20, 40), "f32") + """
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a0, %a1 : tensor<20x30xf16>, tensor<30x40xf16>) outs(%f : tensor<20x40xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %w : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<20x40xf32>""")
    PAYLOADS["broadcast-batch"] = product_over(
        "b, m, n, k", ("b, m, k", "0, k, n", "b, m, n"),
        (3, 20, 30), (1, 30, 40), (3, 20, 40))
    PAYLOADS["shared-matrix"] = product_over(
        "b, m, n, k", ("b, m, k", "k, n", "b, m, n"),
        (3, 20, 30), (30, 40), (3, 20, 40))
    PAYLOADS["vector-batch"] = main(
        ["tensor<3x20x30xf32>", "tensor<3x30xf32>"], "tensor<3x20xf32>",
        zeros("f", (3, 20), "f32") + """
  %r = linalg.batch_matvec ins(%a0, %a1 : tensor<3x20x30xf32>, tensor<3x30xf32>) outs(%f : tensor<3x20xf32>) -> tensor<3x20xf32>""")
    PAYLOADS["two-batches"] = product_over(
        "a, b, m, n, k", ("a, b, m, k", "a, b, k, n", "a, b, m, n"),
        (2, 3, 20, 30), (2, 3, 30, 40), (2, 3, 20, 40))


def add_contractions():
    for m, n, k in ((64, 64, 64), (127, 513, 259), (1, 1000, 64), (17, 1, 33), (5, 33, 1),
                    (1, 1, 1), (3, 5, 7), (128, 96, 200), (1, 17, 9), (4, 64, 8), (65, 65, 65), (0, 64, 8),
                    (8, 64, 0), (7, 100, 3000)):
        PAYLOADS["matmul-%dx%dx%d" % (m, n, k)] = matmul(m, n, k)
    for which in ("a", "b", "ab"):
        PAYLOADS["matmul-transposed-%s" % which] = matmul(33, 70, 45, transposed=which)
    for which in ("m", "n", "k", "mn", "mnk"):
        PAYLOADS["matmul-dynamic-%s" % which] = matmul(33, 70, 45, dynamic=which)
    PAYLOADS["matmul-dynamic-m-transposed-b"] = matmul(33, 70, 45, dynamic="m", transposed="b")
    PAYLOADS["matmul-bias"] = matmul(33, 70, 45, bias=True)
    PAYLOADS["matmul-bias-relu"] = matmul(64, 128, 96, bias=True, relu=True)
    PAYLOADS["matmul-bias-dynamic"] = matmul(33, 70, 45, dynamic="m", bias=True, relu=True)
    for dtype, wide in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32")):
        for m, n, k in ((33, 70, 45), (1, 100, 64), (12, 32, 3), (7, 17, 1),
                        (25, 64, 130), (64, 96, 256)):
            PAYLOADS["mixed-%s-%dx%dx%d" % (dtype, m, n, k)] = matmul(
                m, n, k, dtype, result_type=wide)
        for which in ("m", "n", "k", "mnk"):
            PAYLOADS["mixed-%s-dynamic-%s" % (dtype, which)] = matmul(
                33, 70, 45, dtype, dynamic=which, result_type=wide)
        for which in ("a", "b", "ab"):
            PAYLOADS["mixed-%s-transposed-%s" % (dtype, which)] = matmul(
                33, 70, 45, dtype, transposed=which, result_type=wide)
    PAYLOADS["mixed-unsigned"] = matmul(33, 70, 45, "i8", result_type="i32",
                                        unsigned=True)
    for dtype in ("f64", "f16", "i32", "i8"):
        PAYLOADS["matmul-%s" % dtype] = matmul(33, 70, 45, dtype=dtype)
    # Small enough to be vectorized whole.
    for which in ("", "a", "b", "ab"):
        PAYLOADS["matmul-small-%s" % (which or "plain")] = matmul(
            5, 3, 16, transposed=which, bias=which == "b")
    PAYLOADS["matmul-small-relu"] = matmul(16, 7, 1, bias=True, relu=True)
    PAYLOADS["matmul-small-f64"] = matmul(4, 12, 9, dtype="f64")
    PAYLOADS["batch-matmul-small"] = batch_matmul(3, 4, 5, 6)
    PAYLOADS["batch-matmul"] = batch_matmul(3, 20, 70, 33)
    PAYLOADS["batch-matmul-dynamic"] = batch_matmul("?", 20, 70, 33)
    PAYLOADS["generic-contraction"] = contract_generic(33, 70, 45)
    PAYLOADS["generic-min-plus"] = contract_generic(33, 70, 45, plus="minimumf", times="addf")
    PAYLOADS["generic-i64"] = contract_generic(33, 70, 45, "i64", "addi", "muli")
    PAYLOADS["conv-3x3"] = conv(1, 8, 14, 14, 16, 3, 3, pad=1)
    PAYLOADS["conv-3x3-relu"] = conv(2, 16, 12, 12, 32, 3, 3, pad=1, relu=True)
    PAYLOADS["conv-3x3-odd"] = conv(1, 3, 17, 23, 10, 3, 3)
    PAYLOADS["conv-5x3"] = conv(1, 5, 20, 11, 33, 5, 3)
    PAYLOADS["conv-1x1"] = conv(1, 16, 14, 14, 64, 1, 1)
    PAYLOADS["conv-1x1-no-bias"] = conv(1, 24, 7, 7, 70, 1, 1, bias=False)
    PAYLOADS["conv-1x1-stride-2"] = conv(1, 16, 14, 14, 64, 1, 1, stride=2)
    PAYLOADS["conv-3x3-stride-2"] = conv(1, 16, 28, 28, 40, 3, 3, stride=2, pad=1)
    PAYLOADS["conv-7x7-stem"] = conv(1, 3, 40, 40, 64, 7, 7, stride=2, pad=3, relu=True)
    PAYLOADS["conv-dilated"] = conv(1, 8, 20, 20, 32, 3, 3, dilation=2)
    PAYLOADS["conv-dynamic-batch"] = conv("?", 8, 10, 10, 16, 3, 3, pad=1, relu=True)
    PAYLOADS["conv-batch-5"] = conv(5, 1, 8, 8, 16, 3, 3, pad=1)
    PAYLOADS["conv-one-pixel"] = conv(1, 8, 3, 3, 16, 3, 3)
    PAYLOADS["depthwise"] = depthwise(1, 8, 14, 14, 3)
    PAYLOADS["depthwise-stride-2"] = depthwise(2, 5, 15, 15, 3, 2)
    PAYLOADS["grouped"] = grouped(1, 4, 6, 14, 14, 8, 3)


add_elementwise()
add_shapes()
add_contractions()
add_chains()
PAYLOADS.update(row_payloads())
PAYLOADS.update(attention_payloads())


def run(arguments):
    if arguments == ["--list"]:
        print("\n".join(sorted(PAYLOADS)))
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(arguments[0], exist_ok=True)
    for name, text in PAYLOADS.items():
        with open(os.path.join(arguments[0], name + ".mlir"), "w") as out:
            out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
