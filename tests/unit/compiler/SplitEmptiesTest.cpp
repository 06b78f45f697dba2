// lh-split-empties: how many uses an empty tensor has.
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
