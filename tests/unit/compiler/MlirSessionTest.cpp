// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The session: what is registered, and plugins.
#include "IrTest.h"
#include "compiler/session/PassPipeline.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a session starts with nothing but the builtin dialect loaded",
          "[ir]") {
  MlirSession session;
  CHECK(session.context().getLoadedDialects().size() == 1);
  CHECK_FALSE(session.context().isMultithreadingEnabled());
  session.loadAll();
  CHECK(session.context().getLoadedDialect("linalg"));
  CHECK(session.context().getLoadedDialect("arm_sve"));
}

TEST_CASE("the names of passes are listed for hints", "[ir]") {
  MlirSession session;
  ArrayRef<StringRef> names = registeredPassNames();
  CHECK(names.size() > 200);
  CHECK(llvm::is_contained(names, "cse"));
  CHECK(llvm::is_contained(names, "lh-entry-abi"));
  CHECK(llvm::is_contained(names, "buffer-deallocation-pipeline"));
}

TEST_CASE("a plugin that is no plugin is refused by name", "[ir]") {
  IrWorkbench bench;
  CollectingSink sink;
  CHECK(failed(bench.session.loadPlugin("/no/such/plugin.so", sink)));
  std::string text = bench.write("plugin.so", "text");
  CHECK(failed(bench.session.loadPlugin(text, sink)));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK(kindName(sink.diagnostics()[0].kind) == "ir-plugin-not-loaded");
  CHECK_THAT(sink.diagnostics()[1].message, Catch::Contains("plugin.so"));
}
