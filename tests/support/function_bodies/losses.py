# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of the losses."""


def loss_of_targets(b):
    """Of each place, before it is reduced: `loss_each`, and its `weight_each`
    where there are weights or places to ignore."""
    b.constant("zero", [0])
    b.constant("one", [1])
    ignored = b.attribute("ignore_index")
    b.add("targets = Unsqueeze (target, one)")
    if ignored is None:
        b.add("gathered = GatherElements <axis = 1> (input, targets)")
    else:
        b.constant("ignored", [ignored])
        b.number("no_loss", 0, "input")
        b.add("""
          safe_target = Sub (targets, targets)
          targets_long = Cast <to = 7> (targets)
          mask = Equal (targets_long, ignored)
          safe_targets = Where (mask, safe_target, targets)
          of_safe = GatherElements <axis = 1> (input, safe_targets)
          gathered = Where (mask, no_loss, of_safe)
          mask_each = Squeeze (mask, one)""")
    b.add("""
      minus = Neg (gathered)
      first = Slice (minus, zero, one, one)
      unweighted = Squeeze (first, one)""")
    if b.has("weight") and ignored is None:
        b.add("weight_each = Gather (weight, target)")
    elif b.has("weight"):
        b.add("""
          safe_each = Squeeze (safe_targets, one)
          weight_any = Gather (weight, safe_each)
          weight_each = Where (mask_each, no_loss, weight_any)""")
    elif ignored is not None:
        b.number("full_weight", 1, "input")
        b.add("weight_each = Where (mask_each, no_loss, full_weight)")
    else:
        b.add("loss_each = Identity (unweighted)")
        return False
    b.add("loss_each = Mul (unweighted, weight_each)")
    return True


def negative_log_likelihood(b):
    weighted = loss_of_targets(b)
    how = b.attribute("reduction", "mean")
    if how == "none":
        b.add("loss = Identity (loss_each)")
    elif how == "sum":
        b.add("loss = ReduceSum <keepdims = 0> (loss_each)")
    elif weighted:
        b.add("""
          loss_sum = ReduceSum <keepdims = 0> (loss_each)
          weight_sum = ReduceSum <keepdims = 0> (weight_each)
          loss = Div (loss_sum, weight_sum)""")
    else:
        b.add("loss = ReduceMean <keepdims = 0> (loss_each)")


def softmax_cross_entropy(b):
    b.constant("flat", [0, 0, -1])
    b.add("""
      lines = Reshape (scores, flat)
      classes_last = Transpose <perm = [0, 2, 1]> (lines)
      logarithms = LogSoftmax <axis = 2> (classes_last)
      classes_second = Transpose <perm = [0, 2, 1]> (logarithms)
      shape = Shape (scores)
      log_scores = Reshape (classes_second, shape)""")
    if b.has("log_prob"):
        b.add("log_prob = Identity (log_scores)")
    ignored = b.attribute("ignore_index")
    weights = ", weights" if b.has("weights") else ""
    ignoring = "" if ignored is None else f", ignore_index = {ignored}"
    b.add(f"""
      output = NegativeLogLikelihoodLoss
        <reduction = "{b.attribute('reduction', 'mean')}"{ignoring}>
        (log_scores, labels{weights})""")


BODIES = {
    "NegativeLogLikelihoodLoss": (negative_log_likelihood,
                                  ["input", "target", "weight"], ["loss"]),
    "SoftmaxCrossEntropyLoss": (softmax_cross_entropy,
                                ["scores", "labels", "weights"],
                                ["output", "log_prob"]),
}
