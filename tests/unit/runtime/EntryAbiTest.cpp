// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading lh.abi.
#include "BackendTestSupport.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

static FailureOr<ModuleAbi> read(StringRef text, CollectingSink &sink,
                                 StringRef entry = "main") {
  LoweredModule lowered(text, "");
  return readEntryAbi(lowered.module(), entry, SourceSpan{"m.yaml", 3, 5},
                      sink);
}

static std::string abiOf(StringRef main) {
  return ("module attributes {lh.abi = {main = {" + main + "}}} {}").str();
}

TEST_CASE("names, types, shapes and roles are read", "[entry-abi]") {
  CollectingSink sink;
  auto abi = read(R"(module attributes {lh.abi = {
    main = {convention = "returned",
      args = [{name = "x", type = "uint8", role = "input", memref = memref<?x3xi8>, symbols = ["n", ""],
               exact = 7 : i64, ordered = [1, 24, -1]},
              {name = "w", type = "float32", role = "weight", memref = memref<2xf32>,
               data = ["/weights", 16 : i64, 8 : i64]},
              {name = "p", type = "float32", role = "prepared", index = 1 : i64, memref = memref<f32>}],
      results = [{name = "y", type = "bool", memref = memref<?xi8>}]},
    prepare = {convention = "out-params", args = [],
      results = [{name = "a", type = "float32", memref = memref<f32>},
                 {name = "b", type = "float32", memref = memref<f32>}]}}} {})",
                  sink);
  INFO(only(sink));
  REQUIRE(succeeded(abi));
  const EntryAbi &entry = abi->entry;
  CHECK(entry.convention == EntryConvention::Returned);
  REQUIRE(entry.arguments.size() == 3);
  CHECK(entry.arguments[0].tensor.dtype == DType::UInt8);
  CHECK(entry.arguments[0].tensor.shapeText() == "?x3");
  CHECK(entry.arguments[0].tensor.symbols == std::vector<std::string>{"n", ""});
  CHECK(entry.arguments[0].tensor.exact == 7);
  REQUIRE(entry.arguments[0].tensor.ordered);
  CHECK(entry.arguments[0].tensor.ordered->exponent == 24);
  CHECK(entry.arguments[1].data.file == "/weights");
  CHECK(entry.arguments[1].data.offset == 16);
  CHECK(entry.arguments[2].preparedIndex == 1);
  CHECK(entry.results[0].dtype == DType::Bool);
  CHECK(entry.inputs().size() == 1);
  CHECK(abi->prepare->results.size() == 2);
}

TEST_CASE("lh.signature is enough where upstream's passes left pointers",
          "[entry-abi]") {
  auto convention = [](StringRef results) {
    CollectingSink sink;
    auto abi = read(("module {llvm.func @main(%x: !llvm.ptr) " + results +
                     R"( attributes {lh.signature = {
      args = [{name = "x", type = "float32", role = "input", memref = memref<3xf32>}],
      results = [{name = "y", type = "float32", memref = memref<3xf32>}]}} {
      %p = llvm.mlir.zero : !llvm.ptr
      llvm.return )" +
                     (results.empty() ? "" : "%p : !llvm.ptr") + "\n}}")
                        .str(),
                    sink);
    INFO(only(sink));
    REQUIRE(succeeded(abi));
    CHECK(abi->entry.inputNames() == std::vector<StringRef>{"x"});
    CHECK(abi->entry.results[0].name == "y");
    return abi->entry.convention;
  };
  CHECK(convention("") == EntryConvention::OutParams);
  CHECK(convention("-> !llvm.ptr") == EntryConvention::Returned);
}

TEST_CASE("a module without lh.abi is an error with a hint", "[entry-abi]") {
  CollectingSink sink;
  REQUIRE(failed(read("module {}", sink)));
  CHECK_THAT(only(sink), Contains("[backend-missing-abi]") &&
                             Contains("'lh-entry-abi' right after"));
  CHECK(sink.diagnostics()[0].where.line == 3);
}

TEST_CASE("an entry that isn't there suggests the nearest one", "[entry-abi]") {
  CollectingSink sink;
  REQUIRE(failed(read(abiOf(""), sink, "maain")));
  CHECK_THAT(only(sink), Contains("[backend-unknown-entry]") &&
                             Contains("it has 'main'; did you mean 'main'?"));
}

TEST_CASE("an lh.abi that contradicts itself is refused", "[entry-abi]") {
  auto complaint = [](StringRef main) {
    CollectingSink sink;
    REQUIRE(failed(read(abiOf(main), sink)));
    REQUIRE(sink.diagnostics().size() == 1);
    CHECK(kindName(sink.diagnostics()[0].kind) == "backend-malformed-abi");
    return sink.diagnostics()[0].message;
  };
  auto argument = [&](StringRef fields) {
    return complaint(
        ("convention = \"returned\", results = [], args = [{" + fields + "}]")
            .str());
  };
  CHECK_THAT(complaint("args = []"), Contains("are absent"));
  CHECK_THAT(complaint(R"(convention = "registers", args = [], results = [])"),
             Contains("unknown convention 'registers'"));
  CHECK_THAT(argument(R"(name = "x")"), Contains("lacks name, type or memref"));
  CHECK_THAT(argument(R"(name = "x", type = "float33", memref = memref<f32>)"),
             Contains("unknown element type 'float33'"));
  CHECK_THAT(argument(R"(name = "x", type = "float64", memref = memref<f32>)"),
             Contains("doesn't hold float64"));
  CHECK_THAT(argument(R"(name = "x", type = "float32",
                         memref = memref<2xf32, strided<[2]>>)"),
             Contains("row-major"));
  CHECK_THAT(argument(R"(name = "w", type = "float32", memref = memref<f32>,
                         role = "weight")"),
             Contains("lacks data"));
  CHECK_THAT(argument(R"(name = "w", type = "float32", memref = memref<f32>,
                         role = "weight", data = ["f", -1 : i64, 4 : i64])"),
             Contains("has data of another form"));
  CHECK_THAT(argument(R"(name = "w", type = "float32", memref = memref<?xf32>,
                         role = "weight", data = ["f", 0 : i64, 4 : i64])"),
             Contains("dynamic shape"));
  CHECK_THAT(argument(R"(name = "p", type = "float32", memref = memref<f32>,
                         role = "prepared")"),
             Contains("no 'prepare' yields"));
  CHECK_THAT(argument(R"(name = "p", type = "float32", memref = memref<f32>,
                         role = "output")"),
             Contains("unknown role 'output'"));
  CHECK_THAT(argument(R"(name = "x", type = "float32", memref = memref<?xf32>,
                         symbols = ["n", "m"])"),
             Contains("not one text for each dimension"));
  CHECK_THAT(argument(R"(name = "x", type = "float32", memref = memref<f32>,
                         exact = 0 : i64)"),
             Contains("has no integers from"));
  for (StringRef ordered : {"[0]", "[1, 4, -1]", "[-1, 4, -1]", "4 : i64"})
    CHECK_THAT(argument(("name = \"x\", type = \"float32\", memref = "
                         "memref<2xf32>, ordered = " +
                         ordered)
                            .str()),
               Contains("'ordered' of another form"));
  CHECK_THAT(argument(R"(name = "x", type = "float32", memref = memref<?xf32>,
                         symbols = [1])"),
             Contains("not one text for each dimension"));
  CHECK_THAT(complaint(R"(convention = "out-params", args = [], results = [
                          {name = "y", type = "float32", memref = memref<?xf32>}])"),
             Contains("is an out-parameter"));
}
