#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""House rules that a machine can check; prints every breach, exits 1 if any."""
import fnmatch
import pathlib
import re
import sys

from tested_kinds import kinds_tested_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine"

# The folders of engine/, from below: a file may include those of its own
# folder and of the folders named here ("core/*": all folders in core).
MAY_USE = {
    "core/support": [],
    "core/json": ["core/support"],
    "core/numerics": ["core/support"],
    "core/manifest": ["core/support", "core/json", "core/numerics"],
    "core/graph": ["core/support", "core/manifest"],
    "core/plan": ["core/support", "core/json", "core/manifest",
                  "core/numerics", "core/graph"],
    "core/bench": ["core/support", "core/json", "core/manifest",
                   "core/numerics", "core/graph", "core/plan"],
    "core/tune": ["core/support", "core/json", "core/manifest",
                  "core/numerics", "core/graph", "core/plan", "core/bench"],
    "core/exec": ["core/support", "core/json", "core/manifest",
                  "core/numerics", "core/graph", "core/plan"],
    "core/cache": ["core/*"],
    "compiler/ingress/mlir": ["core/support"],
    "compiler/ingress/emit": ["core/support", "core/numerics"],
    "compiler/ingress/onnx": ["core/support", "core/numerics",
                              "compiler/ingress/emit"],
    "compiler/ingress/stablehlo": ["core/support", "core/numerics",
                                   "compiler/ingress/emit",
                                   "compiler/ingress/mlir"],
    "compiler/gaps": ["core/support", "core/numerics"],
    "compiler/transform": ["compiler/gaps"],
    "compiler/plugin": ["compiler/gaps", "compiler/transform"],
    "compiler/session": ["core/*", "compiler/*"],
    "runtime/abi": ["core/*", "compiler/*"],
    "runtime/cpu": ["core/*", "compiler/*", "runtime/abi"],
    "runtime/emulated": ["core/*", "runtime/abi", "runtime/cpu"],
    "runtime/deploy": ["core/*", "runtime/abi", "runtime/cpu",
                       "runtime/emulated"],
    "runtime/external": ["core/*", "compiler/*", "runtime/abi",
                         "runtime/emulated"],
    "runtime/model": ["core/*", "runtime/emulated"],
    "runtime/sim": ["core/*", "runtime/abi", "runtime/cpu"],
    "runtime/gpu": ["core/*", "compiler/*", "runtime/abi", "runtime/cpu",
                    "runtime/deploy", "runtime/emulated", "runtime/sim"],
    "runtime": ["core/*", "compiler/*", "runtime/*"],
    "steps": ["core/*", "compiler/*", "runtime", "runtime/*"],
    "insight/map": ["core/*"],
    "insight/report": ["core/*", "insight/map"],
    "insight/ci": ["core/*", "insight/map", "insight/report"],
    "insight/debug": ["core/*", "compiler/*", "runtime", "runtime/*", "steps",
                      "insight/map", "insight/report"],
    "cli": ["core/*", "compiler/*", "runtime", "runtime/*", "steps",
            "insight/*"],
}

# Third-party headers and the only places that may include them.
HOMES = {
    "yaml-cpp/": ["core/manifest"],
    "nlohmann/": ["core/json"],
    "llvm/Support/JSON.h": [],
    "CLI/": ["cli"],
    "spdlog/": ["cli"],
    "protozero/": ["compiler/ingress/onnx", "core/numerics"],
    "graphviz/": ["insight/map"],
    "openssl/": ["core/support"],
    "mlir/": ["compiler/*", "runtime/abi", "runtime/cpu", "runtime/external",
              "runtime/gpu", "runtime", "steps"],
}

# What any layer may include: names alone.
FOR_ALL = ["compiler/gaps/Marks.h"]

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
KIND = re.compile(r'^LH_DIAG\((\w+), "([a-z0-9-]+)", "[^"]', re.M)

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

# Options given by position: one more field, and others get their values.
BY_POSITION = re.compile(
    r"(?<!struct )(?<!class )\b(\w*(?:Options|Flags|Setup|Config|Env))"
    r"(?:\s+\w+)?(?:\s*=)?\s*\{\s*[^.}\s]")
assert BY_POSITION.search("RunOptions{2, {}}")
assert BY_POSITION.search("DriverEnv env{files,\n out}")
assert not BY_POSITION.search("RunOptions options{.repeat = 2}, more{};")
assert not BY_POSITION.search("struct RunOptions {\n  int repeat;")


def engine_sources():
    return sorted(p for p in ENGINE.rglob("*") if p.suffix in (".h", ".cpp"))


def layer_of(name):
    """The layer of a path below engine/; None for what is none of ours."""
    parts = name.split("/")
    layers = ["/".join(parts[:depth]) for depth in (3, 2, 1)]
    return next((layer for layer in layers if layer in MAY_USE), None)


def is_in(layer, folders):
    return any(fnmatch.fnmatch(layer, folder) for folder in folders)


def includes_of(path, seen):
    """All names that a file includes, by way of the engine's own headers."""
    for name in INCLUDE.findall(path.read_text()):
        if name not in seen:
            seen.add(name)
            if (ENGINE / name).is_file():
                includes_of(ENGINE / name, seen)
    return seen


def simulator_breaches():
    """The simulator runs LLVM's code: it must build without MLIR's headers."""
    for path in sorted((ENGINE / "runtime/sim").glob("*.cpp")):
        for name in sorted(includes_of(path, set())):
            if name.startswith("mlir/"):
                yield f"{path}: includes '{name}' by way of other headers"


def include_breaches():
    for path in engine_sources():
        layer = layer_of(path.relative_to(ENGINE).as_posix())
        if not layer:
            yield f"{path}: belongs to no layer"
            continue
        for name in INCLUDE.findall(path.read_text()):
            used = layer_of(name)
            if "/" in name and used and used != layer \
                    and not is_in(used, MAY_USE[layer]) \
                    and name not in FOR_ALL:
                yield f"{path}: layer '{layer}' may not include '{name}'"
            for prefix, homes in HOMES.items():
                if name.startswith(prefix) and not is_in(layer, homes):
                    yield f"{path}: '{name}' belongs into {homes} only"


def header_breaches():
    for path in engine_sources():
        text = path.read_text()
        licence, _, rest = text.partition("\n")
        if licence != LICENCE:
            yield f"{path}: the first line is not '{LICENCE}'"
        if not rest.startswith("// "):
            yield f"{path}: the second line says what the file is for"
        if path.suffix == ".h":
            parts = path.relative_to(ENGINE).with_suffix("").parts
            guard = "LH_" + "_".join(parts).replace("-", "_").upper() + "_H"
            if f"#ifndef {guard}" not in text:
                yield f"{path}: the include guard is not {guard}"
        if "using namespace std" in text:
            yield f"{path}: 'using namespace std'"


def position_breaches():
    for path in [*engine_sources(), *sorted((ROOT / "runner").rglob("*.cpp")),
                 *sorted((ROOT / "tests").rglob("*.cpp"))]:
        text = path.read_text()
        for found in BY_POSITION.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield (f"{path}:{line}: name the members of '{found[1]}' "
                   "({.member = value})")


def diagnostic_breaches():
    found = KIND.findall((ENGINE / "core/support/Diagnostics.def").read_text())
    names, kinds = dict(found), [kind for _, kind in found]
    if not kinds:
        yield "engine/core/support/Diagnostics.def: no kinds found"
    for kind in sorted({k for k in kinds if kinds.count(k) > 1}):
        yield f"Diagnostics.def: kind '{kind}' is listed twice"
    tested = kinds_tested_in(ROOT / "tests", names)
    sources = "\n".join(p.read_text() for p in engine_sources())
    for name, kind in names.items():
        used = re.search(rf"\b{name}\b", sources)
        if not used:
            yield f"Diagnostics.def: nothing emits '{kind}'"
        if kind not in tested:
            yield f"Diagnostics.def: no check of a test demands '{kind}'"


def file_name_breaches():
    kebab = re.compile(r"^[a-z0-9]+([.-][a-z0-9]+)*$")
    for folder in ("manifests", "schedules", "targets", "tests/lit",
                   "tests/bad-manifests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".yaml", ".json", ".mlir") \
                    and not kebab.match(path.name):
                yield f"{path}: file names here are kebab-case"


def version_breaches():
    """What differs between LLVM's versions has one home."""
    for path in engine_sources():
        if path != ENGINE / "compiler/Upstream.h" and re.search(
                r"^\s*#\s*(?:el)?if.*LLVM_VERSION", path.read_text(), re.M):
            yield (f"{path}: conditions on LLVM's version belong into "
                   "engine/compiler/Upstream.h (docs/llvm-versions.md)")


def private_path_breaches():
    pattern = re.compile(r"(?<![\w./])/(?:work|home|root|farm)/\w|\.\./shared")
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if not path.is_file() or parts[0].startswith("build") \
                or parts[0] == ".git" or path == pathlib.Path(__file__):
            continue
        if path.suffix not in (".h", ".cpp", ".md", ".yaml", ".json", ".mlir",
                               ".py", ".txt", ".def", ".mjs", ".js", ""):
            continue
        if path.stat().st_size > 2_000_000:
            continue
        if pattern.search(path.read_text(errors="replace")):
            yield f"{path}: names a path of one machine"


def main():
    checks = [include_breaches, simulator_breaches, header_breaches,
              position_breaches, diagnostic_breaches, file_name_breaches,
              version_breaches, private_path_breaches]
    breaches = [str(b).replace(str(ROOT) + "/", "")
                for check in checks for b in check()]
    sources = engine_sources()
    if len(sources) < 20:
        breaches.append("the structure test found no engine to check")
    print("\n".join(breaches) or f"{len(sources)} files keep the house rules")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
