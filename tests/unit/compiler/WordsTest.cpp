// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-pack-words, lh-lower-words.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// After `payload`'s widened products were chosen for words, and packed.
static std::string packed(StringRef payload, StringRef options = "") {
  IrWorkbench bench;
  REQUIRE(bench.import(payload.str()).status == StepStatus::Passed);
  CHECK(bench.passes("lh-normalize-products{operands=true}, canonicalize, cse")
            .reason == "");
  CHECK(bench.choose("words").reason == "");
  CHECK(bench.passes(("lh-pack-words" + options + ", canonicalize, cse").str())
            .reason == "");
  return bench.text();
}

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
  std::string text = packed(product("12", "16", "i8", "i32", "0"));
  CHECK(countOf(text, "lh.product") == 1);
  CHECK(countOf(text, "tensor<8x3xi32>, tensor<3x16xi32>)") == 1);
  CHECK(countOf(text, "arith.xori") == 1); // signed bytes on the left
}

TEST_CASE("what is left over of a sum fills part of a word", "[ir]") {
  std::string text = packed(product("13", "16", "i8", "i32", "0"));
  CHECK(countOf(text, "tensor<8x4xi32>, tensor<4x16xi32>)") == 1);
  CHECK(countOf(text, "tensor.insert_slice") == 4);
  text = packed(product("5", "16", "bf16", "f32", "0.0"));
  CHECK(countOf(text, "tensor<8x3xi32>, tensor<3x16xi32>)") == 1);
}

TEST_CASE("only what is chosen for words becomes one of words", "[ir]") {
  std::string bytes = product("12", "16", "i8", "i32", "0");
  CHECK(countOf(
            after("lh-normalize-products{operands=true}, lh-pack-words", bytes),
            "lh.product") == 0);
  CHECK(countOf(packed(product("12", "16", "bf16", "f32", "0.0")),
                "lh.product") == 1);
}

TEST_CASE("words for matrices are of 64 bits, with their own signs", "[ir]") {
  std::string matrices = "{matrices=true}";
  std::string text = packed(product("16", "16", "i8", "i32", "0"), matrices);
  CHECK(countOf(text, "tensor<8x2xi64>, tensor<2x16xi64>)") == 1);
  CHECK(countOf(text, "arith.xori") == 0);
  CHECK(countOf(text, "arith.muli") == 8);
  text = packed(product("9", "16", "bf16", "f32", "0.0"), matrices);
  CHECK(countOf(text, "tensor<8x3xi64>, tensor<3x16xi64>)") == 1);
  CHECK(countOf(text, "arith.mulf") == 4);
  // Shorter than a word of 64 bits.
  CHECK(countOf(packed(product("7", "16", "i8", "i32", "0"), matrices),
                "lh.product") == 0);
}

TEST_CASE("what words can't compute loses the choice", "[ir]") {
  // Shorter than a word.
  std::string text = packed(product("3", "16", "i8", "i32", "0"));
  CHECK(countOf(text, "lh.product") == 0);
  CHECK(countOf(text, "lh.choice") == 0);
  // f16 has no instruction.
  text = packed(product("12", "16", "f16", "f32", "0.0"));
  CHECK(countOf(text, "lh.product") == 0);
  CHECK(countOf(text, "lh.choice") == 0);
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

TEST_CASE("a dot product of bf16 is one instruction per register", "[ir]") {
  std::string text = "func.func @main(%s: vector<16xf32>, %a: vector<16xi32>, "
                     "%b: vector<16xi32>) -> vector<16xf32> {\n"
                     "  %c16 = arith.constant dense<16> : vector<16xi32>\n"
                     "  %up = arith.constant dense<-65536> : vector<16xi32>\n";
  for (std::string word : {"a", "b"})
    for (bool high : {false, true}) {
      std::string name = word + (high ? "1" : "0");
      text += "  %i" + name + " = arith." +
              (high ? "andi %" + word + ", %up" : "shli %" + word + ", %c16") +
              " : vector<16xi32>\n  %" + name + " = arith.bitcast %i" + name +
              " : vector<16xi32> to vector<16xf32>\n";
    }
  text = after("lh-lower-words",
               text + "  %p0 = arith.mulf %a0, %b0 : vector<16xf32>\n"
                      "  %p1 = arith.mulf %a1, %b1 : vector<16xf32>\n"
                      "  %q = arith.addf %p0, %p1 : vector<16xf32>\n"
                      "  %t = arith.addf %s, %q : vector<16xf32>\n"
                      "  return %t : vector<16xf32>\n}");
  CHECK(countOf(text, "\"llvm.x86.avx512bf16.dpbf16ps.512\"") == 1);
  CHECK(countOf(text, "arith.mulf") == 0);
}

/// Byte `i` of the 32 bits %`from`, as %`from``i`: signed in words %a.
static std::string byteLines(const std::string &from, int i, StringRef type) {
  bool isSigned = from.back() == 'a';
  int bits = isSigned ? 24 - 8 * i : 8 * i;
  std::string name = from + std::to_string(i),
              end = (" : " + type + "\n").str();
  std::string moved = "%" + from, text;
  if (bits != 0) {
    moved = "%m" + name;
    text = "    " + moved + " = arith." + (isSigned ? "shli %" : "shrui %") +
           from + ", %c" + std::to_string(bits) + end;
  }
  std::string rest = isSigned ? "shrsi " + moved + ", %c24"
                     : i == 3 ? "shrui %" + from + ", %c24"
                              : "andi " + moved + ", %c255";
  return text + "    %" + name + " = arith." + rest + end;
}

/// A loop that adds the dot products of words of 64 bits of `rows` rows and 8
/// scalable columns to %start, by the same words at each step; the bytes on the
/// right are unsigned. With `afterwards`, it carries %u that this computes.
static std::string matrixLoop(int rows, StringRef afterwards = "") {
  std::string count = std::to_string(rows);
  std::string sums = "vector<" + count + "x[8]xi32>";
  std::string words = "vector<" + count + "x[8]xi64>";
  std::string text = "func.func @main(%start: " + sums + ", %a: vector<" +
                     count + "x1xi64>, %b: vector<[8]xi64>, %n: index) -> " +
                     sums + " {\n";
  for (int bits : {8, 16, 24, 255})
    text += "  %c" + std::to_string(bits) + " = arith.constant dense<" +
            std::to_string(bits) + "> : " + sums + "\n";
  text += "  %c32 = arith.constant dense<32> : " + words +
          "\n  %zero = arith.constant 0 : index\n"
          "  %one = arith.constant 1 : index\n"
          "  %wa = vector.broadcast %a : vector<" +
          count + "x1xi64> to " + words +
          "\n  %wb = vector.broadcast %b : vector<[8]xi64> to " + words +
          "\n  %y = scf.for %i = %zero to %n step %one iter_args(%s = %start)"
          " -> (" +
          sums + ") {\n";
  for (std::string word : {"a", "b"}) {
    std::string cast = " : " + words + " to " + sums + "\n";
    text += "    %h" + word + " = arith.shrui %w" + word + ", %c32 : " + words;
    text += "\n    %lo" + word + " = arith.trunci %w" + word + cast;
    text += "    %hi" + word + " = arith.trunci %h" + word + cast;
    for (int i = 0; i < 8; ++i)
      text += byteLines((i < 4 ? "lo" : "hi") + word, i % 4, sums);
  }
  std::string dot;
  for (StringRef half : {"lo", "hi"})
    for (StringRef i : {"0", "1", "2", "3"}) {
      std::string at = (half + i).str();
      text += ("    %p" + at + " = arith.muli %" + half + "a" + i + ", %" +
               half + "b" + i + " : " + sums + "\n")
                  .str();
      if (!dot.empty())
        text += "    %q" + at + " = arith.addi " + dot + ", %p" + at + " : " +
                sums + "\n";
      dot = (dot.empty() ? "%p" : "%q") + at;
    }
  text += "    %t = arith.addi %s, " + dot + " : " + sums + "\n";
  text += afterwards;
  return text + "    scf.yield %" + (afterwards.empty() ? "t" : "u") + " : " +
         sums + "\n  }\n  return %y : " + sums + "\n}";
}

TEST_CASE("a loop carries sums as matrices of 2 by 2", "[ir]") {
  // Three rows are two pairs, of 4 vectors each.
  std::string text = after("lh-lower-words", matrixLoop(3));
  CHECK(countOf(text, "\"llvm.aarch64.sve.usmmla.nxv4i32\"") == 8);
  CHECK(countOf(text, "arith.muli") == 0);
  size_t loop = text.find("scf.for"), end = text.find("scf.yield");
  std::string before = text.substr(0, loop);
  std::string inside = text.substr(loop, end - loop);
  CHECK(countOf(before, "vector.interleave") == 4);
  CHECK(countOf(inside, "interleave") == 0);
  CHECK(countOf(text.substr(end), "vector.deinterleave") == 4);
  CHECK(countOf(inside, "\"llvm.aarch64.sve.zip1.nxv2i64\"") == 1);
}

TEST_CASE("sums that a loop reads otherwise are put in order there", "[ir]") {
  std::string text =
      after("lh-lower-words",
            matrixLoop(2, "    %u = arith.maxsi %t, %s : vector<2x[8]xi32>\n"));
  size_t loop = text.find("scf.for");
  CHECK(countOf(text.substr(0, loop), "interleave") == 0);
  CHECK(countOf(text.substr(loop), "\"llvm.aarch64.sve.usmmla.nxv4i32\"") == 4);
  CHECK(countOf(text.substr(loop), "vector.interleave") == 2);
  CHECK(countOf(text.substr(loop), "vector.deinterleave") == 2);
}
