// lh-split-empties: how many uses an empty tensor has, and where it stands.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// How many empty tensors five uses of one make, at most `most` uses each.
static long emptiesOf(const std::string &most) {
  std::string fills;
  for (const char *name : {"%0", "%1", "%2", "%3", "%4"})
    fills += std::string("  ") + name +
             " = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> "
             "tensor<?xf32>\n";
  std::string text = after("lh-split-empties{most-uses=" + most + "}",
                           "func.func @f(%n: index, %x: f32) {\n"
                           "  %e = tensor.empty(%n) : tensor<?xf32>\n" +
                               fills + "  return\n}");
  return static_cast<long>(countOf(text, "tensor.empty(%arg0)"));
}

TEST_CASE("uses of an empty tensor share copies in their order", "[ir]") {
  CHECK(emptiesOf("2") == 3);
  CHECK(emptiesOf("5") == 1);
  CHECK(emptiesOf("1") == 5);
  CHECK(emptiesOf("0") == 5);
}

/// `before` stands in front of a loop whose iterations use %e or %z.
static std::string withLoop(const std::string &before,
                            const std::string &used) {
  return after("lh-split-empties",
               "func.func private @use(tensor<8xf32>)\n"
               "func.func @f(%n: index, %x: f32) {\n"
               "  %c0 = arith.constant 0 : index\n"
               "  %c1 = arith.constant 1 : index\n"
               "  %zero = arith.constant 0.0 : f32\n" +
                   before + "  scf.for %i = %c0 to %n step %c1 {\n" +
                   "    func.call @use(" + used +
                   ") : (tensor<8xf32>) -> ()\n  }\n  return\n}");
}

TEST_CASE("a blank tensor that only a loop uses stands in it", "[ir]") {
  std::string empty = "  %e = tensor.empty() : tensor<8xf32>\n";
  std::string text = withLoop(empty, "%e");
  CHECK(text.find("tensor.empty") > text.find("scf.for"));
  text = withLoop(empty + "  %z = linalg.fill ins(%zero : f32) outs(%e : "
                          "tensor<8xf32>) -> tensor<8xf32>\n",
                  "%z");
  CHECK(text.find("tensor.empty") > text.find("scf.for"));
  CHECK(text.find("linalg.fill") > text.find("tensor.empty"));
}

TEST_CASE("a tensor that isn't blank, or is used elsewhere, stays", "[ir]") {
  std::string filled = "  %e = tensor.empty() : tensor<8xf32>\n"
                       "  %z = linalg.fill ins(%x : f32) outs(%e : "
                       "tensor<8xf32>) -> tensor<8xf32>\n";
  std::string text = withLoop(filled, "%z");
  CHECK(text.find("linalg.fill") < text.find("scf.for"));
  text = withLoop("  %e = tensor.empty() : tensor<8xf32>\n"
                  "  func.call @use(%e) : (tensor<8xf32>) -> ()\n",
                  "%e");
  CHECK(text.find("tensor.empty") < text.find("scf.for"));
}
