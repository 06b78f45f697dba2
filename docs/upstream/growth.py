#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules on which upstream's passes take far more than linear time.

growth.py GRAPH SIZE          prints the module
growth.py --control GRAPH SIZE  prints one of the same size that is fast
growth.py --check GRAPH       measures both, at two sizes

--check is a test by the clock, as no counter of the passes' steps exists. It
compares user time only, and ratios only: the machine's speed doesn't matter.
It prints "grows as known" or "grows no more".
"""
import resource
import subprocess
import sys
import tempfile

BUFFERIZE = "-one-shot-bufferize=bufferize-function-boundaries"


def shared_empty(size, is_control):
    """A chain of ops whose results all begin as one tensor.empty, as CSE
    makes them; in the control each has its own."""
    lines = ["func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {"]
    if not is_control:
        lines.append("  %e = tensor.empty() : tensor<8xf32>")
    value = "%x"
    for i in range(size):
        empty = "%e"
        if is_control:
            empty = f"%e{i}"
            lines.append(f"  {empty} = tensor.empty() : tensor<8xf32>")
        lines.append(f"  %v{i} = linalg.exp ins({value} : tensor<8xf32>)"
                     f" outs({empty} : tensor<8xf32>) -> tensor<8xf32>")
        value = f"%v{i}"
    lines += [f"  return {value} : tensor<8xf32>", "}"]
    return lines


def selects(size, is_control):
    """A slice whose size and place are chosen from two, again and again; in
    the control the choice is made on i64, which the analysis of bounds takes
    for unknown."""
    kind = "i64" if is_control else "index"
    lines = ["func.func @slices(%c: i1, %x: tensor<?xf32>, %place: index,"
             f" %a: {kind}, %b: {kind}) -> tensor<?xf32> {{"]
    first, second = "%a", "%b"
    for i in range(size):
        lines += [f"  %s{i} = arith.select %c, {first}, {second} : {kind}",
                  f"  %t{i} = arith.select %c, {second}, {first} : {kind}"]
        first, second = f"%s{i}", f"%t{i}"
    if is_control:
        lines.append(f"  %size = arith.index_cast {first} : i64 to index")
        first = "%size"
    of = "tensor<?xf32>"
    lines += [
        f"  %u = tensor.extract_slice %x[%place] [{first}] [1] : {of} to {of}",
        f"  %w = tensor.extract_slice %x[{first}] [{first}] [1] : {of} to {of}",
        f"  %m = linalg.exp ins(%u : {of}) outs(%w : {of}) -> {of}",
        f"  %r = tensor.insert_slice %m into %x[{first}] [{first}] [1]"
        f" : {of} into {of}",
        f"  return %r : {of}", "}"]
    return lines


def messages(size, is_control):
    """Pairs of ops, tiled one after the other, each with its producer fused;
    in the control they are tiled alone."""
    of = "tensor<64xf32>"
    lines = ["module attributes {transform.with_named_sequence} {",
             f"func.func @pairs(%x: {of}) -> {of} {{",
             f"  %e = tensor.empty() : {of}"]
    value = "%x"
    for i in range(size):
        for op in ("exp", "abs"):
            lines.append(f"  %{op}{i} = linalg.{op} ins({value} : {of})"
                         f" outs(%e : {of}) -> {of}")
            value = f"%{op}{i}"
    handle = "!transform.any_op"
    fuse = (f"    %f, %c = transform.structured.fuse_into_containing_op"
            f" %producer into %loop : ({handle}, {handle}) -> ({handle},"
            f" {handle})")
    return lines + [
        f"  return {value} : {of}", "}",
        "transform.named_sequence @__transform_main(",
        f"    %root: {handle} {{transform.readonly}}) {{",
        '  %consumers = transform.structured.match ops{["linalg.abs"]} in %root'
        f" : ({handle}) -> {handle}",
        f"  transform.foreach %consumers : {handle} {{",
        f"  ^bb0(%consumer: {handle}):",
        "    %producer = transform.get_producer_of_operand %consumer[0]"
        f" : ({handle}) -> {handle}",
        "    %tiled, %loop = transform.structured.tile_using_forall %consumer"
        f" tile_sizes [16] : ({handle}) -> ({handle}, {handle})",
        "" if is_control else fuse, "  }", "  transform.yield", "}", "}"]


# name: (what makes it, what is run, two sizes, the ratio between their times
# that it exceeds, and that the control stays below)
GRAPHS = {
    "shared-empty": (shared_empty, BUFFERIZE, (80, 320), 10, 6),
    "selects": (selects, BUFFERIZE, (8, 18), 5, 4),
    "messages": (messages, "-transform-interpreter", (40, 160), 6, 5),
}


def seconds(lines, option, runs):
    """User time of mlir-opt, the least of some runs."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        best = float("inf")
        for _ in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run(["mlir-opt", file.name, option, "-o", "/dev/null"],
                           check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            best = min(best, after - before)
        return best


def ratio(make, option, sizes, is_control):
    small, large = (seconds(make(size, is_control), option, runs)
                    for size, runs in zip(sizes, (5, 2)))
    return large / max(small, 0.01)


def check(name):
    make, option, sizes, bound, control_bound = GRAPHS[name]
    grows = ratio(make, option, sizes, False)
    control = ratio(make, option, sizes, True)
    print(f"sizes {sizes[0]} and {sizes[1]}: time x {grows:.1f},"
          f" control x {control:.1f}")
    if control > control_bound:
        print("the control isn't fast")
        return 1
    print("grows as known" if grows > bound else "grows no more")
    return 0


def main(words):
    if words[:1] == ["--check"]:
        return check(words[1])
    is_control = words[:1] == ["--control"]
    name, size = words[is_control:]
    print("\n".join(GRAPHS[name][0](int(size), is_control)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
