// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.product, transform.lh.match.choice,
// transform.lh.match.identity_consumer, transform.lh.if,
// transform.lh.vectorize_lanes, transform.lh.fuse_into.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string matmul(StringRef m, StringRef n, StringRef k,
                          StringRef type = "f32", StringRef attribute = "") {
  auto tensor = [&](StringRef rows, StringRef columns) {
    return ("tensor<" + rows + "x" + columns + "x" + type + ">").str();
  };
  std::string a = tensor(m, k), b = tensor(k, n), c = tensor(m, n);
  return "func.func @main(%a: " + a + ", %b: " + b + attribute.str() +
         ", %c: " + c + ") -> " + c +
         " {\n  %0 = linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%c : " + c + ") -> " + c + "\n  return %0 : " + c + "\n}";
}

/// A sum over k of products, by maps of A, B and C on (d0, d1, d2, d3).
static std::string batched(StringRef a, StringRef b) {
  return ("func.func @main(%a: tensor<" + a.split(' ').first +
          "xf32>, %b: tensor<" + b.split(' ').first +
          "xf32>, %c: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {\n"
          "  %0 = linalg.generic {indexing_maps = ["
          "affine_map<(d0, d1, d2, d3) -> (" +
          a.split(' ').second + ")>, affine_map<(d0, d1, d2, d3) -> (" +
          b.split(' ').second +
          ")>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"parallel\", \"reduction\"]} "
          "ins(%a, %b : tensor<" +
          a.split(' ').first + "xf32>, tensor<" + b.split(' ').first +
          "xf32>) outs(%c : tensor<2x5x7xf32>) {\n"
          "  ^bb0(%x: f32, %y: f32, %z: f32):\n"
          "    %p = arith.mulf %x, %y : f32\n"
          "    %s = arith.addf %z, %p : f32\n"
          "    linalg.yield %s : f32\n"
          "  } -> tensor<2x5x7xf32>\n  return %0 : tensor<2x5x7xf32>\n}")
      .str();
}

/// How many ops `match.product` with these attributes marks.
static size_t products(const std::string &payload, StringRef attributes) {
  IrWorkbench bench;
  REQUIRE(bench.import(payload).status == StepStatus::Passed);
  StepOutcome outcome = bench.schedule(
      ("transform.named_sequence @is(%op: !transform.any_op "
       "{transform.readonly}) -> !transform.any_op {\n"
       "  %sizes:4 = transform.lh.match.product %op loops " +
       attributes +
       " : !transform.any_op\n"
       "  transform.yield %op : !transform.any_op\n}\n"
       "transform.named_sequence @e(%r: !transform.any_op "
       "{transform.readonly}) {\n"
       "  %it = transform.collect_matching @is in %r : (!transform.any_op) -> "
       "!transform.any_op\n"
       "  transform.annotate %it \"found\" : !transform.any_op\n"
       "  transform.yield\n}")
          .str(),
      "e");
  CHECK(outcome.reason == "");
  return countOf(bench.text(), "found");
}

TEST_CASE("a product is matched by the roles of its loops", "[ir]") {
  CHECK(products(matmul("4", "5", "6"), "[\"mnk\"]") == 1);
  CHECK(products(matmul("4", "5", "6"), "[\"bmnk\", \"nmk\"]") == 0);
  CHECK(products(matmul("0", "5", "6"), "[\"mnk\"]") == 0);
  std::string own = batched("2x5x3 d0, d1, d3", "2x3x7 d0, d3, d2");
  CHECK(products(own, "[\"bmnk\"]") == 1);
  std::string sharedRight = batched("2x5x3 d0, d1, d3", "3x7 d3, d2");
  CHECK(products(sharedRight, "[\"mmnk\"]") == 1);
  std::string sharedLeft = batched("5x3 d1, d3", "2x3x7 d0, d3, d2");
  CHECK(products(sharedLeft, "[\"nmnk\"]") == 1);
}

TEST_CASE("the order in which operands are indexed can be asked for", "[ir]") {
  std::string text = matmul("4", "5", "6");
  CHECK(products(text, "[\"mnk\"] {operands = \"mk,kn->mn\"}") == 1);
  CHECK(products(text, "[\"mnk\"] {operands = \"mk,nk->mn\"}") == 0);
}

TEST_CASE("products are told apart by types", "[ir]") {
  CHECK(products(matmul("4", "5", "6"), "[\"mnk\"] {types = [f32, f64]}") == 1);
  CHECK(products(matmul("4", "5", "6", "f16"),
                 "[\"mnk\"] {types = [f32, f64]}") == 0);
  CHECK(products(matmul("4", "5", "6", "f64"), "[\"mnk\"] {bits = 64 : i64}") ==
        1);
  CHECK(products(matmul("4", "5", "6"), "[\"mnk\"] {bits = 64 : i64}") == 0);
  // Complex numbers are multiplied, but not by one multiplication.
  std::string complex = matmul("4", "5", "6", "complex<f32>");
  CHECK(products(complex, "[\"mnk\"]") == 0);
  CHECK(products(complex, "[\"mnk\"] {any_body}") == 1);
}

TEST_CASE("a product is matched by all that a measured choice is about",
          "[ir]") {
  StringRef key = "[\"mnk\"] {any_body, sizes = array<i64: 4, -1, 6>, "
                  "element_types = [f32, f32, f32], right_varies}";
  CHECK(products(matmul("4", "?", "6"), key) == 1);
  CHECK(products(matmul("4", "5", "6"), key) == 0);
  CHECK(products(matmul("4", "?", "7"), key) == 0);
  CHECK(products(matmul("4", "?", "6", "f64"), key) == 0);
  StringRef known = "[\"mnk\"] {right_known}";
  CHECK(products(matmul("4", "5", "6"), known) == 0);
  CHECK(products(matmul("4", "5", "6", "f32", " {lh.weight}"), known) == 1);
  std::string window =
      "func.func @main(%a: tensor<1x9x9x3xf32>, %b: tensor<3x3x3x8xf32>, %c: "
      "tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {\n"
      "  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} "
      "ins(%a, %b : tensor<1x9x9x3xf32>, tensor<3x3x3x8xf32>) outs(%c : "
      "tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>\n"
      "  return %0 : tensor<1x4x4x8xf32>\n}";
  StringRef steps = "[\"mmmnkkk\"] {windows, steps = array<i64: 2, 2, 1, 1>}";
  CHECK(products(window, steps) == 1);
  CHECK(products(window, "[\"mmmnkkk\"] {windows, steps = array<i64: 1, 1, 1, "
                         "1>}") == 0);
}

TEST_CASE("products are told apart by sizes in the order b, m, n, k", "[ir]") {
  StringRef least = "[\"mnk\"] {at_least = array<i64: 1, -1, 8, 1>}";
  CHECK(products(matmul("4", "8", "6"), least) == 1);
  CHECK(products(matmul("4", "7", "6"), least) == 0);
  CHECK(products(matmul("4", "?", "6"), least) == 0);
  CHECK(products(matmul("4", "?", "6"),
                 "[\"mnk\"] {at_least = array<i64: 1, 1, 8, 1>, "
                 "unknown_is_large}") == 1);
  StringRef most = "[\"mnk\"] {at_most = array<i64: -1, 4, -1, -1>}";
  CHECK(products(matmul("4", "8", "6"), most) == 1);
  CHECK(products(matmul("5", "8", "6"), most) == 0);
  CHECK(products(matmul("?", "8", "6"), most) == 0);
}

TEST_CASE("a product may have to fill tiles to some percent", "[ir]") {
  auto fills = [](StringRef rows, StringRef columns, int percent) {
    return products(matmul(rows, columns, "8"),
                    ("[\"mnk\"] {tiles = array<i64: -1, 4, 8, -1>, "
                     "least_share = " +
                     Twine(percent) + " : i64}")
                        .str());
  };
  CHECK(fills("8", "16", 100) == 1);
  // 5 of 8 rows, 6 of 8 columns: 30 of 64.
  CHECK(fills("5", "6", 46) == 1);
  CHECK(fills("5", "6", 47) == 0);
  CHECK(fills("?", "8", 1) == 0);
}

TEST_CASE("a size may have to be a multiple of a number", "[ir]") {
  StringRef whole = "[\"mnk\"] {multiple_of = array<i64: -1, -1, 4, -1>}";
  CHECK(products(matmul("3", "8", "6"), whole) == 1);
  CHECK(products(matmul("3", "6", "6"), whole) == 0);
  CHECK(products(matmul("3", "?", "6"), whole) == 0);
}

TEST_CASE("a right-hand operand may have to be no weight", "[ir]") {
  StringRef varies = "[\"mnk\"] {right_varies}";
  CHECK(products(matmul("4", "8", "6"), varies) == 1);
  CHECK(products(matmul("4", "8", "6", "f32", " {lh.weight = \"b\"}"),
                 varies) == 0);
}

TEST_CASE("convolutions are products whose sums run over windows", "[ir]") {
  std::string image = "tensor<1x9x8x16xf32>", filter = "tensor<3x3x16x24xf32>",
              out = "tensor<1x7x6x24xf32>";
  std::string text =
      "func.func @main(%x: " + image + ", %w: " + filter + ", %o: " + out +
      ") -> " + out +
      " {\n  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : " + image + ", " +
      filter + ") outs(%o : " + out + ") -> " + out + "\n  return %0 : " + out +
      "\n}";
  CHECK(products(text, "[\"mmmnkkk\"] {windows}") == 1);
  CHECK(products(text, "[\"mmmnkkk\"]") == 0);
  CHECK(products(matmul("4", "5", "6"), "[\"mnk\"] {windows}") == 0);
  // The innermost row is one of pixels, the innermost of the sum a channel.
  CHECK(products(text, "[\"mmmnkkk\"] {windows, types = [f32], at_least = "
                       "array<i64: -1, 6, 24, 16>}") == 1);
  CHECK(products(text, "[\"mmmnkkk\"] {windows, at_least = "
                       "array<i64: -1, 7, -1, -1>}") == 0);
}

TEST_CASE("a right-hand operand may have to be small", "[ir]") {
  std::string text = matmul("4", "8", "6");
  CHECK(products(text, "[\"mnk\"] {right_bytes = 192 : i64}") == 1);
  CHECK(products(text, "[\"mnk\"] {right_bytes = 191 : i64}") == 0);
  CHECK(products(matmul("4", "?", "6"),
                 "[\"mnk\"] {right_bytes = 1000 : i64}") == 0);
}

/// A product with this `lh.choice`, after what `match.choice` yields of it has
/// been written on it.
static std::string chosen(StringRef choice, StringRef match) {
  std::string payload = matmul("4", "5", "6");
  if (!choice.empty())
    payload.insert(payload.find("linalg.matmul") + sizeof("linalg.matmul"),
                   ("{lh.choice = #dlti.map<" + choice + ">} ").str());
  IrWorkbench bench;
  REQUIRE(bench.import(payload).status == StepStatus::Passed);
  StepOutcome outcome = bench.schedule(
      ("transform.named_sequence @is(%op: !transform.any_op "
       "{transform.readonly}) -> (!transform.any_op, !transform.any_param) {\n"
       "  transform.match.operation_name %op [\"linalg.matmul\"] : "
       "!transform.any_op\n"
       "  %three = transform.param.constant 3 : i64 -> !transform.any_param\n"
       "  %got = transform.lh.match.choice %op " +
       match +
       " -> !transform.any_param\n"
       "  transform.yield %op, %got : !transform.any_op, "
       "!transform.any_param\n}\n"
       "transform.named_sequence @e(%r: !transform.any_op "
       "{transform.readonly}) {\n"
       "  %it, %got = transform.collect_matching @is in %r : "
       "(!transform.any_op) -> (!transform.any_op, !transform.any_param)\n"
       "  transform.foreach %it, %got : !transform.any_op, "
       "!transform.any_param {\n"
       "  ^bb0(%one: !transform.any_op, %of: !transform.any_param):\n"
       "    transform.annotate %one \"got\" = %of : !transform.any_op, "
       "!transform.any_param\n  }\n"
       "  transform.yield\n}")
          .str(),
      "e");
  CHECK(outcome.reason == "");
  std::string text = bench.text();
  size_t at = text.find("got = ");
  return at == text.npos ? ""
                         : text.substr(at, text.find_first_of(",>}", at) - at);
}

TEST_CASE("ops are matched by the strategy chosen for them", "[ir]") {
  constexpr StringRef one = " : (!transform.any_op)";
  constexpr StringRef tile = "\"strategy\" = \"tile\"";
  CHECK(chosen(tile, ("[\"tile\"]" + one).str()) ==
        "got = #dlti.map<\"strategy\" = \"tile\"");
  CHECK(chosen(tile, ("[]" + one).str()) != "");
  CHECK(chosen(tile, ("[\"dot\", \"\"]" + one).str()) == "");
  CHECK(chosen("", ("[]" + one).str()) == "");
  // A choice without a strategy is one that no strategy takes.
  CHECK(chosen("\"rows\" = 8 : i64", ("[\"\"]" + one).str()) == "");
}

TEST_CASE("a number of the choice goes before a default", "[ir]") {
  constexpr StringRef rows = "[\"tile\", \"\"] key \"rows\" or %three : "
                             "(!transform.any_op, !transform.any_param)";
  CHECK(chosen("\"strategy\" = \"tile\", \"rows\" = 8 : i64", rows) ==
        "got = 8 : i64");
  CHECK(chosen("\"strategy\" = \"tile\"", rows) == "got = 3 : i64");
  CHECK(chosen("", rows) == "got = 3 : i64");
}

/// What the schedule `sequence` is refused for.
static std::string refusal(StringRef line) {
  IrWorkbench bench;
  CollectingSink sink;
  Step step = bench.scheduleStep(
      scheduleModule(("transform.named_sequence @e(%r: !transform.any_op "
                      "{transform.readonly}) {\n" +
                      line + "\n  transform.yield\n}")
                         .str()),
      "e");
  CHECK(failed(bench.runner.prepare({step}, sink)));
  REQUIRE_FALSE(sink.diagnostics().empty());
  CHECK(kindName(sink.diagnostics()[0].kind) == "ir-bad-schedule");
  return sink.diagnostics()[0].message;
}

TEST_CASE("what match.product can't mean is refused", "[ir]") {
  auto of = [](StringRef attributes) {
    return refusal(("  %s:4 = transform.lh.match.product %r loops " +
                    attributes + " : !transform.any_op")
                       .str());
  };
  for (StringRef loops : {"[]", "[\"mnx\"]", "[\"mnk\", \"\"]"})
    CHECK_THAT(of(loops),
               Catch::Contains("'loops' failed to satisfy constraint: array of "
                               "a letter of bmnk for each loop with at least 1 "
                               "elements"));
  CHECK_THAT(of("[\"mnk\"] {operands = \"mk,kn\"}"),
             Catch::Contains("of letters of bmnk, as \"mk,kn->mn\""));
  for (StringRef bounds : {"at_least", "at_most", "multiple_of", "tiles"})
    CHECK_THAT(of(("[\"mnk\"] {" + bounds + " = array<i64: 1, 2>}").str()),
               Catch::Contains("'" + bounds.str() +
                               "' failed to satisfy constraint: i64 dense "
                               "array attribute with exactly 4 elements"));
}

/// A product, and an op on its result by a map with this result, that also
/// reads `other`.
static std::string followed(StringRef map, StringRef other = "%d") {
  return ("func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, "
          "%d: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
          "  %p = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) "
          "outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>\n"
          "  %q = linalg.matmul ins(%b, %a : tensor<4x4xf32>, tensor<4x4xf32>) "
          "outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>\n"
          "  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> " +
          map +
          ">, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], "
          "iterator_types = [\"parallel\", \"parallel\"]} ins(%p, " +
          other +
          " : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) {\n"
          "  ^bb0(%x: f32, %y: f32, %z: f32):\n"
          "    %s = arith.addf %x, %y : f32\n"
          "    linalg.yield %s : f32\n"
          "  } -> tensor<4x4xf32>\n  return %0 : tensor<4x4xf32>\n}")
      .str();
}

static size_t consumers(const std::string &payload) {
  IrWorkbench bench;
  REQUIRE(bench.import(payload).status == StepStatus::Passed);
  StepOutcome outcome = bench.schedule(R"(
transform.named_sequence @is(%op: !transform.any_op {transform.readonly})
    -> !transform.any_op {
  transform.match.operation_name %op ["linalg.matmul"] : !transform.any_op
  %next = transform.lh.match.identity_consumer %op
      : (!transform.any_op) -> !transform.any_op
  transform.yield %next : !transform.any_op
}
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  %it = transform.collect_matching @is in %r
      : (!transform.any_op) -> !transform.any_op
  transform.annotate %it "found" : !transform.any_op
  transform.yield
})",
                                       "e");
  CHECK(outcome.reason == "");
  return countOf(bench.text(), "found");
}

TEST_CASE("sparse operands are told from dense ones", "[ir]") {
  IrWorkbench bench;
  std::string encoding = "#sparse_tensor.encoding<{map = (i, j) -> (i : dense, "
                         "j : compressed)}>";
  REQUIRE(bench
              .import("func.func @main(%a: tensor<4x4xf32, " + encoding +
                      ">, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, "
                      "tensor<4x4xf32>) {\n"
                      "  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32, " +
                      encoding +
                      ">, tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> "
                      "tensor<4x4xf32>\n"
                      "  %1 = linalg.matmul ins(%b, %b : tensor<4x4xf32>, "
                      "tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> "
                      "tensor<4x4xf32>\n"
                      "  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>\n}")
              .status == StepStatus::Passed);
  StepOutcome outcome = bench.schedule(R"(
transform.named_sequence @dense(%op: !transform.any_op {transform.readonly})
    -> !transform.any_op {
  transform.match.operation_name %op ["linalg.matmul"] : !transform.any_op
  transform.lh.match.dense %op : !transform.any_op
  transform.yield %op : !transform.any_op
}
transform.named_sequence @product(%op: !transform.any_op {transform.readonly})
    -> !transform.any_op {
  %b, %m, %n, %k = transform.lh.match.product %op loops ["mnk"] : !transform.any_op
  transform.yield %op : !transform.any_op
}
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  %it = transform.collect_matching @dense in %r
      : (!transform.any_op) -> !transform.any_op
  transform.annotate %it "dense" : !transform.any_op
  %products = transform.collect_matching @product in %r
      : (!transform.any_op) -> !transform.any_op
  transform.annotate %products "product" : !transform.any_op
  transform.yield
})",
                                       "e");
  CHECK(outcome.reason == "");
  CHECK(countOf(bench.text(), "{dense, product}") == 1);
  CHECK(countOf(bench.text(), "product") == 1);
}

TEST_CASE("an identity consumer works on the points of the op", "[ir]") {
  CHECK(consumers(followed("(m, n)")) == 1);
  CHECK(consumers(followed("(n, m)")) == 0);
  // Twice, or with another product: not the op's alone.
  CHECK(consumers(followed("(m, n)", "%p")) == 0);
  CHECK(consumers(followed("(m, n)", "%q")) == 0);
}

/// `%x`, read by `map` of (i, j, k), times `%f` of (k, j), summed up over k.
static std::string lanes(StringRef map, StringRef image, StringRef body) {
  return ("func.func @main(%x: " + image +
          ", %f: tensor<2x4xf32>, %o: tensor<3x4xf32>) -> tensor<3x4xf32> {\n"
          "  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> " +
          map +
          ">, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, "
          "j)>], iterator_types = [\"parallel\", \"parallel\", "
          "\"reduction\"]} ins(%x, %f : " +
          image +
          ", tensor<2x4xf32>) outs(%o : tensor<3x4xf32>) {\n"
          "  ^bb0(%a: f32, %b: f32, %c: f32):\n" +
          body +
          "    %m = arith.mulf %p, %b : f32\n"
          "    %s = arith.addf %c, %m : f32\n"
          "    linalg.yield %s : f32\n"
          "  } -> tensor<3x4xf32>\n  return %0 : tensor<3x4xf32>\n}")
      .str();
}

static StepOutcome inLanes(IrWorkbench &bench, const std::string &payload) {
  REQUIRE(bench.import(payload).reason == "");
  return bench.schedule(R"(
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  %op = transform.structured.match ops{["linalg.generic"]} in %r
      : (!transform.any_op) -> !transform.any_op
  transform.lh.vectorize_lanes %op : !transform.any_op
  transform.yield
})",
                        "e");
}

TEST_CASE("lanes read numbers of one row in any order", "[ir]") {
  IrWorkbench bench;
  CHECK(inLanes(bench, lanes("(i, (j floordiv 2) * 2 + k)", "tensor<3x4xf32>",
                             "    %p = arith.negf %a : f32\n"))
            .reason == "");
  std::string text = bench.text();
  CHECK(countOf(text, "linalg.generic") == 0);
  CHECK(countOf(text, "[0, 0, 2, 2] : vector<4xf32>") == 3);
  CHECK(countOf(text, "[1, 1, 3, 3] : vector<4xf32>") == 3);
  CHECK(countOf(text, "arith.mulf") == 6);
  CHECK(countOf(text, "vector.transfer_write") == 1);
}

TEST_CASE("ops without vectors are refused", "[ir]") {
  StringRef plain = "    %p = arith.addf %a, %a : f32\n";
  IrWorkbench rows, sizes, body;
  CHECK_THAT(inLanes(rows, lanes("(j, k)", "tensor<4x2xf32>", plain)).reason,
             Catch::Contains("lanes that read several rows"));
  CHECK_THAT(inLanes(sizes, lanes("(i, k)", "tensor<?x2xf32>", plain)).reason,
             Catch::Contains("sizes or a body without vectors"));
  CHECK_THAT(inLanes(body, lanes("(i, k)", "tensor<3x2xf32>",
                                 "    %n = linalg.index 0 : index\n"
                                 "    %w = arith.index_cast %n : index to i32\n"
                                 "    %p = arith.sitofp %w : i32 to f32\n"))
                 .reason,
             Catch::Contains("sizes or a body without vectors"));
}

/// What is marked of "then" and "else", by a condition.
static std::string branch(StringRef condition, StringRef type) {
  IrWorkbench bench;
  bench.import("func.func @main() { return }");
  StepOutcome outcome = bench.schedule(
      ("transform.named_sequence @e(%r: !transform.any_op "
       "{transform.readonly}) {\n  %c = " +
       condition + "\n  %name = transform.lh.if %c : " + type +
       " -> !transform.any_param {\n"
       "    %y = transform.param.constant \"then\" -> !transform.any_param\n"
       "    transform.yield %y : !transform.any_param\n  } else {\n"
       "    %n = transform.param.constant \"else\" -> !transform.any_param\n"
       "    transform.yield %n : !transform.any_param\n  }\n"
       "  transform.annotate %r \"lh.went\" = %name : !transform.any_op, "
       "!transform.any_param\n"
       "  transform.yield\n}")
          .str(),
      "e");
  return outcome.reason.empty() ? bench.text() : outcome.reason;
}

TEST_CASE("transform.lh.if goes by a parameter or a handle", "[ir]") {
  auto constant = [](StringRef value, StringRef type) {
    return branch(("transform.param.constant " + value +
                   " -> !transform.param<" + type + ">")
                      .str(),
                  ("!transform.param<" + type + ">").str());
  };
  CHECK_THAT(constant("true", "i1"), Catch::Contains("lh.went = \"then\""));
  CHECK_THAT(constant("false", "i1"), Catch::Contains("lh.went = \"else\""));
  CHECK_THAT(constant("3 : i64", "i64"), Catch::Contains("lh.went = \"then\""));
  CHECK_THAT(constant("0 : i64", "i64"), Catch::Contains("lh.went = \"else\""));
  auto match = [](StringRef name) {
    return branch(("transform.structured.match ops{[\"" + name +
                   "\"]} in %r : (!transform.any_op) -> !transform.any_op")
                      .str(),
                  "!transform.any_op");
  };
  CHECK_THAT(match("func.func"), Catch::Contains("lh.went = \"then\""));
  CHECK_THAT(match("lh.none"), Catch::Contains("lh.went = \"else\""));
}

TEST_CASE("transform.lh.if needs one integer, and results from both", "[ir]") {
  CHECK_THAT(branch("transform.param.constant \"yes\" -> !transform.any_param",
                    "!transform.any_param"),
             Catch::Contains("expects a parameter of one integer"));
  CHECK_THAT(refusal("  %0 = transform.lh.if %r : !transform.any_op "
                     "-> !transform.any_op {\n"
                     "    transform.yield %r : !transform.any_op\n  }"),
             Catch::Contains("needs an else region that yields its results"));
  CHECK_THAT(
      refusal("  %0 = transform.lh.if %r : !transform.any_op "
              "-> !transform.any_op {\n"
              "    transform.yield %r : !transform.any_op\n"
              "  } else {\n    transform.yield\n  }"),
      Catch::Contains("expects each region to yield what it results in"));
}

TEST_CASE("transform.lh.if consumes what its regions consume", "[ir]") {
  constexpr StringRef sequences = R"(
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  %f = transform.structured.match ops{["func.func"]} in %r
      : (!transform.any_op) -> !transform.any_op
  %yes = transform.param.constant true -> !transform.param<i1>
  transform.lh.if %yes : !transform.param<i1> {
    %g = transform.apply_registered_pass "canonicalize" to %f
        : (!transform.any_op) -> !transform.any_op
  }
  transform.annotate %f "late" : !transform.any_op
  transform.yield
})";
  IrWorkbench bench;
  bench.import("func.func @main() { return }");
  StepOutcome outcome = bench.schedule(sequences, "e");
  CHECK(outcome.status == StepStatus::Failed);
  CHECK_THAT(outcome.reason, Catch::Contains("invalidated"));
}

/// A negated tensor added to itself and to zeros, in a loop over rows; `steps`
/// come next.
static StepOutcome fusing(IrWorkbench &bench, const std::string &steps) {
  REQUIRE(bench
              .import(R"(
func.func @main(%x: tensor<8x4xf32>, %n: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.negf ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
      -> tensor<8x4xf32>
  %zero = arith.constant 0.0 : f32
  %1 = linalg.fill ins(%zero : f32) outs(%n : tensor<8x4xf32>)
      -> tensor<8x4xf32>
  %2 = linalg.add ins(%0, %0 : tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
})")
              .reason == "");
  return bench.schedule(R"(
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  %neg = transform.structured.match ops{["linalg.negf"]} in %r
      : (!transform.any_op) -> !transform.any_op
  %fill = transform.structured.match ops{["linalg.fill"]} in %r
      : (!transform.any_op) -> !transform.any_op
  %sum = transform.structured.match ops{["linalg.add"]} in %r
      : (!transform.any_op) -> !transform.any_op
  %none = transform.structured.match ops{["linalg.sub"]} in %r
      {lh.optional = "there is none"} : (!transform.any_op) -> !transform.any_op
  %tile, %loop = transform.structured.tile_using_for %sum tile_sizes [2]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
)" + steps + R"(
  transform.yield
})",
                        "e");
}

TEST_CASE("what a loop reads or carries moves into it slice by slice", "[ir]") {
  IrWorkbench bench;
  CHECK(fusing(bench, R"(
  %n, %f, %o = transform.lh.fuse_into %neg, %fill, %none into %loop
      : (!transform.any_op, !transform.any_op, !transform.any_op,
         !transform.any_op)
      -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.annotate %n "negated" : !transform.any_op
  transform.annotate %f "filled" : !transform.any_op
  transform.annotate %o "never" : !transform.any_op)")
            .reason == "");
  std::string text = bench.text();
  // Both slices of the first, the second where the loop begins; no other is
  // left.
  CHECK(countOf(text, "linalg.negf {negated}") == 2);
  CHECK(countOf(text, "linalg.negf") == 2);
  CHECK(countOf(text, "linalg.fill {filled}") == 1);
  CHECK(countOf(text, "linalg.fill") == 1);
  CHECK(countOf(text, "outs(%extracted_slice") >= 3);
  CHECK(countOf(text, "never") == 0);
}

TEST_CASE("what has no slice in a loop is not fused into it", "[ir]") {
  IrWorkbench outside, loops, handles;
  CHECK_THAT(fusing(outside, R"(
  %once = transform.lh.fuse_into %neg into %loop
      : (!transform.any_op, !transform.any_op) -> !transform.any_op
  %again = transform.lh.fuse_into %once into %loop
      : (!transform.any_op, !transform.any_op) -> !transform.any_op)")
                 .reason,
             Catch::Contains("takes no slice of this op"));
  CHECK_THAT(fusing(loops, R"(
  %n = transform.lh.fuse_into %neg into %none
      : (!transform.any_op, !transform.any_op) -> !transform.any_op)")
                 .reason,
             Catch::Contains("expects one loop to fuse into, got 0 ops"));
  CHECK_THAT(fusing(handles, R"(
  %n, %m = transform.lh.fuse_into %neg into %loop
      : (!transform.any_op, !transform.any_op)
      -> (!transform.any_op, !transform.any_op))")
                 .reason,
             Catch::Contains("expects a result for each handle of ops"));
}
