// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts that a target has by what it is.
#include "core/graph/DefaultFacts.h"

#include "core/manifest/TargetParser.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <unistd.h>

using namespace lh;

/// Of the machine that this runs on, whatever it calls itself.
static bool isHost(const TargetSpec &target) {
  return target.backend == "cpu" &&
         (target.cpu == "host" || target.cpu.empty()) && target.triple.empty();
}

static llvm::Triple tripleOf(const TargetSpec &target) {
  return llvm::Triple(target.triple.empty() ? llvm::sys::getProcessTriple()
                                            : target.triple);
}

/// What LLVM knows of the target's CPU, then what the target says.
static llvm::StringSet<> featuresOf(const TargetSpec &target,
                                    const llvm::Triple &triple) {
  llvm::SmallVector<StringRef> known;
  if (triple.isX86() &&
      llvm::X86::parseArchX86(target.cpu) != llvm::X86::CPUKind::CK_None)
    llvm::X86::getFeaturesForCPU(target.cpu, known);
  std::vector<StringRef> extensions;
  if (auto cpu = llvm::AArch64::parseCpu(target.cpu);
      triple.isAArch64() && cpu &&
      llvm::AArch64::getExtensionFeatures(cpu->getImpliedExtensions(),
                                          extensions))
    known.append(extensions.begin(), extensions.end());
  llvm::StringSet<> features;
  for (StringRef feature : known)
    features.insert(feature.ltrim('+'));
  if (isHost(target))
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      if (feature.second)
        features.insert(feature.first());
  for (StringRef feature : target.features)
    if (feature.consume_front("-"))
      features.erase(feature);
    else
      features.insert(feature.ltrim('+'));
  return features;
}

/// The files of `folder` that say something of `target`, the most particular
/// last.
static std::vector<std::string> filesFor(const TargetSpec &target,
                                         StringRef folder,
                                         llvm::vfs::FileSystem &files) {
  std::vector<std::string> names = {target.backend + ".yaml"};
  if (target.backend == "cpu") {
    llvm::Triple triple = tripleOf(target);
    std::string arch = triple.getArchName().str();
    std::replace(arch.begin(), arch.end(), '_', '-');
    llvm::StringSet<> features = featuresOf(target, triple);
    names.push_back(arch + ".yaml");
    for (const std::string &name : listFolder(files, folder)) {
      StringRef needed = name;
      if (needed.consume_front(arch + ".") && needed.consume_back(".yaml") &&
          llvm::all_of(llvm::split(needed, '.'), [&](StringRef feature) {
            return features.contains(feature);
          }))
        names.push_back(name);
    }
    // Alphabetically, but a file for more features after those for fewer.
    llvm::stable_sort(names, [](StringRef one, StringRef other) {
      return one.count('.') < other.count('.');
    });
  }
  std::vector<std::string> paths;
  for (const std::string &name : names)
    if (std::string path = absolutePath(name, folder); isFile(files, path))
      paths.push_back(std::move(path));
  return paths;
}

static const DefaultFacts *
readFile(const std::string &file, SourceStore &sources, DiagnosticSink &sink) {
  return sources.parts<DefaultFacts>(file, {}, sink, [&](StringRef text) {
    return parseDefaultFacts(text, file, sink);
  });
}

/// What the system says of this machine's caches.
static void addHostFacts(std::map<std::string, Located<Value>> &facts) {
  for (auto [name, number] :
       {std::pair("l1d_bytes", sysconf(_SC_LEVEL1_DCACHE_SIZE)),
        std::pair("l2_bytes", sysconf(_SC_LEVEL2_CACHE_SIZE))})
    if (number > 0)
      facts[name] = {int64_t(number), {}};
}

/// The folder of the first library that has one; "": none has.
static std::string defaultsFolder(ArrayRef<std::string> libraryDirs,
                                  llvm::vfs::FileSystem &files) {
  for (const std::string &library : libraryDirs)
    if (std::string folder = absolutePath("targets/defaults", library);
        isFolder(files, folder))
      return folder;
  return "";
}

LogicalResult lh::addDefaultFacts(TargetSpec &target,
                                  ArrayRef<std::string> libraryDirs,
                                  SourceStore &sources, DiagnosticSink &sink) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  std::string folder = defaultsFolder(libraryDirs, files);
  if (folder.empty())
    return success();
  std::map<std::string, Located<Value>> facts;
  for (const std::string &file : filesFor(target, folder, files)) {
    const DefaultFacts *found = readFile(file, sources, sink);
    if (!found)
      return failure();
    for (const auto &[name, fact] : found->facts)
      facts[name] = fact;
    target.bases.push_back(file);
  }
  if (isHost(target))
    addHostFacts(facts);
  target.facts.insert(facts.begin(), facts.end());
  return success();
}

FailureOr<std::map<std::string, DefaultFacts>>
lh::readDefaultFacts(ArrayRef<std::string> libraryDirs, SourceStore &sources,
                     DiagnosticSink &sink) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  std::string folder = defaultsFolder(libraryDirs, files);
  std::map<std::string, DefaultFacts> all;
  for (const std::string &name : listFolder(files, folder)) {
    const DefaultFacts *facts =
        readFile(absolutePath(name, folder), sources, sink);
    if (!facts)
      return failure();
    all[llvm::sys::path::stem(name).str()] = *facts;
  }
  return all;
}
