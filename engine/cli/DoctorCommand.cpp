// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run doctor`: what this machine has, and what would bring the rest.
#include "cli/Command.h"

#include "core/support/LlvmTools.h"
#include "core/support/Version.h"
#include "runtime/gpu/DeviceTools.h"
#include "runtime/gpu/OpenDevice.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace lh;

namespace {

enum class Probe { Program, Library, Path };

/// Something that may be there, what for, and what brings it.
struct Tool {
  Probe probe;
  const char *name;
  const char *purpose;
  const char *broughtBy;
};

constexpr Tool tools[] = {
    {Probe::Program, "qemu-aarch64", "running AArch64 code here",
     "package qemu-user"},
    {Probe::Program, "aarch64-linux-gnu-gcc", "AArch64 C library and runner",
     "package gcc-aarch64-linux-gnu"},
    {Probe::Program, "qemu-riscv64", "running RISC-V code here",
     "package qemu-user"},
    {Probe::Program, "riscv64-linux-gnu-gcc", "RISC-V C library and runner",
     "package gcc-riscv64-linux-gnu"},
    {Probe::Library, "libcuda.so.1", "CUDA: running on a GPU",
     "NVIDIA's driver"},
    {Probe::Library, "libamdhip64.so.7", "ROCm: running on a GPU",
     "AMD's ROCm runtime"},
    {Probe::Library, "libamdhip64.so.6", "the same, of ROCm 6",
     "AMD's ROCm runtime"},
    {Probe::Path, "/usr/share/libonnx-testdata/data/node",
     "the ONNX backend tests", "package libonnx-testdata"},
};

constexpr const char *featuresOfInterest[] = {
    "avx2",       "fma",      "avx512f",    "avx512bw",   "avx512vl",
    "avx512vnni", "f16c",     "avx512bf16", "avx512fp16", "amx-tile",
    "amx-int8",   "amx-bf16", "sve",        "sve2"};

} // namespace

/// What comes with an LLVM. Debian's packages have its version in the middle.
static std::string devPackage(StringRef before, StringRef behind) {
  return "package " + llvmName(before) + "-" + behind.str();
}

/// Where it was found, or an empty string.
static std::string locate(const Tool &tool) {
  switch (tool.probe) {
  case Probe::Program: {
    llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(tool.name);
    return path ? *path : "";
  }
  case Probe::Library:
    if (void *handle = dlopen(tool.name, RTLD_LAZY)) {
      dlclose(handle);
      return tool.name;
    }
    return "";
  case Probe::Path:
    return access(tool.name, R_OK) == 0 ? tool.name : "";
  }
  return "";
}

static void printHost(llvm::raw_ostream &out) {
  out << "CPU  " << llvm::sys::getHostCPUName() << " ("
      << llvm::sys::getDefaultTargetTriple() << "), "
      << sysconf(_SC_NPROCESSORS_ONLN) << " cores\n     ";
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  for (const char *feature : featuresOfInterest)
    if (features.lookup(feature))
      out << ' ' << feature;
  out << '\n';
}

/// What `--target host` stands for: files of facts, the last one first.
static void printHostTarget(DriverEnv &env) {
  CollectingSink unused;
  ResolveOptions options;
  options.libraryDirs = env.libraryDirs;
  SourceStore sources(env.files);
  FailureOr<TargetSpec> host = namedTarget("host", options, sources, unused);
  if (failed(host))
    return;
  env.out << "target host: facts of";
  for (const std::string &file : llvm::reverse(host->bases))
    env.out << ' ' << llvm::sys::path::stem(file);
  env.out << "; this machine's caches\n";
}

static void printTool(StringRef name, StringRef place, StringRef purpose,
                      StringRef broughtBy, llvm::raw_ostream &out) {
  out << (place.empty() ? "  no   " : "  yes  ")
      << llvm::format("%-40s", name.str().c_str())
      << (name.size() < 40 ? "" : "  ") << purpose;
  if (place.empty())
    out << "; brought by " << broughtBy;
  out << '\n';
}

/// LLVM's own programs and libraries, of this version.
static void printLlvmTools(llvm::raw_ostream &out) {
  auto print = [&](StringRef tool, StringRef purpose, std::string broughtBy) {
    std::string place = findLlvmTool(tool);
    printTool(place.empty() ? llvmName(tool) : place, place, purpose, broughtBy,
              out);
  };
  print("mlir-opt", "the lines of --dry-run", devPackage("mlir", "tools"));
  print("ld.lld", "linking code for other machines",
        "package " + llvmName("lld"));
  print("clang", "kernels in C", "package " + llvmName("clang"));
  constexpr const char *threads = "libomp.so.5";
  printTool(threads, locate({Probe::Library, threads, "", ""}),
            "threads in generated code", devPackage("libomp", "dev"), out);
}

/// What device code is made with, where it was found.
static void printDeviceTools(llvm::raw_ostream &out) {
  DeviceTools tools = findDeviceTools(
      [](const char *name) -> const char * { return std::getenv(name); });
  auto print = [&](const std::string &place, StringRef name, StringRef purpose,
                   StringRef broughtBy) {
    printTool(place.empty() ? name : StringRef(place), place, purpose,
              broughtBy, out);
  };
  print(tools.ptxas, "ptxas", "CUDA: assembling PTX ahead of time",
        "NVIDIA's CUDA toolkit");
  print(tools.libdevice, "libdevice.10.bc", "CUDA: math functions",
        "NVIDIA's CUDA toolkit");
  print(tools.deviceLibs, "amdgcn/bitcode", "ROCm: math functions",
        "package rocm-device-libs");
  print(tools.ocloc, "ocloc", "Intel's GPUs: compiling SPIR-V ahead of time",
        "package intel-opencl-icd");
  Chip chip;
  chip.vendor = Vendor::Vulkan;
  print(probeDevice(chip, DeviceChoice::Auto).name, "Vulkan device",
        "Vulkan: running kernels",
        "a GPU's driver, or package "
        "mesa-vulkan-drivers, on the CPU");
}

static int runDoctor(DriverEnv &env) {
  env.out << versionText() << '\n'
          << llvmStanding() << '\n'
          << librariesStanding() << '\n';
  printHost(env.out);
  printHostTarget(env);
  printLlvmTools(env.out);
  for (const Tool &tool : tools)
    printTool(tool.name, locate(tool), tool.purpose, tool.broughtBy, env.out);
  printDeviceTools(env.out);
  env.out << "library";
  for (const std::string &folder : env.libraryDirs)
    env.out << "  " << folder;
  env.out << '\n';
  return 0;
}

CommandRun lh::makeDoctorCommand(CLI::App &) { return runDoctor; }
