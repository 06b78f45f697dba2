// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels: the functions that call them, and transform.lh.match.kernel.
#include "IrTest.h"

#include "compiler/session/KernelFunctions.h"
#include "core/manifest/KernelParser.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace lh;

static KernelSpec kernel(StringRef sizes = "{m: {max: 8}, n: {max: 16}}",
                         StringRef types = "{a: f32, b: f32, c: f32}") {
  CollectingSink sink;
  auto parsed =
      parseKernel(("{lighthouse: 1, types: " + types + ", sizes: " + sizes +
                   ", computes: {product: f, product-bias: g, "
                   "product-relu: h, product-bias-relu: i, "
                   "product-gelu: j, product-bias-silu: k, "
                   "product-silu: l}, body: {c: f.c}}")
                      .str(),
                  "/k/mine.yaml", sink);
  for (const Diagnostic &diagnostic : sink.diagnostics())
    FAIL(diagnostic.message);
  return *parsed;
}

/// The functions of `kernel` behind the payload's own; which of the payload's
/// ops one of them computes is marked with the function's name.
static std::string matched(StringRef payload, const KernelSpec &spec) {
  IrWorkbench bench;
  CHECK(bench.import((payload + kernelFunctions(spec)).str()).reason == "");
  StepOutcome outcome = bench.schedule(
      "transform.named_sequence @is(%op: !transform.any_op "
      "{transform.readonly}) -> !transform.any_op {\n"
      "  %f, %bias = transform.lh.match.kernel %op \"mine\" : "
      "(!transform.any_op) -> "
      "(!transform.any_op, !transform.any_value)\n"
      "  transform.yield %f : !transform.any_op\n}\n"
      "transform.named_sequence @e(%r: !transform.any_op "
      "{transform.readonly}) {\n"
      "  %f = transform.collect_matching @is in %r : (!transform.any_op) -> "
      "!transform.any_op\n"
      "  transform.annotate %f \"found\" : !transform.any_op\n"
      "  transform.yield\n}",
      "e");
  CHECK(outcome.reason == "");
  std::string names, text = bench.text();
  for (StringRef rest = text; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    if (line.contains("found"))
      names +=
          (names.empty() ? "" : " ") +
          line.split("mine.")
              .second.take_until([](char c) { return c == '"' || c == '('; })
              .str();
    rest = next;
  }
  return names;
}

/// A product of m x 6 by 6 x 7 numbers, and what follows it.
static std::string product(StringRef following = "return %p : tensor<5x7xf32>",
                           StringRef start = "%z", StringRef type = "f32") {
  std::string a = ("tensor<5x6x" + type + ">").str(),
              b = ("tensor<6x7x" + type + ">").str();
  return ("func.func @main(%a: " + a + ", %b: " + b +
          ", %d: tensor<7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {\n"
          "  %zero = arith.constant 0.0 : f32\n"
          "  %one = arith.constant 1.0 : f32\n"
          "  %half = arith.constant 0.5 : f32\n"
          "  %root = arith.constant 1.41421354 : f32\n"
          "  %inverse = arith.constant 0.707106769 : f32\n"
          "  %most = arith.constant 0x7F7FFFFF : f32\n"
          "  %infinity = arith.constant 0x7F800000 : f32\n"
          "  %six = arith.constant 6.0 : f32\n"
          "  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<5x7xf32>) -> "
          "tensor<5x7xf32>\n"
          "  %p = linalg.matmul ins(%a, %b : " +
          a + ", " + b + ") outs(" + start +
          " : tensor<5x7xf32>) -> tensor<5x7xf32>\n  " + following + "\n}\n")
      .str();
}

/// The same, followed by an elementwise op with this body, of x and a bias d.
static std::string followed(StringRef body, StringRef map = "(j)") {
  return product(
      ("%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
       "affine_map<(i, j) -> " +
       map +
       ">, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
       "\"parallel\"]} ins(%p, " +
       (map == "(j)" ? "%d : tensor<5x7xf32>, tensor<7xf32>"
                     : "%c : tensor<5x7xf32>, tensor<5x7xf32>") +
       ") outs(%c : tensor<5x7xf32>) {\n  ^bb0(%x: f32, %d0: f32, %o: f32):\n" +
       body +
       "\n    linalg.yield %y : f32\n  } -> tensor<5x7xf32>\n  return "
       "%r : tensor<5x7xf32>")
          .str());
}

TEST_CASE("functions that call a kernel are valid", "[ir]") {
  MlirSession session;
  for (StringRef types : {"{a: f32, b: f32, c: f32}", "{a: i8, b: i8, c: i32}",
                          "{a: bf16, b: bf16, c: f32}"}) {
    std::string text =
        kernelFunctions(kernel("{m: {max: 8}, n: {max: 16}}", types));
    INFO(text);
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &session.context());
    REQUIRE(module);
    CHECK(mlir::succeeded(mlir::verify(*module)));
  }
}

TEST_CASE("a product is matched where the kernel takes it", "[ir]") {
  CHECK(matched(product(), kernel()) == "product");
  CHECK(matched(product("return %p : tensor<5x7xf32>", "%c"), kernel()) == "");
  CHECK(matched(product("return %p : tensor<5x7xf32>", "%z", "f16"),
                kernel()) == "");
  StringRef row = "{m: {multiple: 5, max: 10}, n: {max: 16}}";
  CHECK(matched(product(), kernel(row)) == "product");
  StringRef rows = "{m: {multiple: 2, max: 8}, n: {max: 16}}";
  CHECK(matched(product(), kernel(rows)) == "");
  StringRef columns = "{m: {max: 8}, n: {multiple: 4, max: 16}}";
  CHECK(matched(product(), kernel(columns)) == "");
  StringRef terms = "{m: {max: 8}, n: {max: 16}, k: {max: 5}}";
  CHECK(matched(product(), kernel(terms)) == "");
  StringRef pairs = "{m: {max: 8}, n: {max: 16}, k: {multiple: 2, max: 6}}";
  CHECK(matched(product(), kernel(pairs)) == "product");
}

TEST_CASE("what follows a product has one name however it is spelled", "[ir]") {
  auto name = [](StringRef body) {
    std::string names = matched(followed(body), kernel());
    // The product itself is always one.
    CHECK(StringRef(names).starts_with("product"));
    return StringRef(names)
        .drop_front(StringRef("product").size())
        .trim()
        .str();
  };
  CHECK(name("%y = arith.addf %x, %d0 : f32") == "product-bias");
  CHECK(name("%y = arith.addf %d0, %x : f32") == "product-bias");
  CHECK(name("%y = arith.mulf %x, %d0 : f32") == "");
  CHECK(name("%y = arith.maximumf %x, %zero : f32") == "product-relu");
  CHECK(name("%y = arith.maximumf %zero, %x : f32") == "product-relu");
  CHECK(name("%y = arith.maxnumf %x, %zero : f32") == "");
  CHECK(name("%y = arith.maximumf %x, %one : f32") == "");
  CHECK(name("%s = arith.addf %x, %d0 : f32\n"
             "%y = arith.maximumf %s, %zero : f32") == "product-bias-relu");
  // Where x is NaN, the comparison that is not ordered holds.
  auto select = [&](StringRef predicate, StringRef order, StringRef values) {
    return name(("%q = arith.cmpf " + predicate + ", " + order +
                 " : f32\n%y = arith.select %q, " + values + " : f32")
                    .str());
  };
  CHECK(select("ugt", "%x, %zero", "%x, %zero") == "product-relu");
  CHECK(select("ogt", "%x, %zero", "%x, %zero") == "");
  CHECK(select("olt", "%x, %zero", "%zero, %x") == "product-relu");
  CHECK(select("ult", "%x, %zero", "%zero, %x") == "");
  CHECK(select("ult", "%zero, %x", "%x, %zero") == "product-relu");
  CHECK(select("ogt", "%zero, %x", "%zero, %x") == "product-relu");
  CHECK(select("ugt", "%x, %zero", "%zero, %x") == "");
  CHECK(select("oeq", "%x, %zero", "%zero, %x") == "");
  CHECK(name("%s = arith.maximumf %x, %zero : f32\n"
             "%y = arith.minimumf %s, %infinity : f32") == "product-relu");
  // Infinity would become the largest number.
  CHECK(name("%s = arith.maximumf %x, %zero : f32\n"
             "%y = arith.minimumf %s, %most : f32") == "");
  CHECK(name("%s = arith.maximumf %x, %zero : f32\n"
             "%y = arith.minimumf %s, %six : f32") == "");
  CHECK(name("%s = arith.divf %x, %root : f32\n%e = math.erf %s : f32\n"
             "%t = arith.addf %e, %one : f32\n%h = arith.mulf %x, %half : f32\n"
             "%y = arith.mulf %h, %t : f32") == "product-gelu");
  CHECK(name("%s = arith.mulf %inverse, %x : f32\n%e = math.erf %s : f32\n"
             "%t = arith.addf %one, %e : f32\n%h = arith.mulf %t, %x : f32\n"
             "%y = arith.mulf %h, %half : f32") == "product-gelu");
  CHECK(name("%s = arith.mulf %half, %x : f32\n%e = math.erf %s : f32\n"
             "%t = arith.addf %one, %e : f32\n%h = arith.mulf %t, %x : f32\n"
             "%y = arith.mulf %h, %half : f32") == "");
  CHECK(name("%s = arith.addf %x, %d0 : f32\n%n = arith.negf %s : f32\n"
             "%e = math.exp %n : f32\n%t = arith.addf %e, %one : f32\n"
             "%y = arith.divf %s, %t : f32") == "product-bias-silu");
  CHECK(name("%n = arith.negf %x : f32\n%e = math.exp %n : f32\n"
             "%t = arith.addf %e, %one : f32\n%q = arith.divf %one, %t : f32\n"
             "%y = arith.mulf %x, %q : f32") == "product-silu");
}

TEST_CASE("numbers multiplied in a narrow type are another product", "[ir]") {
  auto sums = [](StringRef body) {
    return ("func.func @main(%a: tensor<5x6xi8>, %b: tensor<6x7xi8>, %c: "
            "tensor<5x7xi32>) -> tensor<5x7xi32> {\n"
            "  %zero = arith.constant 0 : i32\n"
            "  %z = linalg.fill ins(%zero : i32) outs(%c : tensor<5x7xi32>) -> "
            "tensor<5x7xi32>\n"
            "  %p = linalg.generic {indexing_maps = [affine_map<(i, j, l) -> "
            "(i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> "
            "(i, j)>], iterator_types = [\"parallel\", \"parallel\", "
            "\"reduction\"]} ins(%a, %b : tensor<5x6xi8>, tensor<6x7xi8>) "
            "outs(%z : tensor<5x7xi32>) {\n"
            "  ^bb0(%x: i8, %y: i8, %o: i32):\n" +
            body +
            "\n    %s = arith.addi %o, %q : i32\n    linalg.yield %s : i32\n"
            "  } -> tensor<5x7xi32>\n  return %p : tensor<5x7xi32>\n}\n")
        .str();
  };
  KernelSpec bytes =
      kernel("{m: {max: 8}, n: {max: 16}}", "{a: i8, b: i8, c: i32}");
  CHECK(matched(sums("%v = arith.extsi %x : i8 to i32\n"
                     "%w = arith.extsi %y : i8 to i32\n"
                     "%q = arith.muli %v, %w : i32"),
                bytes) == "product");
  CHECK(matched(sums("%v = arith.muli %x, %y : i8\n"
                     "%q = arith.extsi %v : i8 to i32"),
                bytes) == "");
}

TEST_CASE("constants of an activation are its own", "[ir]") {
  std::string body = "%k = arith.constant 0.703 : f32\n"
                     "%s = arith.mulf %k, %x : f32\n%e = math.erf %s : f32\n"
                     "%t = arith.addf %one, %e : f32\n"
                     "%h = arith.mulf %t, %x : f32\n"
                     "%y = arith.mulf %h, %half : f32";
  CHECK(matched(followed(body), kernel()) == "product");
}

TEST_CASE("a bias has a number for each column", "[ir]") {
  CHECK(matched(followed("%y = arith.addf %x, %d0 : f32", "(i, j)"),
                kernel()) == "product");
}

/// A product of what `slice` makes of %w: tensor<5x12xf32> and %b.
static std::string ofSlice(StringRef slice) {
  return ("func.func @main(%w: tensor<5x12xf32>, %b: tensor<6x7xf32>, %c: "
          "tensor<5x7xf32>) -> tensor<5x7xf32> {\n"
          "  %zero = arith.constant 0.0 : f32\n"
          "  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<5x7xf32>) -> "
          "tensor<5x7xf32>\n  " +
          slice +
          "\n  %p = linalg.matmul ins(%a, %b : tensor<5x6xf32>, "
          "tensor<6x7xf32>) outs(%z : tensor<5x7xf32>) -> tensor<5x7xf32>\n"
          "  return %p : tensor<5x7xf32>\n}\n")
      .str();
}

TEST_CASE("rows of A lie side by side, or it isn't the kernel's", "[ir]") {
  CHECK(matched(ofSlice("%a = tensor.extract_slice %w[0, 3] [5, 6] [1, 1] : "
                        "tensor<5x12xf32> to tensor<5x6xf32>"),
                kernel()) == "product");
  CHECK(matched(ofSlice("%a = tensor.extract_slice %w[0, 0] [5, 6] [1, 2] : "
                        "tensor<5x12xf32> to tensor<5x6xf32>"),
                kernel()) == "");
  CHECK(matched(ofSlice("%e = tensor.expand_shape %w [[0], [1, 2]] "
                        "output_shape [5, 6, 2] : tensor<5x12xf32> into "
                        "tensor<5x6x2xf32>\n%a = tensor.extract_slice %e[0, 0, "
                        "1] [5, 6, 1] [1, 1, 1] : tensor<5x6x2xf32> to "
                        "tensor<5x6xf32>"),
                kernel()) == "");
  CHECK(matched(ofSlice("%e = tensor.expand_shape %w [[0], [1, 2]] "
                        "output_shape [5, 6, 2] : tensor<5x12xf32> into "
                        "tensor<5x6x2xf32>\n%s = tensor.extract_slice %e[0, 0, "
                        "1] [5, 6, 1] [1, 1, 1] : tensor<5x6x2xf32> to "
                        "tensor<5x6x1xf32>\n%a = tensor.collapse_shape %s "
                        "[[0], [1, 2]] : tensor<5x6x1xf32> into "
                        "tensor<5x6xf32>"),
                kernel()) == "");
  CHECK(matched(ofSlice("%c0 = arith.constant 0 : index\n%c9 = arith.constant "
                        "9 : index\n%c1 = arith.constant 1 : index\n%i = "
                        "tensor.extract_slice %w[0, 0] [5, 6] [1, 1] : "
                        "tensor<5x12xf32> to tensor<5x6xf32>\n%a = scf.for %n "
                        "= %c0 to %c9 step %c1 iter_args(%x = %i) -> "
                        "tensor<5x6xf32> {\nscf.yield %x : tensor<5x6xf32>\n}"),
                kernel()) == "");
}
