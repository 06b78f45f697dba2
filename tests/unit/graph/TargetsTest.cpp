// The target files that come with the engine.
#include "graph/TargetFinder.h"
#include "support/FileSystem.h"

#include "llvm/Support/Path.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("the targets that we ship have the facts that schedules need",
          "[graph]") {
  auto files = llvm::vfs::getRealFileSystem();
  SourceStore sources(*files);
  std::string folder = absolutePath(LH_TARGETS, "/");
  std::vector<std::string> names = listFolder(*files, folder);
  CHECK(names.size() >= 3);
  for (const std::string &file : names) {
    INFO(file);
    CollectingSink sink;
    FailureOr<TargetSpec> target =
        readTarget({llvm::sys::path::stem(file).str(), {}}, {folder, {}, {}},
                   sources, sink);
    REQUIRE(succeeded(target));
    if (target->backend != "cpu")
      continue;
    for (const char *fact :
         {"vector_bits", "vector_registers", "l1d_bytes", "l2_bytes"})
      CHECK(target->facts.count(fact) == 1);
  }
}
