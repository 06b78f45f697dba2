// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths as they are the same in another checkout.
#include "core/support/PortablePaths.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a path is where it lies as seen from manifest and library",
          "[support]") {
  PortablePaths here("/srv/a/work/manifests", {"/opt/lib"});
  CHECK(here.pack("/opt/lib/schedules/t.mlir") ==
        "@{library}/schedules/t.mlir");
  CHECK(here.pack("/srv/a/work/manifests/n.onnx") == "@{manifest}/n.onnx");
  CHECK(here.pack("/srv/a/work/models/n.onnx") ==
        "@{manifest^1}/models/n.onnx");
  CHECK(here.pack("/srv/b/n.onnx") == "@{manifest^3}/b/n.onnx");
  for (StringRef same : {"/data/n.onnx", "/opt/library/x", "n.onnx", ""})
    CHECK(here.pack(same) == same);
}

TEST_CASE("elsewhere it is the path that lies the same", "[support]") {
  PortablePaths here("/srv/a/work/manifests", {"/opt/lib"}),
      there("/data/7/manifests", {"/usr/share/lib"});
  CHECK(there.unpack(here.pack("/srv/a/work/models/n.onnx")) ==
        "/data/7/models/n.onnx");
  CHECK(there.unpack(here.pack("/opt/lib/t.mlir")) == "/usr/share/lib/t.mlir");
  CHECK(there.unpack("@{manifest^9}/x") == "@{manifest^9}/x");
}

TEST_CASE("a model that lies elsewhere has a folder of its own", "[support]") {
  PortablePaths here("/opt/lib/manifests", {"/opt/lib"}),
      there("/data/lib/manifests", {"/data/lib"});
  here.addFolder("/srv/a", "5f2c");
  here.addFolder("/opt/lib/golden/g", "77");
  there.addFolder("/data/b", "5f2c");
  CHECK(here.pack("/opt/lib/golden/g/g.onnx") == "@{library}/golden/g/g.onnx");
  CHECK(here.pack("/srv/a/net.onnx") == "@{with 5f2c}/net.onnx");
  CHECK(here.shown("/srv/a/net.onnx") == "net.onnx");
  CHECK(there.unpack(here.pack("/srv/a/weights.bin")) == "/data/b/weights.bin");
  here.addFolder("/srv/copy", "5f2c");
  CHECK(here.unpack("@{with 5f2c}/net.onnx") == "/srv/a/net.onnx");
}

TEST_CASE("in a text only whole paths are meant", "[support]") {
  PortablePaths here("/srv/m", {"/opt/lib"});
  std::string text = R"({"file":"/srv/m/a.yaml","say":"in '/opt/lib/t.mlir', )"
                     R"(not /x/srv/m/a or @{it}"})";
  std::string packed = here.packAll(text);
  CHECK(packed == R"({"file":"@{manifest}/a.yaml","say":"in )"
                  R"('@{library}/t.mlir', not /x/srv/m/a or @{it}"})");
  CHECK(here.unpackAll(packed) == text);
}
