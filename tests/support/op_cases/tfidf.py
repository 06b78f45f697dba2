# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TfIdfVectorizer: n-grams counted by looking at every place."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case

# 1-grams, 2-grams and 3-grams, with their coordinates.
GRAMS = [[2], [5], [2, 3], [5, 5], [3, -1], [1, 2, 3], [2, 2, 2]]
COORDINATES = [4, 0, 1, 6, 3, 5, 7]  # nothing stands at 2


def reference(row, mode, shortest, longest, skips, weights):
    out = np.zeros(max(COORDINATES) + 1, np.float32)
    for gram, coordinate in zip(GRAMS, COORDINATES):
        length = len(gram)
        if not shortest <= length <= longest:
            continue
        for step in range(1, 2 + (skips if length > 1 else 0)):
            span = step * (length - 1)
            for start in range(len(row) - span):
                found = [row[start + i * step] for i in range(length)]
                out[coordinate] += found == gram
    if mode == "IDF":
        return np.where(out > 0, weights, 0).astype(np.float32)
    return out * weights if mode == "TFIDF" else out


def write_cases():
    all_ones = np.ones(max(COORDINATES) + 1, np.float32)
    for mode, shape, dtype, shortest, longest, skips, weighted in [
            ("TF", (2, 9), np.int64, 1, 3, 2, False),
            ("IDF", (11,), np.int32, 2, 3, 1, True),
            ("TFIDF", (3, 14), np.int32, 1, 2, 4, True),
            ("IDF", (2, 6), np.int64, 1, 3, 0, False),
            ("TF", (2,), np.int64, 3, 3, 5, False)]:
        name = f"tfidf_{mode.lower()}_{len(shape)}d_skip{skips}"
        random = random_of(name)
        x = random.choice([-1, 1, 2, 2, 3, 5], shape).astype(dtype)
        weights = (random.random(all_ones.size).astype(np.float32)
                   if weighted else all_ones)
        y = np.stack([reference(row.tolist(), mode, shortest, longest, skips,
                                weights) for row in np.atleast_2d(x)])
        attributes = {"weights": weights.tolist()} if weighted else {}
        node = helper.make_node(
            "TfIdfVectorizer", ["x"], ["y"], mode=mode,
            min_gram_length=shortest, max_gram_length=longest,
            max_skip_count=skips, ngram_counts=[0, 2, 8],
            ngram_indexes=COORDINATES, pool_int64s=sum(GRAMS, []),
            **attributes)
        write_case(name, node, {"x": x},
                   {"y": y.reshape(shape[:-1] + (-1,))}, 9)
