# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lit's configuration: where lh-run and FileCheck are, and what %-names mean.
import os
import pty
import shutil
import subprocess

import lit.formats

config.name = "lh-run"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test", ".yaml", ".json", ".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "lit")

tools = [config.build_dir, config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
config.environment["NO_COLOR"] = "1"
# What a test sees must not depend on the runs before it.
config.environment["LIGHTHOUSE_CACHE"] = "off"
for name in ("ASAN_OPTIONS", "HOME", "LD_LIBRARY_PATH", "ONNX_TESTDATA"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%{root}", config.source_dir))
config.substitutions.append(("%{build}", config.build_dir))
config.substitutions.append(("%{mlir_include}", config.mlir_include))
config.substitutions.append(("%{zeros}", 64 * "0"))
config.substitutions.append(("%{plugin}", config.plugin))
config.substitutions.append(
    ("%{mutations}",
     os.path.join(config.build_dir, "tests", "mutation-plugin.so")))
config.substitutions.append(
    ("%{fake_driver}", os.path.join(config.build_dir, "fake-driver")))
config.substitutions.append(("%{python}", config.python))
config.substitutions.append(("%{onnx_testdata}", config.onnx_testdata))
if config.onnx_testdata:
    config.available_features.add("onnx-testdata")
for machine in ("aarch64", "riscv64"):
    if all(shutil.which(tool, path=config.environment["PATH"])
           for tool in (f"lh-runner-{machine}", f"qemu-{machine}", "ld.lld-22")):
        config.available_features.add(machine)
if all(shutil.which(tool, path=config.environment["PATH"])
       for tool in ("lh-runner-x86_64", "ld.lld-22")):
    config.available_features.add("x86_64-runner")
for tool in ("ocloc", "spirv-val"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool)
doctor = subprocess.run([os.path.join(config.build_dir, "lh-run"), "doctor"],
                        capture_output=True, text=True).stdout
if any(line.startswith("  yes") and "Vulkan: running kernels" in line
       for line in doctor.splitlines()):
    config.available_features.add("vulkan")
if os.path.exists("/usr/share/vulkan/explicit_layer.d/"
                  "VkLayer_khronos_validation.json"):
    config.available_features.add("vulkan-validation")
# As lh-run looks for it.
cuda_homes = ["/usr/local/cuda", "/usr/lib/cuda"]
if (shutil.which("ptxas", path=config.environment["PATH"])
        or any(os.path.exists(os.path.join(home, "bin", "ptxas"))
               for home in cuda_homes)):
    config.available_features.add("ptxas")
if config.has_avx512:
    config.available_features.add("avx512")

try:
    for end in pty.openpty():
        os.close(end)
    config.available_features.add("pty")
except OSError:
    pass  # a container without /dev/pts
