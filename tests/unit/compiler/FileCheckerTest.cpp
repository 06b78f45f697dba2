// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FileCheck on a module's text: what is said, and where.
#include "steps/FileChecker.h"
#include "IrTest.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

struct FileCheckerTest {
  FileCheckerTest() {
    REQUIRE(bench
                .import("func.func @main(%a: f32) -> f32 {\n"
                        "  %b = arith.addf %a, %a : f32\n"
                        "  return %b : f32\n}")
                .status == StepStatus::Passed);
  }

  LogicalResult check(StringRef directives, StringRef prefix = "CHECK") {
    CheckFile file{bench.write("text.check", directives),
                   prefix.str(),
                   {"m.yaml", 4, 2, 0}};
    return checkText(bench.runner.module(), file, sink);
  }

  const Diagnostic &only() {
    REQUIRE(sink.diagnostics().size() == 1);
    return sink.diagnostics()[0];
  }

  IrWorkbench bench;
  CollectingSink sink;
};

} // namespace

TEST_CASE_METHOD(FileCheckerTest, "a module that is as expected says nothing",
                 "[ir]") {
  CHECK(succeeded(check("// CHECK-LABEL: func.func @main\n"
                        "// CHECK: %[[B:.*]] = arith.addf\n"
                        "// CHECK-NEXT: return %[[B]]\n"
                        "// CHECK-NOT: arith.addf\n")));
  CHECK(succeeded(check("OTHER: arith.mulf\nMINE: arith.addf\n", "MINE")));
  CHECK(sink.diagnostics().empty());
}

TEST_CASE_METHOD(FileCheckerTest, "what is missing is said at its directive",
                 "[ir]") {
  CHECK(failed(check("// CHECK: func.func @main\n// CHECK: arith.addi\n")));
  CHECK(only().kind == DiagKind::IrUnexpectedText);
  CHECK(only().where.line == 2);
  CHECK(only().where.column == 11);
  CHECK_THAT(only().message, Catch::Contains("expected string not found"));
  REQUIRE(only().notes.size() >= 2);
  CHECK(only().notes[0].where.file == "<module>");
  CHECK(only().notes[0].where.line == 2);
  CHECK_THAT(only().notes[0].message, Catch::Contains("func.func @main"));
  CHECK(only().notes.back().where.file == "m.yaml");
}

TEST_CASE_METHOD(FileCheckerTest, "what is excluded is said with its line",
                 "[ir]") {
  CHECK(failed(check("// CHECK: func.func\n// CHECK-NOT: arith.addf\n")));
  CHECK(only().kind == DiagKind::IrUnexpectedText);
  CHECK(only().where.line == 2);
  CHECK_THAT(only().notes[0].message,
             Catch::Contains("%0 = arith.addf %arg0, %arg0 : f32"));
}

TEST_CASE_METHOD(FileCheckerTest,
                 "an undefined variable is said at its directive", "[ir]") {
  CHECK(failed(check("// CHECK: func.func\n// CHECK: [[B]]\n")));
  CHECK(only().kind == DiagKind::IrUnexpectedText);
  CHECK(only().where.line == 2);
  CHECK(only().message == "undefined variable: B");
}

TEST_CASE_METHOD(FileCheckerTest, "a check file that checks nothing is refused",
                 "[ir]") {
  CHECK(failed(check("// CHECK: arith.addf\n", "OTHER")));
  CHECK(only().kind == DiagKind::IrBadCheckFile);
  CHECK(only().where.file == "m.yaml");
  CHECK_THAT(only().message, Catch::Contains("no directive 'OTHER:'"));
}

TEST_CASE_METHOD(FileCheckerTest,
                 "a malformed directive is refused where it stands", "[ir]") {
  CHECK(failed(check("// CHECK: func\n// CHECK: {{(}}\n")));
  CHECK(only().kind == DiagKind::IrBadCheckFile);
  CHECK(only().where.line == 2);
}

TEST_CASE_METHOD(FileCheckerTest, "a check file that is gone is an error",
                 "[ir]") {
  CheckFile file{"/nowhere/x.check", "CHECK", {"m.yaml", 4, 2, 0}};
  CHECK(failed(readCheckFile(file, sink)));
  CHECK(only().kind == DiagKind::SupportCannotRead);
  CHECK(only().where.file == "m.yaml");
}
