# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bodies of ONNX's function operators at opset 18 and later, written from
the specification: BODIES maps an operator to what builds its body for a node."""
from function_bodies import (activations, attention, generators, losses,
                             normalization, reductions, selection)

BODIES = {}
for family in (activations, attention, generators, losses, normalization,
               reductions, selection):
    BODIES.update(family.BODIES)

# Function operators whose body is not compared, and why.
LISTED = {
    "Bernoulli": "its body draws random numbers",
    "SequenceMap": "its body is another for each subgraph",
    "ai.onnx.preview.FlexAttention": "its body depends on its subgraphs",
}

# Tests that are left out, by a pattern of their names, and why.
EXCEPT = {
    "*STRING*": "it holds strings",
    "test_castlike_*BFLOAT16*": "its data contradicts its model",
    "test_clip_6": "attributes of opset 6 hold the limits",
    "test_reducelogsumexp_large": "the body's exponentials overflow",
    "test_shrink_*int*": "the body makes integers of lambd and bias",
    "test_causalconv_no_tokens": "the body's Conv is smaller than its window",
    "test_linearattention_no_batches":
        "the body's Reshape infers a size where there are no elements",
    "test_linearattention_no_tokens":
        "the body's Reshape infers a size where there are no elements",
    "test_prelu_6_channels": "the slope of opset 6 is not broadcast",
    "test_prelu_channels_old": "the slope of opset 6 is not broadcast",
    "test_affine_grid_3d_1*":
        "the body divides by a height of 1 less 1; fed its sizes, the rank of "
        "a branch depends on one that only the run shows",
}
