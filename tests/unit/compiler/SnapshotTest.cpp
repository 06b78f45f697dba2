// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Snapshots begin again with the module that was kept, bit by bit.
#include "IrTest.h"

#include "compiler/session/ModuleFile.h"
#include "compiler/session/Snapshot.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace lh;
using Catch::Contains;

namespace {

/// 4096 elements, of which some differ, and their sum with themselves.
std::string largeProgram() {
  std::string text = "func.func @main() -> tensor<4096xi32> {\n"
                     "  %c = arith.constant dense<[";
  for (int i = 0; i < 4096; ++i)
    text += (i ? "," : "") + std::to_string(i % 251);
  return text + "]> : tensor<4096xi32>\n  return %c : tensor<4096xi32>\n}\n";
}

struct SnapshotTest {
  SnapshotTest() {
    ModuleRunnerOptions options;
    options.snapshotFolder = folder.path;
    bench = std::make_unique<IrWorkbench>(options);
    REQUIRE(bench->import(largeProgram()).status == StepStatus::Passed);
  }

  StepOutcome importFrom(const std::string &path) {
    Step step;
    step.bubble = "again";
    step.action = ImportAction{IngressKind::Mlir, path, {}, {}};
    return other.runner.run(step);
  }

  TestFolder folder;
  std::unique_ptr<IrWorkbench> bench;
  IrWorkbench other;
};

} // namespace

TEST_CASE_METHOD(SnapshotTest, "large constants lie beside bytecode, once",
                 "[snapshot]") {
  std::string text = bench->text();
  bench->passes("cse");
  size_t bytecodes = 0, constants = 0;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder.path)) {
    std::string ending = entry.path().extension();
    constants += ending == ".bin";
    if (ending != ".mlirbc")
      continue;
    ++bytecodes;
    CHECK(entry.file_size() < 4096);
    CHECK(isModuleFile(entry.path(), other.session));
    REQUIRE(importFrom(entry.path()).status == StepStatus::Passed);
    CHECK(other.text() == text);
  }
  CHECK(bytecodes == 2);
  CHECK(constants == 1);
}

TEST_CASE_METHOD(SnapshotTest, "constants that are gone or damaged are refused",
                 "[snapshot]") {
  std::string snapshot, constant;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder.path)) {
    if (entry.path().extension() == ".mlirbc")
      snapshot = entry.path();
    if (entry.path().extension() == ".bin")
      constant = entry.path();
  }
  std::filesystem::resize_file(constant, 100);
  StepOutcome outcome = importFrom(snapshot);
  CHECK(outcome.status == StepStatus::Failed);
  REQUIRE_FALSE(outcome.diagnostics.empty());
  CHECK(outcome.diagnostics[0].kind == DiagKind::IrBadSnapshot);
  CHECK_THAT(outcome.reason, Contains("damaged"));
  std::filesystem::remove(constant);
  CHECK_THAT(importFrom(snapshot).reason, Contains("not there"));
}
