// Detects the CPU, its features and its caches.
#include "backend/HostFacts.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

#include <sched.h>
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
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      host.features.push_back(feature.first().str());
  std::sort(host.features.begin(), host.features.end());
  host.cores = usableCores();
  host.vectorBits = widestVector(host);
  host.programFolder = llvm::sys::path::parent_path(
                           llvm::sys::fs::getMainExecutable(
                               nullptr, reinterpret_cast<void *>(&detectHost)))
                           .str();
  host.l1dBytes = std::max(0L, sysconf(_SC_LEVEL1_DCACHE_SIZE));
  host.l2Bytes = std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
  return host;
}
