// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every model of ONNX's backend tests either imports or is refused.
#include "TestModel.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

struct Count {
  unsigned imported = 0, refused = 0;
};

static Count importAll(const std::string &folder) {
  Count count;
  std::error_code code;
  using Iterator = llvm::sys::fs::directory_iterator;
  for (Iterator each(LH_ONNX_TESTDATA "/" + folder, code), end;
       each != end && !code; each.increment(code)) {
    std::string model = each->path() + "/model.onnx";
    if (!llvm::sys::fs::exists(model))
      continue;
    Imported result = importFile(model);
    INFO(model << ": " << result.messages());
    CHECK(result.succeeded == result.diagnostics.empty());
    ++(result.succeeded ? count.imported : count.refused);
  }
  return count;
}

TEST_CASE("the node tests import or are refused", "[ingress]") {
  Count count = importAll("node");
  REQUIRE(count.imported + count.refused == 932); // libonnx-testdata 1.12
  CHECK(count.imported >= 803);
}

TEST_CASE("the models converted from PyTorch import", "[ingress]") {
  Count count = importAll("pytorch-converted");
  REQUIRE(count.imported + count.refused == 82);
  CHECK(count.imported == 82);
}
