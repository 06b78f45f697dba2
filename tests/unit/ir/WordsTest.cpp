// lh-pack-words, lh-lower-words.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string after(StringRef passes, StringRef payload) {
  IrWorkbench bench;
  REQUIRE(bench.import(payload.str()).status == StepStatus::Passed);
  CHECK(bench.passes(passes.str()).reason == "");
  return bench.text();
}

static const std::string packing = "lh-widen-operands, canonicalize, cse, "
                                   "lh-pack-words, canonicalize, cse";

static std::string tensor(StringRef sizes, StringRef type) {
  return ("tensor<" + sizes + "x" + type + ">").str();
}

/// A product of 8 x `length` by `length` x `columns` numbers.
static std::string product(StringRef length, StringRef columns, StringRef type,
                           StringRef sums, StringRef zero) {
  std::string a = tensor(("8x" + length).str(), type);
  std::string b = tensor((length + "x" + columns).str(), type);
  std::string c = tensor(("8x" + columns).str(), sums);
  return ("func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
          " {\n  %zero = arith.constant " + zero + " : " + sums +
          "\n  %empty = tensor.empty() : " + c +
          "\n  %zeros = linalg.fill ins(%zero : " + sums +
          ") outs(%empty : " + c + ") -> " + c +
          "\n  %y = linalg.matmul ins(%a, %b : " + a + ", " + b +
          ") outs(%zeros : " + c + ") -> " + c + "\n  return %y : " + c + "\n}")
      .str();
}

TEST_CASE("four bytes along the sum become a word", "[ir]") {
  std::string text = after(packing, product("12", "16", "i8", "i32", "0"));
  CHECK(countOf(text, "lh.product") == 1);
  CHECK(countOf(text, "tensor<8x3xi32>, tensor<3x16xi32>)") == 1);
  CHECK(countOf(text, "arith.xori") == 1); // signed bytes on the left
}

TEST_CASE("what is left over of a sum fills part of a word", "[ir]") {
  std::string text = after(packing, product("13", "16", "i8", "i32", "0"));
  CHECK(countOf(text, "tensor<8x4xi32>, tensor<4x16xi32>)") == 1);
  CHECK(countOf(text, "tensor.insert_slice") == 4);
  text = after(packing, product("5", "16", "bf16", "f32", "0.0"));
  CHECK(countOf(text, "tensor<8x3xi32>, tensor<3x16xi32>)") == 1);
}

TEST_CASE("either kind of word can be left out", "[ir]") {
  std::string bytes = product("12", "16", "i8", "i32", "0");
  std::string halves = product("12", "16", "bf16", "f32", "0.0");
  std::string wide = "lh-widen-operands, lh-pack-words";
  CHECK(countOf(after(wide + "{bytes=false}", bytes), "lh.product") == 0);
  CHECK(countOf(after(wide + "{bytes=false}", halves), "lh.product") == 1);
  CHECK(countOf(after(wide + "{halves=false}", halves), "lh.product") == 0);
}

TEST_CASE("products without panels have no words", "[ir]") {
  CHECK(countOf(after(packing, product("12", "7", "i8", "i32", "0")),
                "lh.product") == 0);
  // Shorter than a word.
  CHECK(countOf(after(packing, product("3", "16", "i8", "i32", "0")),
                "lh.product") == 0);
  // f16 has no instruction.
  CHECK(countOf(after(packing, product("12", "16", "f16", "f32", "0.0")),
                "lh.product") == 0);
}

/// The dot products of words on vectors; the second byte of the left one is
/// `shift` bits up (8, if it is to be right).
static std::string dots(StringRef lanes, int shift) {
  std::string type = ("vector<" + lanes + "xi32>").str();
  std::string text = "func.func @main(%s: " + type + ", %a: " + type +
                     ", %b: " + type + ") -> " + type + " {\n";
  auto line = [&](StringRef result, StringRef op, StringRef left,
                  StringRef right) {
    text += ("  %" + result + " = arith." + op + " %" + left + ", %" + right +
             " : " + type + "\n")
                .str();
  };
  for (int number : {8, 16, 24, 255, shift})
    if (countOf(text, "%c" + std::to_string(number) + " =") == 0)
      text += "  %c" + std::to_string(number) + " = arith.constant dense<" +
              std::to_string(number) + "> : " + type + "\n";
  line("u0", "andi", "a", "c255");
  line("r1", "shrui", "a", "c" + std::to_string(shift));
  line("u1", "andi", "r1", "c255");
  line("r2", "shrui", "a", "c16");
  line("u2", "andi", "r2", "c255");
  line("u3", "shrui", "a", "c24");
  line("l0", "shli", "b", "c24");
  line("s0", "shrsi", "l0", "c24");
  line("l1", "shli", "b", "c16");
  line("s1", "shrsi", "l1", "c24");
  line("l2", "shli", "b", "c8");
  line("s2", "shrsi", "l2", "c24");
  line("s3", "shrsi", "b", "c24");
  for (StringRef i : {"0", "1", "2", "3"})
    line(("p" + i).str(), "muli", ("s" + i).str(), ("u" + i).str());
  line("q1", "addi", "p0", "p1");
  line("q2", "addi", "p2", "p3");
  line("q", "addi", "q1", "q2");
  line("t", "addi", "q", "s");
  return text + "  return %t : " + type + "\n}";
}

TEST_CASE("a dot product of bytes is one instruction per register", "[ir]") {
  std::string text = after("lh-lower-words", dots("32", 8));
  CHECK(countOf(text, "\"llvm.x86.avx512.vpdpbusd.512\"") == 2);
  CHECK(countOf(text, "arith.muli") == 0);
  text = after("lh-lower-words{bits=256}", dots("8", 8));
  CHECK(countOf(text, "\"llvm.x86.avx512.vpdpbusd.256\"") == 1);
}

TEST_CASE("what isn't quite a dot product of bytes stays", "[ir]") {
  // Byte 2 of the left word twice; too few lanes for a register.
  CHECK(countOf(after("lh-lower-words", dots("32", 16)), "vpdpbusd") == 0);
  CHECK(countOf(after("lh-lower-words", dots("8", 8)), "vpdpbusd") == 0);
}
