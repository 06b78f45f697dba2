// Contracts on IR, clause by clause.
#include "ir/FormChecker.h"
#include "IrTest.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

/// How many clauses of `form` the module breaks.
static unsigned broken(StringRef mlir, const FormDecl &form) {
  IrWorkbench bench;
  REQUIRE(bench.import(mlir).status == StepStatus::Passed);
  CollectingSink sink;
  bool failedAny =
      failed(checkForm(bench.runner.module(), form, "ensures", sink));
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
