// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests, bubble files and targets as plain data.
#include "core/manifest/ManifestParser.h"
#include "core/manifest/Numerics.h"
#include "core/manifest/TargetParser.h"

#include <catch2/catch.hpp>

using namespace lh;

static const char *const head = "lighthouse: 1\nname: m\ntargets: [t]\n";

static FailureOr<Manifest> parse(const std::string &body,
                                 CollectingSink &sink) {
  return parseManifest(head + body, "/p/m.yaml", sink);
}

/// A manifest without errors.
static Manifest parsed(const std::string &body) {
  CollectingSink sink;
  FailureOr<Manifest> manifest = parse(body, sink);
  REQUIRE(succeeded(manifest));
  return std::move(*manifest);
}

TEST_CASE("an unknown key names the nearest one", "[manifest]") {
  CollectingSink sink;
  CHECK(failed(parse("bubbles:\n  tile: {schdule: t.mlir}\n", sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  const Diagnostic &seen = sink.diagnostics()[0];
  CHECK(seen.kind == DiagKind::ManifestUnknownKey);
  CHECK(seen.where.line == 5);
  CHECK(seen.where.column == 10);
  CHECK(seen.message ==
        "unknown key 'schdule' in bubble 'tile'; did you mean 'schedule'?");
}

TEST_CASE("every kind of bubble is read", "[manifest]") {
  Manifest manifest = parsed(
      "bubbles:\n"
      "  a: {ingress: onnx, model: '${case.model}', shapes: case}\n"
      "  b: {ingress: command, command: [tool, '${case.model}']}\n"
      "  c: {passes: cse}\n"
      "  d: {schedule: s.mlir, entry: e, library: [l.mlir], with: {k: 4}}\n"
      "  e: {schedule: s.mlir}\n"
      "  f: {use: 'lib:cpu/x', with: {sizes: [8, 16]}}\n"
      "  g: {command: [opt, -]}\n"
      "  h: {execute: main}\n"
      "  i: {execute: {entry: main, repeat: 10}}\n"
      "  j: {emit: llvm-ir, path: out.ll}\n");
  auto &bubbles = manifest.bubbles;
  REQUIRE(bubbles.size() == 10);
  auto &onnx = std::get<IngressDecl>(bubbles[0].action);
  CHECK(onnx.shapesFromCase);
  CHECK(std::get<Reference>(onnx.model.pieces[0]).name == "model");
  auto &tool = std::get<IngressDecl>(bubbles[1].action);
  CHECK(tool.kind == IngressKind::Command);
  CHECK(tool.command.size() == 2);
  CHECK(std::holds_alternative<PassesDecl>(bubbles[2].action));
  auto &schedule = std::get<ScheduleDecl>(bubbles[3].action);
  CHECK(schedule.entry.value == "e");
  CHECK(schedule.libraries.size() == 1);
  CHECK(bubbles[3].with[0].first.value == "k");
  CHECK(std::get<ScheduleDecl>(bubbles[4].action).entry.value ==
        "__transform_main");
  CHECK(std::get<UseDecl>(bubbles[5].action).path.value == "lib:cpu/x");
  CHECK(std::get<Value>(bubbles[5].with[0].second.pieces[0]) ==
        Value(std::vector<int64_t>{8, 16}));
  CHECK(std::get<CommandDecl>(bubbles[6].action).words.size() == 2);
  CHECK(std::get<ExecuteDecl>(bubbles[7].action).repeat == 0);
  CHECK(std::get<ExecuteDecl>(bubbles[8].action).repeat == 10);
  CHECK(std::get<EmitDecl>(bubbles[9].action).format == EmitFormat::LlvmIr);
}

TEST_CASE("edges chain, and their names are located", "[manifest]") {
  Manifest manifest = parsed("bubbles: {a: {passes: cse}}\n"
                             "edges:\n  - a -> b ->c\n  - 'a->  d'\n");
  REQUIRE(manifest.edges.size() == 3);
  CHECK(manifest.edges[1].from.value == "b");
  CHECK(manifest.edges[1].to.where.column == 14);
  CHECK(manifest.edges[2].to.value == "d");
  CHECK(manifest.edges[2].to.where.line == 7);
  CHECK(manifest.edges[2].to.where.column == 11);
}

TEST_CASE("conditions and contracts are read", "[manifest]") {
  Manifest manifest = parsed(
      "bubbles:\n"
      "  a:\n"
      "    passes: cse\n"
      "    when: {bits: {min: 128, max: 512}, fast: true, n: {any: [1, 2],\n"
      "           not: {all: [3]}}}\n"
      "    requires: {dialects: {only: [func]}, shapes: static}\n"
      "    ensures: {ops: {none: [a.b], some: [c.d]}, types: {some: [vector],"
      " none: [memref]}, dialects: {none: [x], some: [y]}}\n"
      "    preserves: [boundary, shapes]\n"
      "    doc: does it\n");
  const BubbleDecl &bubble = manifest.bubbles[0];
  REQUIRE(bubble.when.size() == 3);
  CHECK(bubble.when[0].minimum == 128.0);
  CHECK(bubble.when[0].maximum == 512.0);
  CHECK(bubble.when[1].equals == Value(true));
  CHECK(bubble.when[2].any.size() == 2);
  REQUIRE(bubble.when[2].negated.size() == 1);
  CHECK(bubble.when[2].negated[0].all.size() == 1);
  REQUIRE(bubble.requires_);
  REQUIRE(bubble.requires_->dialectsOnly);
  CHECK(bubble.requires_->shapes == "static");
  CHECK(bubble.requires_->where.line == 9);
  REQUIRE(bubble.ensures);
  CHECK_FALSE(bubble.ensures->dialectsOnly);
  CHECK(bubble.ensures->opsSome == std::vector<std::string>{"c.d"});
  CHECK(bubble.ensures->typesSome == std::vector<std::string>{"vector"});
  CHECK(bubble.preserves.size() == 2);
  CHECK(bubble.doc == "does it");
}

TEST_CASE("what a bubble expects is read", "[manifest]") {
  Manifest manifest = parsed(
      "bubbles:\n"
      "  a: {passes: cse, expect: {filecheck: '${case.model}'}}\n"
      "  b: {passes: cse, expect: {filecheck: x.check, prefix: AVX-512_a},\n"
      "      ensures: {filecheck: y.check}}\n");
  const BubbleDecl &first = manifest.bubbles[0];
  REQUIRE(first.expect);
  CHECK(std::get<Reference>(first.expect->file->pieces[0]).name == "model");
  CHECK(first.expect->prefix == "CHECK");
  const BubbleDecl &second = manifest.bubbles[1];
  CHECK(second.expect->prefix == "AVX-512_a");
  REQUIRE(second.ensures->checkFile);
  CHECK(second.ensures->checkFile->file == "y.check");
  CHECK(second.ensures->checkFile->where.line == 7);
}

TEST_CASE("expectations that make no sense are refused", "[manifest]") {
  for (auto [bubble, kind] :
       {std::pair("execute: main, expect: {filecheck: x}",
                  DiagKind::ManifestMisplacedKey),
        std::pair("passes: cse, expect: {filecheck: x, prefix: 5x}",
                  DiagKind::ManifestBadValue),
        std::pair("passes: cse, expect: {}", DiagKind::ManifestOneOf),
        std::pair("passes: cse, expect: {fail: x, prefix: X}",
                  DiagKind::ManifestMisplacedKey)}) {
    CollectingSink sink;
    CHECK(
        failed(parse("bubbles:\n  a: {" + std::string(bubble) + "}\n", sink)));
    REQUIRE(sink.diagnostics().size() == 1);
    CHECK(sink.diagnostics()[0].kind == kind);
  }
}

TEST_CASE("what a bubble does to the numbers is read", "[manifest]") {
  Manifest manifest =
      parsed("bubbles:\n"
             "  a: {passes: cse}\n"
             "  b:\n"
             "    passes: cse\n"
             "    numerics: {winograd: [4, 3], ulp: 1024,\n"
             "               reassociate: true, operands: tf32}\n");
  const NumericsDecl &strict = manifest.bubbles[0].numerics;
  CHECK_FALSE(strict.winograd);
  CHECK_FALSE(strict.ulp);
  CHECK_FALSE(strict.reassociate);
  CHECK_FALSE(strict.operands);
  const NumericsDecl &loose = manifest.bubbles[1].numerics;
  REQUIRE(loose.winograd);
  CHECK(loose.winograd->value.tile == 4);
  CHECK(loose.winograd->value.filter == 3);
  REQUIRE(loose.ulp);
  CHECK(loose.ulp->value == 1024);
  CHECK(loose.ulp->where.line == 8);
  REQUIRE(loose.reassociate);
  CHECK(loose.reassociate->value);
  REQUIRE(loose.operands);
  CHECK(loose.operands->value == "tf32");
}

TEST_CASE("numerics out of range are refused where they stand", "[manifest]") {
  for (auto [numerics, column, message] :
       {std::tuple("winograd: [9, 3]", 42,
                   "'winograd' is 9; it must be at most 8"),
        std::tuple("winograd: [4, 0]", 45,
                   "'winograd' is 0; it must be at least 1"),
        std::tuple("winograd: [4]", 41,
                   "'winograd' has 1 numbers; it takes the output tile and "
                   "the filter size, as in [4, 3]"),
        std::tuple("ulp: 1025", 36, "'ulp' is 1025; it must be at most 1024"),
        std::tuple("ulp: 0", 36, "'ulp' is 0; it must be at least 1"),
        std::tuple("reassociate: 1", 44,
                   "expected true or false for 'reassociate', found '1'"),
        std::tuple("operands: float32", 41,
                   "'float32' is no value of 'operands'; it is one of "
                   "bfloat16, float16, tf32, tf32-truncated; did you mean "
                   "'float16'?")}) {
    CollectingSink sink;
    CHECK(failed(parse("bubbles:\n  a: {passes: cse, numerics: {" +
                           std::string(numerics) + "}}\n",
                       sink)));
    REQUIRE(sink.diagnostics().size() == 1);
    CHECK(sink.diagnostics()[0].message == message);
    CHECK(sink.diagnostics()[0].where.line == 5);
    CHECK(int(sink.diagnostics()[0].where.column) == column);
  }
}

TEST_CASE("numerics merge to the weaker promise", "[manifest]") {
  auto at = [](unsigned line) { return SourceSpan{"f", line, 1, 0}; };
  NumericsDecl first, second;
  first.winograd = {{2, 3}, at(1)};
  first.ulp = {4, at(1)};
  first.operands = {"tf32", at(1)};
  second.winograd = {{6, 3}, at(2)};
  second.ulp = {4, at(2)};
  second.reassociate = {true, at(2)};
  second.operands = {"bfloat16", at(2)};
  for (const NumericsDecl &merged :
       {mergeNumerics(first, second), mergeNumerics(second, first)}) {
    CHECK(merged.winograd->value.tile == 6);
    CHECK(merged.ulp->value == 4);
    CHECK(merged.reassociate->where.line == 2);
    CHECK(merged.operands->value == "bfloat16");
  }
  CHECK(mergeNumerics(first, second).ulp->where.line == 1);
  CHECK_FALSE(mergeNumerics({}, {}).reassociate);
  CHECK(mergeNumerics({}, first).winograd->value.tile == 2);
}

TEST_CASE("cases, verification and pipelines are read", "[manifest]") {
  Manifest manifest = parsed(
      "bubbles: {a: {passes: cse}}\n"
      "pipelines: {p: {path: [a], color: red}}\n"
      "cases:\n"
      "  g: {golden: ../golden/x, tolerance: {atol: 1e-5, ulp: 4}}\n"
      "  o: {onnx-test: 'dir/*'}\n"
      "  r: {generate: {model: m.mlir, seed: 7, inputs: {x: {shape: [2, 3],\n"
      "      dtype: float32, dist: uniform, range: [0, 2]}}}}\n"
      "verify: {against: [golden, oracle], oracle: bound, rtol: 1e-4,\n"
      "         dtypes: {float16: {rtol: 0.01}}, labels: {at_least: 0.9}}\n");
  CHECK(manifest.pipelines[0].color == "red");
  REQUIRE(manifest.cases.size() == 3);
  CHECK(manifest.cases[0].tolerance.atol == 1e-5);
  CHECK(manifest.cases[0].tolerance.ulp == 4);
  CHECK(std::holds_alternative<OnnxTestCase>(manifest.cases[1].source));
  auto &generate = std::get<GenerateCase>(manifest.cases[2].source);
  CHECK(generate.seed == 7);
  REQUIRE(generate.inputs.size() == 1);
  CHECK(generate.inputs[0].shape == std::vector<int64_t>{2, 3});
  CHECK(generate.inputs[0].dist == "uniform");
  CHECK(generate.inputs[0].range->high == 2.0);
  REQUIRE(manifest.verify);
  CHECK(manifest.verify->mode->value == OracleMode::Bound);
  CHECK(manifest.verify->perDtype.at("float16").rtol == 0.01);
  REQUIRE(manifest.verify->labelsAtLeast);
  CHECK(manifest.verify->labelsAtLeast->value == 0.9);
}

TEST_CASE("what 'verify' can't mean is refused at its place", "[manifest]") {
  const struct {
    const char *verify;
    DiagKind kind;
    unsigned column;
  } mistakes[] = {
      {"{against: [oracle], labels: {at_least: 90}}",
       DiagKind::ManifestBadValue, 48},
      {"{against: [oracle], atol: -1}", DiagKind::ManifestBadValue, 35},
      {"{against: [oracle], atol: .inf}", DiagKind::ManifestWrongType, 35},
      {"{against: [oracle], rtol: nan}", DiagKind::ManifestWrongType, 35},
      {"nothing", DiagKind::ManifestBadValue, 9},
      {"[golden]", DiagKind::ManifestWrongType, 9},
  };
  for (const auto &mistake : mistakes) {
    INFO(mistake.verify);
    CollectingSink sink;
    CHECK(failed(parse(std::string("bubbles: {a: {passes: cse}}\nverify: ") +
                           mistake.verify + "\n",
                       sink)));
    REQUIRE(sink.diagnostics().size() == 1);
    CHECK(sink.diagnostics()[0].kind == mistake.kind);
    CHECK(sink.diagnostics()[0].where.line == 5);
    CHECK(sink.diagnostics()[0].where.column == mistake.column);
  }
}

TEST_CASE("'verify: none' compares with nothing, and is said", "[manifest]") {
  Manifest manifest = parsed("bubbles: {a: {passes: cse}}\nverify: none\n");
  REQUIRE(manifest.verify);
  CHECK(manifest.verify->against.empty());
  manifest = parsed("bubbles: {a: {passes: cse}}\n");
  CHECK_FALSE(manifest.verify);
}

TEST_CASE("all errors of a file are reported in one go", "[manifest]") {
  CollectingSink sink;
  CHECK(failed(parse("bubbles:\n"
                     "  a: {passes: cse, pases: x}\n"
                     "  a: {passes: cse}\n"
                     "  b: {execute: {entry: main, repeat: '3'}}\n"
                     "  c: {ingress: onnx, model: '${nothing}'}\n"
                     "edges: [a]\n"
                     "colour: blue\n",
                     sink)));
  CHECK(sink.errorCount() == 6);
}

TEST_CASE("a hint says when quotes are the mistake", "[manifest]") {
  CollectingSink sink;
  CHECK(failed(parseManifest("lighthouse: '1'\nname: 7\ntargets: [t]\n"
                             "bubbles: {a: {passes: cse}}\n",
                             "m.yaml", sink)));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK(StringRef(sink.diagnostics()[0].message)
            .ends_with("leave the quotes out"));
  CHECK(StringRef(sink.diagnostics()[1].message).ends_with("put it in quotes"));
}

TEST_CASE("a bubble file is one action or a chain", "[manifest]") {
  CollectingSink sink;
  auto one = parseBubbleFile(
      "lighthouse: 1\ndoc: d\n"
      "params: {k: {type: int, default: 4, min: 1, max: 8, choices: [4, 8]}}\n"
      "schedule: s.mlir\nentry: e\n",
      "/p/b.yaml", sink);
  REQUIRE(succeeded(one));
  REQUIRE(one->params.size() == 1);
  CHECK(one->params[0].minimum == 1.0);
  CHECK(one->params[0].choices.size() == 2);
  CHECK(std::get<ScheduleDecl>(*one->action).entry.value == "e");
  auto chain = parseBubbleFile("lighthouse: 1\n"
                               "bubbles: {a: {passes: x}, b: {passes: y}}\n"
                               "edges: [a -> b]\n",
                               "/p/c.yaml", sink);
  REQUIRE(succeeded(chain));
  CHECK_FALSE(chain->action);
  CHECK(chain->bubbles.size() == 2);
}

TEST_CASE("a target file is read, named by its stem", "[manifest]") {
  CollectingSink sink;
  auto target = parseTarget(
      "lighthouse: 1\nbackend: cpu\ntriple: aarch64-linux-gnu\ncpu: generic\n"
      "features: [sve]\nfacts: {bits: 128, sizes: [1, 2], scalable: true}\n"
      "run:\n  native_on: aarch64\n"
      "  emulator: [qemu-aarch64, 'vl=${sweep.vl}']\n  sweep: {vl: [16, 32]}\n"
      "  vector_bytes: ${sweep.vl}\n  needs: {qemu-user: qemu-aarch64}\n"
      "tolerance: {rtol: 1e-3, dtypes: {float16: {atol: 0.1}}}\n"
      "labels: [linux]\n",
      "/p/targets/sve.yaml", sink);
  REQUIRE(succeeded(target));
  CHECK(target->name == "sve");
  CHECK(target->facts.at("sizes").value == Value(std::vector<int64_t>{1, 2}));
  CHECK(target->facts.at("bits").where.line == 6);
  CHECK(target->run.nativeOn == "aarch64");
  CHECK(target->run.emulator.size() == 2);
  CHECK(target->run.sweep.at("vl").size() == 2);
  CHECK(target->run.vectorBytes);
  CHECK(target->run.needs.at("qemu-user") == "qemu-aarch64");
  CHECK(target->tolerance.rtol == 1e-3);
  CHECK(target->perDtype.at("float16").atol == 0.1);
}

TEST_CASE("JSON is a manifest too", "[manifest]") {
  CollectingSink sink;
  CHECK(succeeded(parseManifest(
      R"({"lighthouse": 1, "name": "m", "targets": ["t"],
          "bubbles": {"a": {"passes": "cse"}}})",
      "m.json", sink)));
}

TEST_CASE("a generated case's sets are words, each counted once",
          "[manifest]") {
  CollectingSink sink;
  std::string begin = "bubbles: {b: {passes: cse}}\n"
                      "cases:\n  c: {generate: {model: m.mlir, sets: ";
  auto manifest = parse(begin + "[specials, drawn, drawn]}}\n", sink);
  REQUIRE(succeeded(manifest));
  CHECK(std::get<GenerateCase>(manifest->cases[0].source).sets ==
        std::vector{InputSet::Drawn, InputSet::Specials});
  CHECK(failed(parse(begin + "[exakt]}}\n", sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK_THAT(sink.diagnostics()[0].message,
             Catch::Contains("did you mean 'exact'?"));
}

TEST_CASE("a generated case is drawn at least once", "[manifest]") {
  CollectingSink sink;
  std::string begin = "bubbles: {b: {passes: cse}}\n"
                      "cases:\n  c: {generate: {model: m.mlir";
  auto drawsOf = [&](const std::string &words) {
    auto manifest = parse(begin + words + "}}\n", sink);
    REQUIRE(succeeded(manifest));
    return std::get<GenerateCase>(manifest->cases[0].source).draws;
  };
  CHECK(drawsOf(", draws: 3") == 3u);
  CHECK(!drawsOf(""));
  CHECK(failed(parse(begin + ", draws: 0}}\n", sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].kind == DiagKind::ManifestBadValue);
}
