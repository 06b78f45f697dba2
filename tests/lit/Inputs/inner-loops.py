# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of RISC-V assembly on standard input, each loop body without branches that
multiplies and adds: how many products it has, and how many registers it saves
and loads."""
import re
import sys

body = []
for line in sys.stdin:
    if re.match(r"\.LBB", line):
        body = []
    body.append(line)
    if not re.match(r"\s+b\w+\s", line):
        continue
    products = sum(bool(re.search(r"\bvfm(acc|add)\.v", each)) for each in body)
    spills = sum(bool(re.search(r"\bv[ls][1248]r\.v", each)) for each in body)
    if products:
        print(f"{products} products, {spills} spills")
    body = []
