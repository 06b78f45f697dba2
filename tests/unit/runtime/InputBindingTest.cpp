// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matching given tensors to an entry's inputs.
#include "runtime/abi/InputBinding.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

static EntryAbi entryOf(std::vector<TensorSignature> inputs) {
  EntryAbi abi;
  abi.name = "main";
  for (TensorSignature &input : inputs)
    abi.arguments.emplace_back().tensor = std::move(input);
  return abi;
}

static NamedTensor tensor(std::string name, DType dtype,
                          std::vector<int64_t> shape) {
  return {std::move(name), Tensor(dtype, std::move(shape))};
}

static const EntryAbi entry =
    entryOf({{"x", DType::Float32, {-1, 1, 8, 8}}, {"n", DType::Int64, {}}});

static std::vector<std::string> complaints(ArrayRef<NamedTensor> given) {
  CollectingSink sink;
  CHECK(failed(bindInputs(entry, given, SourceSpan{"m.yaml", 2, 3}, sink)));
  std::vector<std::string> texts;
  for (const Diagnostic &diagnostic : sink.diagnostics())
    texts.push_back(diagnostic.message + " [" +
                    kindName(diagnostic.kind).str() + "]");
  return texts;
}

TEST_CASE("names decide the order of inputs", "[inputs]") {
  CollectingSink sink;
  std::vector<NamedTensor> given;
  given.push_back(tensor("n", DType::Int64, {}));
  given.push_back(tensor("x", DType::Float32, {4, 1, 8, 8}));
  auto order = bindInputs(entry, given, {}, sink);
  REQUIRE(succeeded(order));
  CHECK(*order == std::vector<size_t>{1, 0});
}

TEST_CASE("inputs whose names are all strange go by position", "[inputs]") {
  CollectingSink sink;
  std::vector<NamedTensor> given;
  given.push_back(tensor("input_0", DType::Float32, {4, 1, 8, 8}));
  given.push_back(tensor("", DType::Int64, {}));
  auto order = bindInputs(entry, given, {}, sink);
  REQUIRE(succeeded(order));
  CHECK(*order == std::vector<size_t>{0, 1});
}

TEST_CASE("a wrong type and a wrong shape are both reported", "[inputs]") {
  std::vector<NamedTensor> given;
  given.push_back(tensor("x", DType::Float64, {1, 3, 8, 8}));
  given.push_back(tensor("n", DType::Int64, {1}));
  auto texts = complaints(given);
  REQUIRE(texts.size() == 3);
  CHECK(
      texts[0] ==
      "input 'x': type float64, the entry takes float32 [backend-input-type]");
  CHECK(texts[1] == "input 'x': shape 1x3x8x8, the entry takes ?x1x8x8 "
                    "[backend-input-shape]");
  CHECK(texts[2] ==
        "input 'n': shape 1, the entry takes a scalar [backend-input-shape]");
}

TEST_CASE("a wrong count says what the entry takes", "[inputs]") {
  auto texts = complaints({});
  REQUIRE(texts.size() == 1);
  CHECK(texts[0] == "0 inputs are given, 'main' takes 2 (x: float32 ?x1x8x8, "
                    "n: int64) [backend-input-count]");
}

TEST_CASE("one known name makes the unknown ones mistakes", "[inputs]") {
  std::vector<NamedTensor> given;
  given.push_back(tensor("x", DType::Float32, {1, 1, 8, 8}));
  given.push_back(tensor("nn", DType::Int64, {}));
  auto texts = complaints(given);
  REQUIRE(texts.size() == 2);
  CHECK_THAT(texts[0], Contains("no input is called 'n'"));
  CHECK_THAT(texts[1], Contains("unknown input 'nn'") &&
                           Contains("[backend-input-name]"));
}

static const EntryAbi symbolic =
    entryOf({{"x", DType::Float32, {-1, 4}, {"batch", ""}},
             {"y", DType::Float32, {-1, -1}, {"batch", "n"}},
             {"z", DType::Float32, {-1}, {"n"}}});

TEST_CASE("dimensions of one symbol must have one size", "[inputs]") {
  auto bind = [](int64_t yBatch, int64_t n, CollectingSink &sink) {
    std::vector<NamedTensor> given;
    given.push_back(tensor("x", DType::Float32, {2, 4}));
    given.push_back(tensor("y", DType::Float32, {yBatch, 5}));
    given.push_back(tensor("z", DType::Float32, {n}));
    return succeeded(bindInputs(symbolic, given, {"m.yaml", 2, 3}, sink));
  };
  CollectingSink good, bad;
  CHECK(bind(2, 5, good));
  REQUIRE(!bind(3, 6, bad));
  REQUIRE(bad.diagnostics().size() == 2);
  const Diagnostic &batch = bad.diagnostics()[0];
  CHECK(batch.message == "input 'y': dimension 0 is 3, but 'batch' is 2, as "
                         "dimension 0 of input 'x' has it");
  CHECK(kindName(batch.kind) == "backend-input-shape");
  CHECK(batch.where.line == 2);
  CHECK(bad.diagnostics()[1].message ==
        "input 'z': dimension 0 is 6, but 'n' is 5, as dimension 1 of input "
        "'y' has it");
}

TEST_CASE("an output of another size than its symbol is a warning",
          "[inputs]") {
  EntryAbi abi = symbolic;
  abi.results = {{"r", DType::Float32, {-1, -1}, {"batch", "other"}}};
  Tensor x(DType::Float32, {2, 4}), y(DType::Float32, {2, 5}),
      z(DType::Float32, {5});
  auto warn = [&](int64_t rows, CollectingSink &sink) {
    std::vector<NamedTensor> outputs;
    outputs.push_back(tensor("r", DType::Float32, {rows, 7}));
    warnOfOutputSymbols(abi, {&x, &y, &z}, outputs, {}, sink);
  };
  CollectingSink good, bad;
  warn(2, good);
  CHECK(good.diagnostics().empty());
  warn(3, bad);
  REQUIRE(bad.diagnostics().size() == 1);
  CHECK(bad.diagnostics()[0].severity == Severity::Warning);
  CHECK(bad.diagnostics()[0].message ==
        "output 'r': dimension 0 is 3, but 'batch' is 2, as dimension 0 of "
        "input 'x' has it");
}
