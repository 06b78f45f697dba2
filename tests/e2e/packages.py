# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages: made by cpack, unpacked into a folder, and used from
there as the only lh-run: a shipped manifest, a library, a call from Python.

    packages.py BUILD_DIR
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import deploy
import support

PACKAGES = ["lh-library", "lh-run", "lh-run-foreign", "lighthouse-gaps",
            "python3-lighthouse"]


def output_of(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True,
                          text=True, check=False, **options)
    support.require(done.returncode == 0,
                    f"{words}: code {done.returncode}\n{done.stdout}"
                    f"{done.stderr}")
    return done.stdout


def make_packages(build, folder):
    output_of("cpack", "--config", build / "CPackConfig.cmake", "-B", folder)
    debs = {re.match(r"[^_]*", deb.name)[0]: deb
            for deb in folder.glob("*.deb")}
    support.require(sorted(debs) == PACKAGES, f"{sorted(debs)}")
    needs = output_of("dpkg-deb", "-f", debs["lh-run"], "Depends")
    for name in ("lh-library", "lld-22", "libmlir-22", "libc6"):
        support.require(name in needs, f"lh-run needs {name}: {needs}")
    return debs


def check_use(root, folder):
    lh_run = root / "usr/bin/lh-run"
    text = output_of(lh_run, "doctor", cwd=folder)
    support.require(str(root / "usr/share/lighthouse") in text, text)
    manifests = root / "usr/share/lighthouse/manifests"
    text = output_of(lh_run, manifests / "onnx-to-cpu.yaml", "--pipeline",
                     "plain", cwd=folder)
    support.require("1 passed" in text, text)
    weights = deploy.make_net(folder / "net.onnx")
    output_of(lh_run, "build", folder / "net.onnx", "-o", folder / "libnet.so",
              cwd=folder)
    package = root / "usr/lib/python3/dist-packages"
    output_of(sys.executable, "-c",
              "import lighthouse, numpy; "
              "numpy.save('y.npy', lighthouse.load('./libnet.so')"
              "(numpy.ones((3, 6), 'float32')))",
              cwd=folder, env={**os.environ, "PYTHONPATH": str(package)})
    numpy = deploy.numpy
    error = numpy.abs(numpy.load(folder / "y.npy") -
                      deploy.expected(weights, numpy.ones((3, 6)))).max()
    support.require(error < 1e-4, f"off by {error}")


def main():
    parser = support.parser_of(__doc__)
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("cpack") or not shutil.which("dpkg-deb"):
        support.skip("there is no cpack or no dpkg-deb")
    os.environ.pop("LH_RUN", None)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        debs = make_packages(options.build, folder / "debs")
        for deb in debs.values():
            output_of("dpkg-deb", "-x", deb, folder / "root")
        check_use(folder / "root", folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
