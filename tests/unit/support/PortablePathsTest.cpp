// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths as they are the same in another checkout.
#include "core/support/PortablePaths.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a path is where it lies as seen from manifest and library",
          "[support]") {
  PortablePaths here("/home/a/work/manifests", {"/opt/lib"});
  CHECK(here.pack("/opt/lib/schedules/t.mlir") ==
        "@{library}/schedules/t.mlir");
  CHECK(here.pack("/home/a/work/manifests/n.onnx") == "@{manifest}/n.onnx");
  CHECK(here.pack("/home/a/work/models/n.onnx") ==
        "@{manifest^1}/models/n.onnx");
  CHECK(here.pack("/home/b/n.onnx") == "@{manifest^3}/b/n.onnx");
  for (StringRef same : {"/srv/n.onnx", "/opt/library/x", "n.onnx", ""})
    CHECK(here.pack(same) == same);
}

TEST_CASE("elsewhere it is the path that lies the same", "[support]") {
  PortablePaths here("/home/a/work/manifests", {"/opt/lib"}),
      there("/builds/7/manifests", {"/usr/share/lib"});
  CHECK(there.unpack(here.pack("/home/a/work/models/n.onnx")) ==
        "/builds/7/models/n.onnx");
  CHECK(there.unpack(here.pack("/opt/lib/t.mlir")) == "/usr/share/lib/t.mlir");
  CHECK(there.unpack("@{manifest^9}/x") == "@{manifest^9}/x");
}

TEST_CASE("in a text only whole paths are meant", "[support]") {
  PortablePaths here("/tmp/m", {"/opt/lib"});
  std::string text = R"({"file":"/tmp/m/a.yaml","say":"in '/opt/lib/t.mlir', )"
                     R"(not /x/tmp/m/a or @{it}"})";
  std::string packed = here.packAll(text);
  CHECK(packed == R"({"file":"@{manifest}/a.yaml","say":"in )"
                  R"('@{library}/t.mlir', not /x/tmp/m/a or @{it}"})");
  CHECK(here.unpackAll(packed) == text);
}
