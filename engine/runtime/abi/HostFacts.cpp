// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects the CPU, its features and its caches.
#include "runtime/abi/HostFacts.h"

#include "runtime/abi/ArmFeatures.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace lh;

bool HostFacts::has(StringRef feature) const {
  return std::binary_search(features.begin(), features.end(), feature.str());
}

static unsigned usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

#if defined(__aarch64__)
/// LLVM asks /proc/cpuinfo, which under an emulator is another machine's.
static CpuFeatures detectFeatures() {
  return armFeatures(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

static int64_t detectScalableVectors() {
  constexpr int getLength = 51; // PR_SVE_GET_VL
  int length = prctl(getLength);
  return length < 0 ? 0 : (length & 0xFFFF) * 8;
}
#else
/// Whether Linux lets this process, and those it forks, use AMX's tiles: it
/// wants to be asked, or their first instruction is an illegal one. Source:
/// Documentation/arch/x86/xstate.rst.
static bool requestTiles() {
#if defined(__x86_64__)
  constexpr int requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

static CpuFeatures detectFeatures() {
  CpuFeatures features;
  llvm::StringMap<bool> all = llvm::sys::getHostCPUFeatures();
  bool lacksTiles = !all.lookup("amx-tile") || !requestTiles();
  for (const auto &feature : all) {
    bool lacks = lacksTiles && feature.first().starts_with("amx-");
    (feature.second && !lacks ? features.present : features.absent)
        .push_back(feature.first().str());
  }
  std::sort(features.present.begin(), features.present.end());
  std::sort(features.absent.begin(), features.absent.end());
  return features;
}

static int64_t detectScalableVectors() { return 0; }
#endif

static int64_t widestVector(const HostFacts &host) {
  if (host.has("avx512f"))
    return 512;
  return host.has("avx2") ? 256 : 128;
}

HostFacts lh::detectHost() {
  HostFacts host;
  host.triple = llvm::sys::getProcessTriple();
  host.arch = llvm::Triple(host.triple).getArchName().str();
  host.cpu = llvm::sys::getHostCPUName().str();
  CpuFeatures features = detectFeatures();
  host.features = std::move(features.present);
  host.absent = std::move(features.absent);
  host.cores = usableCores();
  host.vectorBits = widestVector(host);
  host.scalableVectorBits = detectScalableVectors();
  host.programFolder = llvm::sys::path::parent_path(
                           llvm::sys::fs::getMainExecutable(
                               nullptr, reinterpret_cast<void *>(&detectHost)))
                           .str();
  host.l1dBytes = std::max(0L, sysconf(_SC_LEVEL1_DCACHE_SIZE));
  host.l2Bytes = std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
  return host;
}
