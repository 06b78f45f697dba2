#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the JSON of lh-run profile, checks that its times add up, and prints
what doesn't depend on the machine."""
import json
import sys


def show(profile):
    result, nodes = profile["result"], profile["nodes"]
    known = sum(node["seconds"] for node in nodes)
    assert profile["seconds"] > 0 and profile["seconds_with_clocks"] > 0
    assert abs(known + profile["seconds_of_no_node"] - profile["seconds"]) \
        < 1e-6 * profile["seconds"]
    times = [node["seconds"] for node in nodes]
    assert times == sorted(times, reverse=True) and min(times) >= 0
    for node in sorted(nodes, key=lambda node: node["node"]):
        if node["nests"] == 0:
            continue
        assert node["of_roofline"] >= node["of_bandwidth"] > 0
        other = "compared" if "other_seconds" in node else "alone"
        print(f"{result['pipeline']} {node['node']}: {node['kind']}, "
              f"{node['operations']:g} operations, {node['bytes']:g} bytes, "
              f"{other}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    assert report["bench"]["cpu"] and report["bench"]["threads"] == 1
    for profile in report["profiles"]:
        show(profile)


main()
