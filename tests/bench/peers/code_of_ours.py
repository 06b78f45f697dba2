# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a payload with a pipeline of a shipped manifest."""
import functools
import json
import pathlib
import subprocess

import yaml


@functools.lru_cache
def read_manifest(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def with_absolute_paths(bubble, folder):
    """What the manifest names relative to itself, from anywhere."""
    bubble = dict(bubble)
    for key in ("use", "schedule"):
        path = bubble.get(key)
        if path and not path.startswith("lib:"):
            bubble[key] = str((folder / path).resolve())
    return bubble


def manifest_for(payload, options):
    """The manifest with this payload as its only case."""
    job = payload.manifest or options.manifest
    manifest = dict(read_manifest(job))
    kind = "onnx" if payload.path.suffix == ".onnx" else "mlir"
    bubbles = {}
    for name, bubble in manifest["bubbles"].items():
        bubbles[name] = with_absolute_paths(bubble, job.parent)
        if "ingress" in bubble:
            bubbles[name] = {"ingress": kind, "model": "${case.model}"}
            if kind == "onnx":
                bubbles[name]["shapes"] = "case"
    manifest["bubbles"] = bubbles
    manifest["cases"] = {"work": {"generate": {"model": str(payload.path)}}}
    manifest.pop("verify", None)
    return manifest


def last_bubble(manifest, pipeline):
    """The one before `execute`: its module is all LLVM."""
    path = manifest["pipelines"][pipeline]["path"]
    return path[-2]


def flags_of(options):
    sets = list(options.set)
    flags = [word for each in sets for word in ("--set", each)]
    if options.threads > 1:
        flags += ["--threads", str(options.threads)]
    return flags


class Refused(Exception):
    """What lh-run can't lower, with its messages."""


def lower(payload, options, folder):
    """The lowered module's file."""
    manifest = manifest_for(payload, options)
    pipeline = payload.pipeline or options.pipeline
    path = pathlib.Path(folder) / f"{payload.label}.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    module = path.with_suffix(".lowered.mlir")
    done = subprocess.run(
        [options.build / "lh-run", "run", path, "--pipeline", pipeline,
         "--target", options.target, "--until",
         last_bubble(manifest, pipeline), "-o", module,
         *flags_of(options)],
        text=True, capture_output=True, check=False)
    if done.returncode or not module.exists():
        raise Refused(f"lh-run can't lower {payload.path.name}:\n"
                      f"{done.stdout}{done.stderr}")
    return module
