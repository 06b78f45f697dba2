#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of each type and of awkward sizes on simulated GPUs, by the kernels
that are chosen for them, against the oracle.

Usage: gpu_products.py LH_RUN [--full] [TARGET...]

Without --full: two odd sizes for each type, one of few rows.
"""
import sys

from gpu_kernels import TYPES, check_all
from support import SUPPORT, require

sys.path.insert(0, str(SUPPORT))
from product_payloads import product  # noqa: E402

QUICK = [(127, 65, 33), (9, 70, 100)]
FULL = [(1, 1, 1), (17, 31, 9), (127, 65, 33), (128, 128, 64), (129, 257, 100),
        (1, 200, 300), (300, 1, 64), (64, 64, 1), (65, 65, 1), (192, 136, 64),
        (200, 96, 16), (256, 384, 512)]


def write_payloads(folder, full):
    for read, summed in TYPES:
        for rows, columns, length in FULL if full else QUICK:
            stem = f"{read}-{summed}-{rows}x{columns}x{length}"
            (folder / f"{stem}.mlir").write_text(
                product(rows, columns, length, read, summed))
        if full:
            (folder / f"{read}-{summed}-batch.mlir").write_text(
                product(33, 20, 50, read, summed, batch=3))
            (folder / f"{read}-{summed}-turned.mlir").write_text(
                product(33, 20, 50, read, summed, turned=True))


WITHOUT_UNITS = {"xe-dg2", "vulkan-generic"}  # for matrices: f32 has kernels


def require_f32_kernels(target, report):
    products = [result for result in report["results"]
                if result["key"]["case"].startswith("f32")
                and result["status"] == "passed"]
    require(products and not any(result["flops"]["without_kernel"]
                                 for result in products),
            f"{target}: not every product of f32 has a kernel")


def require_kernels(target, report):
    """In what any step said, remarks included."""
    if target in WITHOUT_UNITS:
        return require_f32_kernels(target, report)
    require(not any("loops compute this product" in said["message"]
                    for step in report["steps"]
                    for said in step.get("diagnostics", [])),
            f"{target}: not every product has a kernel")


check_all("products", write_payloads, require_kernels)
