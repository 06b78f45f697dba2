# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures as Markdown."""

UNITS = {"fma": ("GFLOP/s", 1e9), "vnni": ("GOP/s", 1e9), "copy": ("GB/s", 1e9)}
HEADER = ("| work | candidate | time, median (least) | speed | of peak | "
          "error | clean rounds |\n|---|---|---|---|---|---|---|")


def seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def row(figures, each):
    unit, scale = UNITS[figures["peak"]]
    name = f"**{each['name']}**" if each["ours"] else each["name"]
    return (f"| {figures['work']} | {name} | {seconds(each['median'])} "
            f"({seconds(each['least'])}) | {each['speed'] / scale:.4g} {unit} "
            f"| {each['of_peak']:.1%} | {each['error']:.1e} "
            f"| {each['clean']}/{each['rounds']} |")


def rows(figures):
    lines = [row(figures, each) for each in figures["candidates"]]
    return "\n".join(lines + figures["complaints"])


def comparison(best):
    """A library's name and our ratio to it."""
    if not best:
        return "none |"
    ratio, clean, name = best
    return f"{name} | {ratio:.2f}×" + ("" if clean else " (no clean round)")


def ratios(everything):
    """One line for each of our candidates."""
    lines = ["", "| work | ours | time | speed | of peak | fastest library | "
             "ratio |", "|---|---|---|---|---|---|---|"]
    for figures in everything:
        unit, scale = UNITS[figures["peak"]]
        for each in figures["candidates"]:
            if not each["ours"]:
                continue
            rest = comparison(figures["ratios"][each["name"]])
            lines.append(f"| {figures['work']} | {each['name']} | "
                         f"{seconds(each['median'])} | "
                         f"{each['speed'] / scale:.4g} {unit} | "
                         f"{each['of_peak']:.1%} | {rest} |")
    return "\n".join(lines)
