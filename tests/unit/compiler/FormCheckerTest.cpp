// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contracts on IR, clause by clause.
#include "steps/FormChecker.h"
#include "IrTest.h"
#include "compiler/session/FormGatherer.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

/// How many clauses of `form` the module breaks.
static unsigned broken(StringRef mlir, const FormDecl &form) {
  IrWorkbench bench;
  CollectingSink sink;
  bool failedAny =
      failed(checkForm(bench.imported(mlir), form, "ensures", sink));
  CHECK(failedAny == (sink.errorCount() > 0));
  return sink.errorCount();
}

static constexpr StringRef onTensors =
    "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> "
    "{ return %a : tensor<?xf32> }";
static constexpr StringRef device =
    "module attributes {gpu.container_module} { gpu.module @k { gpu.func @f() "
    "kernel { %0 = arith.constant 1 : i32 gpu.return } } }";

TEST_CASE("dialects: only, none and some", "[ir]") {
  FormDecl form;
  form.dialectsOnly = {"func"};
  CHECK(broken(onTensors, form) == 0);
  form.dialectsOnly = {"arith"};
  CHECK(broken(onTensors, form) == 1);
  form = {};
  form.dialectsNone = {"func", "scf"};
  form.dialectsSome = {"linalg"};
  CHECK(broken(onTensors, form) == 2);
}

TEST_CASE("ops and types: none and some", "[ir]") {
  FormDecl form;
  form.opsNone = {"func.return"};
  form.opsSome = {"linalg.matmul"};
  form.typesNone = {"tensor"};
  form.typesSome = {"memref"};
  CHECK(broken(onTensors, form) == 4);
  form = {};
  form.typesSome = {"scalable-vector"};
  form.typesNone = {"vector"};
  CHECK(broken("func.func @f(%a: vector<[4]xf32>) { return }", form) == 0);
}

TEST_CASE("static shapes refuse a dynamic one", "[ir]") {
  FormDecl form;
  form.shapes = "static";
  CHECK(broken(onTensors, form) == 1);
  form.shapes = "any";
  CHECK(broken(onTensors, form) == 0);
}

TEST_CASE("device code counts only where a clause names it", "[ir]") {
  FormDecl form;
  form.opsNone = {"arith.constant"};
  CHECK(broken(device, form) == 0);
  form.dialectsSome = {"gpu"};
  CHECK(broken(device, form) == 1);
}

TEST_CASE("vectors of fixed length are at most so large", "[ir]") {
  FormDecl form;
  form.largestVector = 16;
  constexpr StringRef text =
      "func.func @f(%a: vector<4x4xf32>, %b: vector<[64]xf32>) { return }";
  CHECK(broken(text, form) == 0);
  form.largestVector = 15;
  CHECK(broken(text, form) == 1);
}

TEST_CASE("stack memory is taken outside of loops", "[ir]") {
  FormDecl form;
  form.allocas = "outside-loops";
  constexpr StringRef inLoop =
      "func.func @f(%n: index) { %z = arith.constant 0 : index\n"
      "scf.for %i = %z to %n step %n { %a = memref.alloca() : memref<4xf32>\n"
      "memref.dealloc %a : memref<4xf32> } return }";
  CHECK(broken(inLoop, form) == 1);
  CHECK(broken("func.func @f() { %a = memref.alloca() : memref<4xf32> "
               "memref.dealloc %a : memref<4xf32> return }",
               form) == 0);
  // A scope gives it back in each turn.
  CHECK(broken("func.func @f(%n: index) { %z = arith.constant 0 : index\n"
               "scf.for %i = %z to %n step %n { memref.alloca_scope { "
               "%a = memref.alloca() : memref<4xf32>\n"
               "memref.dealloc %a : memref<4xf32> } } return }",
               form) == 0);
  form.allocas = "any";
  CHECK(broken(inLoop, form) == 0);
}

TEST_CASE("a cycle of blocks is a loop", "[ir]") {
  FormDecl form;
  form.allocas = "outside-loops";
  constexpr StringRef code =
      "llvm.func @f(%n: i64, %c: i1) { llvm.br ^a\n"
      "^a: %0 = llvm.alloca %n x f32 : (i64) -> !llvm.ptr\n"
      "llvm.cond_br %c, ^TO, ^b\n^b: llvm.return }";
  auto to = [&](StringRef block) {
    auto [before, after] = code.split("TO");
    return (before + block + after).str();
  };
  CHECK(broken(to("a"), form) == 1);
  CHECK(broken(to("b"), form) == 0);
}

TEST_CASE("the boundary is what public functions take and return", "[ir]") {
  FormDecl form;
  form.boundary = "tensors";
  CHECK(broken(onTensors, form) == 0);
  form.boundary = "memrefs";
  CHECK(broken(onTensors, form) == 1);
  form.boundary = "pointers";
  CHECK(broken("llvm.func @main(%a: !llvm.ptr) { llvm.return }", form) == 0);
  // Scalars, private functions and declarations say nothing.
  CHECK(broken("func.func @main(%a: f32) { return } "
               "func.func private @g(%a: memref<4xf32>) { return } "
               "func.func private @h(tensor<4xf32>)",
               form) == 0);
}

TEST_CASE("nothing new comes up in what a bubble preserves", "[ir]") {
  auto formOf = [](StringRef mlir) {
    IrWorkbench bench;
    return gatherForm(bench.imported(mlir));
  };
  ModuleForm small = formOf("func.func @f(%a: vector<4xf32>) { return }");
  ModuleForm large = formOf("func.func @f(%a: vector<8xf32>, "
                            "%b: memref<?xf32>) { %c = arith.constant 0 : "
                            "index return }");
  auto lost = [](const ModuleForm &before, const ModuleForm &after,
                 std::vector<std::string> words) {
    CollectingSink sink;
    (void)checkPreserved(before, after, words, {}, sink);
    return sink.errorCount();
  };
  for (const char *word :
       {"dialects", "ops", "types", "shapes", "vectors", "boundary"}) {
    CHECK(lost(small, large, {word}) == 1);
    CHECK(lost(large, small, {word}) == 0);
  }
  CHECK(lost(small, large, {"allocas"}) == 0);
}
