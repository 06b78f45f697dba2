#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs what gpu_bench.py needs for a machine that has neither LLVM nor a way
to fetch it.

    pack.py BUILD_DIR lh-gpu.tar.xz [--level 0-9]

There, with or without a checkout:

    tests/bench/gpu/gpu_bench.py lh-gpu.tar.xz
    tar xf lh-gpu.tar.xz && lh-gpu/tests/bench/gpu/gpu_bench.py lh-gpu

The archive has lh-run and the workers, the libraries they need but for the C
library, and the schedules, targets and manifests. Two large libraries that
LLVM links and lh-run never calls (Z3, libxml2 with ICU) are replaced by ones
of the same names whose functions end the process. GCC's run-time libraries are
kept apart, for machines whose own are older. Needs gcc, ldd, nm and strip.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NAME = "lh-gpu"
WORKERS = ["peer-lighthouse", "peer-cublas"]
LIBRARY_PARTS = ["schedules", "targets", "manifests"]
SCRIPTS = ["gpu/gpu_bench.py", "gpu/gpu_works.py", "gpu/rows.py",
           "peers/workers.py"]
# Every Linux has these; another one's would not go with its loader.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
                 "librt.so.1"}
OF_GCC = {"libstdc++.so.6", "libgcc_s.so.1"}
NEVER_CALLED = {"libz3.so.4": "Z3_", "libxml2.so.2": "xml"}
DATA = {"xmlFree"}


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True,
                          text=True).stdout


def libraries_of(program):
    """Name and file of each that the loader would load."""
    found = re.findall(r"(\S+) => (/\S+)", output_of("ldd", program))
    return {pathlib.Path(name).name: pathlib.Path(path).resolve()
            for name, path in found}


def symbols_needed(user, prefix):
    """(name, version) of what `user` takes from elsewhere; version may be ''."""
    lines = output_of("nm", "-D", "--undefined-only", user).splitlines()
    words = [line.split()[-1].partition("@") for line in lines if line.split()]
    return [(name, version.lstrip("@")) for name, _, version in words
            if name.startswith(prefix)]


def make_stub(name, symbols, folder):
    """A library called `name` that has `symbols` and nothing behind them."""
    source = "".join(
        f"void *{symbol};\n" if symbol in DATA else
        f"void {symbol}(void) {{ __builtin_trap(); }}\n"
        for symbol, _ in symbols)
    (folder / "stub.c").write_text(source)
    versions = {}
    for symbol, version in symbols:
        versions.setdefault(version, []).append(symbol)
    script = "".join(f"{version} {{ global: {'; '.join(each)}; }};\n"
                     for version, each in versions.items() if version)
    (folder / "stub.map").write_text(script)
    flags = [f"-Wl,--version-script={folder}/stub.map"] if script else []
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", f"-Wl,-soname,{name}",
                    *flags, "-o", folder / name, folder / "stub.c"], check=True)
    return folder / name


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    target.chmod(0o755)
    subprocess.run(["strip", "--strip-unneeded", target], check=True)


def collect_libraries(programs, stage, scratch):
    libraries = {}
    for program in programs:
        libraries.update(libraries_of(program))
    llvm = libraries["libLLVM.so.22.1"]
    dropped = set()
    for name, prefix in NEVER_CALLED.items():
        if name in libraries:
            stub = make_stub(name, symbols_needed(llvm, prefix), scratch)
            copy_stripped(stub, stage / "lib" / name)
            dropped.add(name)
    left = {name: path for name, path in libraries.items()
            if name not in dropped}
    for name in list(left):
        if re.match(r"libicu(uc|data)\.so|liblzma\.so", name):
            left.pop(name)  # only libxml2 needs them
    for name, path in left.items():
        if name in OF_THE_SYSTEM:
            continue
        folder = "lib/gcc" if name in OF_GCC else "lib"
        copy_stripped(path, stage / folder / name)


def newest_glibc(stage):
    """The least version of the C library that all programs and libraries run
    with."""
    versions = set()
    for path in [*stage.rglob("*.so*"), *(stage / "bin").iterdir(),
                 *(stage / "bench").iterdir()]:
        versions |= set(re.findall(r"GLIBC_(\d+)\.(\d+)",
                                   output_of("objdump", "-T", path)))
    return "%d.%d" % max(tuple(map(int, each)) for each in versions)


def fill(build, stage, scratch):
    programs = [build / "lh-run"] + [build / "bench" / each for each in WORKERS]
    for program in programs:
        if not program.exists():
            sys.exit(f"{program} isn't built: ninja -C {build} lh-run bench-gpu")
    copy_stripped(programs[0], stage / "bin" / "lh-run")
    for program in programs[1:]:
        copy_stripped(program, stage / "bench" / program.name)
    for part in LIBRARY_PARTS:
        shutil.copytree(ROOT / part, stage / "share" / "lighthouse" / part)
    for script in SCRIPTS:
        target = stage / "tests" / "bench" / script
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / "bench" / script, target)
    collect_libraries(programs, stage, scratch)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--level", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        stage = pathlib.Path(name) / NAME
        scratch = pathlib.Path(name) / "scratch"
        scratch.mkdir()
        fill(options.build.resolve(), stage, scratch)
        print(f"needs glibc {newest_glibc(stage)} or later, x86-64")
        with tarfile.open(options.archive, "w:xz",
                          preset=options.level) as tar:
            tar.add(stage, NAME)
    size = options.archive.stat().st_size / 2 ** 20
    print(f"{options.archive}: {size:.1f} MiB")


if __name__ == "__main__":
    main()
