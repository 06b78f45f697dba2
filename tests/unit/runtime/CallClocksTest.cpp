// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks round loop nests.
#include "runtime/cpu/CallClocks.h"

#include "compiler/session/MlirSession.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

/// A loop of the node `name`, from block `^at` on, that goes on at `^next`.
static std::string loop(const std::string &at, const std::string &name,
                        const std::string &next) {
  return "^" + at + "(%i" + at + ": i64):\n  %j" + at + " = llvm.add %i" + at +
         ", %one : i64 loc(\"" + name + "\")\n  %c" + at +
         " = llvm.icmp \"ult\" %j" + at + ", %n : i64 loc(\"" + name +
         "\")\n  llvm.cond_br %c" + at + ", ^" + at + "(%j" + at +
         " : i64), ^" + next + " loc(\"" + name + "\")\n";
}

static std::string function(const std::string &body) {
  return "llvm.func @use(i64)\nllvm.func @main(%n: i64) {\n"
         "  %one = llvm.mlir.constant(1 : i64) : i64 loc(\"constant\")\n" +
         body + "  llvm.return\n}\n";
}

/// Adds clocks, and prints the module.
static std::string clocked(const std::string &text,
                           std::vector<lh::ProfiledPiece> &pieces) {
  lh::MlirSession session;
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &session.context());
  REQUIRE(module);
  pieces = lh::addClocks(*module, "main", /*onX86=*/true);
  CHECK(succeeded(mlir::verify(*module)));
  std::string printed;
  llvm::raw_string_ostream(printed) << *module;
  return printed;
}

static size_t looksIn(llvm::StringRef text) {
  return text.count("llvm.call @lh_look");
}

TEST_CASE("each outermost loop is a piece, with its nodes", "[clocks]") {
  std::vector<lh::ProfiledPiece> pieces;
  std::string text =
      clocked(function("  llvm.br ^a(%n : i64)\n" + loop("a", "first", "m") +
                       "^m:\n  llvm.call @use(%n) : (i64) -> () "
                       "loc(\"between\")\n  llvm.br ^b(%n : i64)\n" +
                       loop("b", "second", "end") + "^end:\n"),
              pieces);
  std::vector<std::string> nests, others;
  for (const lh::ProfiledPiece &piece : pieces)
    (piece.isNest ? nests : others)
        .insert((piece.isNest ? nests : others).end(), piece.nodes.begin(),
                piece.nodes.end());
  CHECK(nests == std::vector<std::string>{"first", "second"});
  CHECK(llvm::is_contained(others, "between"));
  // Constants belong to no node.
  CHECK_FALSE(llvm::is_contained(others, "constant"));
  // At the entry, before and behind each loop, and at the end.
  CHECK(looksIn(text) == 6);
  CHECK(llvm::StringRef(text).contains("llvm.readcyclecounter"));
}

TEST_CASE("a node that inner loops work for comes first", "[clocks]") {
  // A loop over k of a few operations, in one with a long epilogue.
  std::string epilogue;
  for (int i = 0; i < 20; ++i)
    epilogue += "  %e" + std::to_string(i) +
                " = llvm.mul %k, %n : i64 loc(\"epilogue\")\n";
  std::vector<lh::ProfiledPiece> pieces;
  clocked(function("  llvm.br ^outer(%n : i64)\n"
                   "^outer(%o: i64):\n  llvm.br ^k(%o : i64)\n"
                   "^k(%k: i64):\n"
                   "  %s = llvm.add %k, %one : i64 loc(\"product\")\n"
                   "  %t = llvm.mul %s, %n : i64 loc(\"product\")\n"
                   "  %c = llvm.icmp \"ult\" %t, %n : i64 loc(\"product\")\n"
                   "  llvm.cond_br %c, ^k(%t : i64), ^after\n^after:\n" +
                   epilogue +
                   "  llvm.cond_br %c, ^outer(%e0 : i64), ^end\n^end:\n"),
          pieces);
  std::vector<std::string> nodes;
  for (const lh::ProfiledPiece &piece : pieces)
    if (piece.isNest)
      nodes = piece.nodes;
  REQUIRE(nodes.size() >= 2);
  CHECK(nodes[0] == "product");
  CHECK(nodes[1] == "epilogue");
}

TEST_CASE("code without loops has no clocks", "[clocks]") {
  std::vector<lh::ProfiledPiece> pieces;
  std::string text = clocked(function(""), pieces);
  CHECK(pieces.empty());
  CHECK(looksIn(text) == 0);
}

TEST_CASE("an entry that isn't there has no clocks", "[clocks]") {
  std::vector<lh::ProfiledPiece> pieces;
  clocked("llvm.func @other()\n", pieces);
  CHECK(pieces.empty());
}
