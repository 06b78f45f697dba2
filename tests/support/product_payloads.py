# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Payloads that multiply matrices, with what often follows a product."""

ZERO = {"i32": "0"}


def product(rows, columns, length, read, summed, batch=0, turned=False):
    """linalg of a product, with ReLU; `turned`: the second operand's columns
    are stored as rows."""
    first = f"{batch}x" if batch else ""
    left = f"tensor<{first}{rows}x{length}x{read}>"
    right = (f"tensor<{columns}x{length}x{read}>" if turned
             else f"tensor<{first}{length}x{columns}x{read}>")
    result = f"tensor<{first}{rows}x{columns}x{summed}>"
    maps = ("indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
            "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
            if turned else "")
    name = "linalg.batch_matmul" if batch else "linalg.matmul"
    zero = ZERO.get(summed, "0.0")
    return f"""func.func @main(%a: {left}, %b: {right}) -> {result} {{
  %zero = arith.constant {zero} : {summed}
  %empty = tensor.empty() : {result}
  %zeros = linalg.fill ins(%zero : {summed}) outs(%empty : {result}) -> {result}
  %y = {name} {maps} ins(%a, %b : {left}, {right})
      outs(%zeros : {result}) -> {result}
  %r = linalg.max ins(%y, %zeros : {result}, {result}) outs(%empty : {result})
      -> {result}
  return %r : {result}
}}
"""
