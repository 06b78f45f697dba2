# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Einsum: every output element is a sum over all other labels' values."""
import itertools

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def spelled(equation, ranks):
    """Terms as lists of labels; an ellipsis' dimensions are numbers that count
    from its end."""
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")

    def labels(term, dims):
        before, dots, after = term.partition("...")
        middle = [str(k) for k in range(dims - 1, -1, -1)] if dots else []
        return list(before) + middle + list(after)

    counts = [rank - len(term.replace("...", ""))
              for term, rank in zip(terms, ranks)]
    inputs = [labels(t, c) for t, c in zip(terms, counts)]
    widest = max(counts)
    if arrow:
        return inputs, labels(right, widest)
    flat = [x for term in inputs for x in term]
    letters = sorted(x for x in set(flat) if x.isalpha() and flat.count(x) == 1)
    dots = [str(k) for k in range(widest - 1, -1, -1)] if "..." in left else []
    return inputs, dots + letters


def reference(equation, arrays):
    inputs, output = spelled(equation, [a.ndim for a in arrays])
    sizes = {}
    for term, array in zip(inputs, arrays):
        for label, size in zip(term, array.shape):
            sizes[label] = size if size != 1 else sizes.get(label, 1)
    loops = output + [x for x in sizes if x not in output]
    result = np.zeros([sizes[x] for x in output],
                      np.float64 if arrays[0].dtype.kind == "f" else
                      arrays[0].dtype)
    for values in itertools.product(*(range(sizes[x]) for x in loops)):
        at = dict(zip(loops, values))
        term = 1
        for labels, array in zip(inputs, arrays):
            where = tuple(at[x] if size > 1 else 0
                          for x, size in zip(labels, array.shape))
            term = term * (float(array[where]) if array.dtype.kind == "f"
                           else array[where])
        result[tuple(at[x] for x in output)] += term
    return result.astype(arrays[0].dtype)


def case(name, equation, *shapes, dtype=np.float32, dynamic=None):
    name = f"einsum_{name}"
    rng = random_of(name)
    arrays = [rng.integers(-4, 5, s).astype(dtype) if np.dtype(dtype).kind != "f"
              else rng.uniform(-1, 1, s).astype(dtype) for s in shapes]
    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node("Einsum", names, ["y"], equation=equation)
    write_case(name, node, dict(zip(names, arrays)),
               {"y": reference(equation, arrays)}, 12, shapes=dynamic)


def write_cases():
    case("matmul", "ij,jk->ik", (5, 7), (7, 9))
    case("matmul_transposed", "ji,kj->ki", (7, 5), (9, 7))
    case("attention_scores", "bqhd,bkhd->bhqk", (2, 3, 2, 8), (2, 5, 2, 8))
    case("attention_values", "bhqk,bkhd->bqhd", (2, 2, 3, 5), (2, 5, 2, 8))
    case("implicit", "ba,cb", (3, 4), (2, 3))
    case("implicit_repeated", "iji", (3, 2, 3))
    case("diagonal", "ii->i", (4, 4))
    case("diagonal_of_three", "iii->i", (3, 3, 3))
    case("trace", "ii", (4, 4))
    case("outer", "i,j->ij", (3,), (4,))
    case("outer_swapped", "i,j->ji", (3,), (4,))
    case("dot", "i,i->", (6,), (6,))
    case("dot_implicit", "i,i", (6,), (6,))
    case("scalars", ",->", (), ())
    case("scalar_times", ",ij->ji", (), (2, 3))
    case("hadamard", "ij,ij->ij", (3, 4), (3, 4))
    case("batched_dot", "bi,bi->b", (3, 5), (3, 5))
    case("matvec", "ij,j->i", (4, 5), (5,))
    case("bilinear", "bn,anm,bm->ba", (3, 4), (5, 4, 2), (3, 2))
    case("four", "ij,jk,kl,lm->im", (2, 3), (3, 4), (4, 2), (2, 3))
    case("sums_before", "ij,k->i", (3, 4), (5,))
    case("ellipsis", "...ij,...jk->...ik", (2, 3, 4, 5), (2, 3, 5, 2))
    case("ellipsis_broadcast", "...ij,...jk->...ik", (2, 1, 4, 5), (3, 5, 2))
    case("ellipsis_implicit", "...a,...b", (2, 3), (2, 4))
    case("ellipsis_middle", "a...b,b...->a...", (2, 3, 4), (4, 3))
    case("ellipsis_moved", "a...->...a", (2, 3, 4))
    case("ellipsis_diagonal", "...ii->...i", (2, 3, 3))
    case("ellipsis_empty", "...ij,jk...->ik...", (2, 3), (3, 4))
    case("one_spread", "ij,ij->ij", (1, 4), (3, 4))
    case("one_spread_in_sum", "ij,jk->ik", (3, 1), (4, 5))
    case("capitals", "Ab,bA->", (2, 3), (3, 2))
    case("capitals_implicit", "bA", (2, 3))
    case("spaces", " i j , j k -> i k ", (2, 3), (3, 2))
    case("int32", "ij,jk->ki", (3, 4), (4, 2), dtype=np.int32)
    case("int64_sum", "ijk->j", (2, 3, 4), dtype=np.int64)
    case("float64", "bij,bjk->bik", (2, 3, 4), (2, 4, 3), dtype=np.float64)
    case("float16", "ij,jk->ik", (2, 3), (3, 2), dtype=np.float16)
    case("empty_sum", "ij,jk->ik", (2, 0), (0, 3))
    case("dynamic", "bij,bjk->bik", (2, 3, 4), (2, 4, 3),
         dynamic={"x0": ["b", "i", "j"], "x1": ["b", "j", "k"],
                  "y": ["b", "i", "k"]})
