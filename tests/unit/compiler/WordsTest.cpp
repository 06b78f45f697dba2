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

/// The number `shift` bits up in the words %`word`, as %`name`: cut out as
/// `narrow` (i8; i16 for bf16), and extended by `extension`.
static std::string numberLines(const std::string &name, StringRef word,
                               int shift, StringRef lanes, StringRef narrow,
                               StringRef extension, StringRef bits = "i32") {
  auto type = [&](StringRef element) {
    return ("vector<" + lanes + "x" + element + ">").str();
  };
  std::string words = type(bits), cut = type(narrow);
  std::string text, from = ("%" + word).str();
  if (shift != 0) {
    text = "  %c." + name + " = arith.constant dense<" + std::to_string(shift) +
           "> : " + words + "\n  %r." + name + " = arith.shrui " + from +
           ", %c." + name + " : " + words + "\n";
    from = "%r." + name;
  }
  text += "  %n." + name + " = arith.trunci " + from + " : " + words + " to " +
          cut + "\n";
  bool ofHalves = extension == "extf";
  if (ofHalves)
    text += "  %h." + name + " = arith.bitcast %n." + name + " : " + cut +
            " to " + type("bf16") + "\n";
  return text + "  %" + name + " = arith." + extension.str() +
         (ofHalves ? " %h." : " %n.") + name + " : " +
         (ofHalves ? type("bf16") : cut) + " to " +
         type(ofHalves ? "f32" : "i32") + "\n";
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
  for (int i : {0, 1, 2, 3}) {
    std::string at = std::to_string(i);
    text += numberLines("u" + at, "a", i == 1 ? shift : 8 * i, lanes, "i8",
                        "extui");
    text += numberLines("s" + at, "b", 8 * i, lanes, "i8", "extsi");
    line("p" + at, "muli", "s" + at, "u" + at);
  }
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
                     "%b: vector<16xi32>) -> vector<16xf32> {\n";
  for (std::string word : {"a", "b"})
    for (int i : {0, 1})
      text += numberLines(word + std::to_string(i), word, 16 * i, "16", "i16",
                          "extf");
  text = after("lh-lower-words",
               text + "  %p0 = arith.mulf %a0, %b0 : vector<16xf32>\n"
                      "  %p1 = arith.mulf %a1, %b1 : vector<16xf32>\n"
                      "  %q = arith.addf %p0, %p1 : vector<16xf32>\n"
                      "  %t = arith.addf %s, %q : vector<16xf32>\n"
                      "  return %t : vector<16xf32>\n}");
  CHECK(countOf(text, "\"llvm.x86.avx512bf16.dpbf16ps.512\"") == 1);
  CHECK(countOf(text, "arith.mulf") == 0);
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
  text += "  %zero = arith.constant 0 : index\n"
          "  %one = arith.constant 1 : index\n"
          "  %wa = vector.broadcast %a : vector<" +
          count + "x1xi64> to " + words +
          "\n  %wb = vector.broadcast %b : vector<[8]xi64> to " + words +
          "\n  %y = scf.for %i = %zero to %n step %one iter_args(%s = %start)"
          " -> (" +
          sums + ") {\n";
  std::string dot;
  for (int i = 0; i < 8; ++i) {
    std::string at = std::to_string(i), lanes = count + "x[8]";
    text += numberLines("a" + at, "wa", 8 * i, lanes, "i8", "extsi", "i64");
    text += numberLines("b" + at, "wb", 8 * i, lanes, "i8", "extui", "i64");
    text += "    %p" + at + " = arith.muli %a" + at + ", %b" + at + " : " +
            sums + "\n";
    if (i > 0)
      text += "    %q" + at + " = arith.addi " + dot + ", %p" + at + " : " +
              sums + "\n";
    dot = (i == 0 ? "%p" : "%q") + at;
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

/// `text` with the first `old` in it replaced.
static std::string replaced(std::string text, const std::string &old,
                            const std::string &by) {
  return text.replace(text.find(old), old.size(), by);
}

TEST_CASE("sums stay matrices from one loop to the next", "[ir]") {
  std::string text = matrixLoop(2);
  size_t begin = text.find("  %y = scf.for"), end = text.find("  return");
  std::string next = text.substr(begin, end - begin);
  next = replaced(replaced(next, "%y = ", "%z = "), "%s = %start", "%s = %y");
  text = after("lh-lower-words",
               replaced(text.insert(end, next), "return %y", "return %z"));
  CHECK(countOf(text, "scf.for") == 2);
  CHECK(countOf(text, "\"llvm.aarch64.sve.usmmla.nxv4i32\"") == 8);
  CHECK(countOf(text, "vector.interleave") == 2);
  CHECK(countOf(text, "vector.deinterleave") == 2);
}
