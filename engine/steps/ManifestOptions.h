// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a manifest is read, run and judged: options that many commands share.
#ifndef LH_STEPS_MANIFESTOPTIONS_H
#define LH_STEPS_MANIFESTOPTIONS_H

#include "core/manifest/Manifest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lh {

/// What selects a part of a manifest's graph.
struct GraphOptions {
  std::string manifest;
  std::string target;
  std::vector<std::string> pipelines, cases;
  std::vector<std::string> models; ///< run in place of the cases
  std::string modelManifest;       ///< for a model in the place of the manifest
  std::map<std::string, std::string> set;
  std::vector<std::string> tuned; ///< files of measured choices
  std::vector<std::string> libraryDirs;
  std::vector<std::string> plugins;
  bool allowExec = false;
  unsigned threads = 0;        ///< of the generated code; 0: what targets say
  std::string device = "auto"; ///< see DeviceChoice
};

/// A library that the code of a run is handed out as.
struct LibraryOptions {
  std::string path;           ///< empty: none
  bool weightsBeside = false; ///< in a file of their own
};

/// Where what steps do is kept, so that they need not do it again.
struct CacheOptions {
  bool off = false;
  std::string folder; ///< empty: what the environment says
  std::string remote; ///< "URL" or "URL,read-only"; empty: none
  uint64_t mebibytes = 2048;
  bool explain = false, paranoid = false;
};

/// What is run of a manifest, how, and how it is judged.
struct ManifestRunOptions {
  GraphOptions graph;
  unsigned jobs = 0; ///< 0: one per core
  bool keepGoing = false, strict = false, inProcess = false;
  bool explainTolerance = false, verbose = false;
  std::vector<std::string> inputs;
  std::optional<uint64_t> seed;
  double stepTimeout = 0;      ///< seconds; 0: none
  uint64_t memoryLimitMiB = 0; ///< per worker; 0: none
  ToleranceDecl tolerance;     ///< stronger than every other
  std::string oracle;          ///< a mode's name; empty: the manifest's
};

} // namespace lh

#endif // LH_STEPS_MANIFESTOPTIONS_H
