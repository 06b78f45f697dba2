// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR files, right and wrong.
#include "compiler/ingress/mlir/MlirImporter.h"
#include "TestModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

static std::vector<Diagnostic> diagnosticsOf(const std::string &text) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  TestFolder folder;
  CollectingSink sink;
  auto module = importMlir(folder.write("m.mlir", text), context, sink);
  CHECK(succeeded(module) == (sink.errorCount() == 0));
  return sink.take();
}

TEST_CASE("a payload parses", "[ingress]") {
  CHECK(diagnosticsOf("func.func @main() { return }\n").empty());
}

TEST_CASE("a syntax error is located in the payload", "[ingress]") {
  std::vector<Diagnostic> found =
      diagnosticsOf("func.func @main() {\n  oops\n}\n");
  REQUIRE_FALSE(found.empty());
  CHECK(kindName(found[0].kind) == "ingress-invalid-mlir");
  CHECK(found[0].where.line == 2);
  CHECK(StringRef(found[0].where.file).ends_with("m.mlir"));
}

TEST_CASE("an operation that does not verify is located", "[ingress]") {
  std::vector<Diagnostic> found = diagnosticsOf(
      "func.func @main(%x: f32) -> i32 {\n  return %x : f32\n}\n");
  REQUIRE_FALSE(found.empty());
  CHECK(kindName(found[0].kind) == "ingress-invalid-mlir");
  CHECK(found[0].where.line == 2);
}

TEST_CASE("a missing payload is unreadable", "[ingress]") {
  mlir::MLIRContext context;
  CollectingSink sink;
  CHECK(failed(importMlir("/nonexistent/m.mlir", context, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(kindName(sink.diagnostics()[0].kind) == "ingress-unreadable-model");
}
