// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Telling models from manifests by what they hold.
#include "core/graph/ModelSniffing.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::optional<IngressKind> ingressOf(StringRef path,
                                            StringRef contents) {
  std::optional<SniffedFile> sniffed = sniffModel(path, contents);
  return sniffed ? sniffed->ingress : std::nullopt;
}

TEST_CASE("an ONNX model is known by its ending or its first fields",
          "[sniffing]") {
  CHECK(ingressOf("net.onnx", "") == IngressKind::Onnx);
  CHECK(ingressOf("net", StringRef("\x08\x08\x12\x07pytorch", 12)) ==
        IngressKind::Onnx);
  CHECK(ingressOf("net", StringRef("\x08\x07:\x90\x01graph", 10)) ==
        IngressKind::Onnx);
}

TEST_CASE("MLIR is known by its ending, its magic number or its first op",
          "[sniffing]") {
  CHECK(ingressOf("m.mlir", "") == IngressKind::Mlir);
  CHECK(ingressOf("m", "ML\xefR\x06") == IngressKind::Mlir);
  CHECK(ingressOf("m", "// a comment\n\nmodule {\n}") == IngressKind::Mlir);
  CHECK(ingressOf("m", "#map = affine_map<(d0) -> (d0)>") == IngressKind::Mlir);
  CHECK(ingressOf("m", "func.func @main() {\n return }") == IngressKind::Mlir);
  // Operations tell StableHLO from other MLIR, a comment doesn't.
  CHECK(ingressOf("m.mlir", "func.func @f() {\n %0 = stablehlo.iota") ==
        IngressKind::Stablehlo);
  CHECK(ingressOf("m", "module {\n \"stablehlo.gather\"(%0)") ==
        IngressKind::Stablehlo);
  CHECK(ingressOf("m.mlir", "// of stablehlo.add\nfunc.func @f() {") ==
        IngressKind::Mlir);
  CHECK(ingressOf("m", StringRef("ML\xefR\x06StableHLO_v1.4.0\0", 22)) ==
        IngressKind::Stablehlo);
}

TEST_CASE("manifests are no models, whatever they begin with", "[sniffing]") {
  CHECK(!sniffModel("m.yaml", "module: 1\n"));
  CHECK(!sniffModel("m.json", "{\"lighthouse\": 1}"));
  CHECK(!sniffModel("m", "# lh-run = a tool\nlighthouse: 1\n"));
  CHECK(!sniffModel("m", "lighthouse: 1\n"));
  CHECK(!sniffModel("m", ""));
}

TEST_CASE("what other programs read is named, with the way out", "[sniffing]") {
  for (StringRef contents :
       {StringRef("\x1c\0\0\0TFL3", 8), StringRef("HloModule m"),
        StringRef("PK\x03\x04"), StringRef("\x89HDF\r\n"), StringRef("GGUF")}) {
    std::optional<SniffedFile> sniffed = sniffModel("m.yaml", contents);
    REQUIRE(sniffed);
    CHECK(!sniffed->ingress);
    CHECK(!sniffed->kind.empty());
    CHECK(!sniffed->remedy.empty());
  }
}
