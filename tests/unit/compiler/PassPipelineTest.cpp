// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pass strings: what is accepted, what is said about the rest.
#include "compiler/session/PassPipeline.h"
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {
/// Parses one string written at m.yaml:4:20.
struct Parsed {
  explicit Parsed(StringRef text, unsigned extraLength = 0) {
    SourceSpan where{"m.yaml", 4, 20,
                     static_cast<unsigned>(text.size()) + extraLength};
    auto pipeline = PassPipeline::parse(text, where, session.context(), sink);
    ok = succeeded(pipeline);
    if (ok)
      printed = pipeline->text();
  }
  const Diagnostic &only() const {
    REQUIRE(sink.diagnostics().size() == 1);
    return sink.diagnostics()[0];
  }
  MlirSession session;
  CollectingSink sink;
  bool ok = false;
  std::string printed;
};
} // namespace

TEST_CASE("a bare list runs on the module", "[ir]") {
  Parsed parsed("canonicalize,cse");
  CHECK(parsed.ok);
  CHECK(parsed.printed == "builtin.module(canonicalize,cse)");
}

TEST_CASE("builtin.module and any round the whole string are optional",
          "[ir]") {
  CHECK(Parsed("builtin.module(cse)").printed == "builtin.module(cse)");
  CHECK(Parsed(" any( cse ) ").printed == "builtin.module(cse)");
}

TEST_CASE("a bare pass on functions is nested as mlir-opt would", "[ir]") {
  Parsed parsed("cse,promote-buffers-to-stack{max-alloc-size-in-bytes=16}");
  CHECK(parsed.printed ==
        "builtin.module(cse,func.func(promote-buffers-to-stack{"
        "max-alloc-size-in-bytes=16}))");
}

TEST_CASE("options in braces may hold commas and braces", "[ir]") {
  Parsed parsed("func.func(affine-loop-tile{tile-sizes=32,32}),\n"
                "  canonicalize{test-convergence=1 max-iterations=3}");
  CHECK(parsed.ok);
  CHECK(parsed.printed ==
        "builtin.module(func.func(affine-loop-tile{tile-sizes=32,32}),"
        "canonicalize{test-convergence=1 max-iterations=3})");
}

TEST_CASE("an unknown pass is shown at its column with the nearest name",
          "[ir]") {
  Parsed parsed("cse,canonicalise");
  CHECK_FALSE(parsed.ok);
  CHECK(kindName(parsed.only().kind) == "ir-unknown-pass");
  CHECK(parsed.only().where.line == 4);
  CHECK(parsed.only().where.column == 24);
  CHECK(parsed.only().where.length == 12);
  CHECK_THAT(parsed.only().message,
             Catch::Contains("did you mean 'canonicalize'?"));
}

TEST_CASE("a quoted string's columns count from after the quote", "[ir]") {
  CHECK(Parsed("nosuchpass", 2).only().where.column == 21);
}

TEST_CASE("a string that isn't on one line as written points at its scalar",
          "[ir]") {
  Parsed parsed("cse,nosuchpass", 7);
  CHECK(parsed.only().where.column == 20);
}

TEST_CASE("all unknown passes of a string are reported", "[ir]") {
  CHECK(Parsed("nosuch-a,func.func(nosuch-b)").sink.errorCount() == 2);
}

TEST_CASE("an unknown option is shown at its column with the nearest name",
          "[ir]") {
  Parsed parsed("canonicalize{max-iteration=3}");
  CHECK(kindName(parsed.only().kind) == "ir-bad-pass-option");
  CHECK(parsed.only().where.column == 33);
  CHECK_THAT(parsed.only().message,
             Catch::Contains("did you mean 'max-iterations'?"));
}

TEST_CASE("a bad option value is an error", "[ir]") {
  Parsed parsed("canonicalize{max-iterations=many}");
  CHECK(kindName(parsed.only().kind) == "ir-bad-pass-option");
  CHECK_THAT(parsed.only().message,
             Catch::Contains("for the --max-iterations option: 'many' value "
                             "invalid"));
}

TEST_CASE("options of registered pipelines are checked too", "[ir]") {
  Parsed parsed("buffer-deallocation-pipeline{private-function=1}");
  CHECK(kindName(parsed.only().kind) == "ir-bad-pass-option");
  CHECK(parsed.only().where.column == 49);
}

TEST_CASE("broken syntax is an error where it breaks", "[ir]") {
  Parsed open("func.func(cse");
  CHECK(kindName(open.only().kind) == "ir-bad-pass-string");
  CHECK(open.only().where.column == 33);
  CHECK(Parsed("cse)").only().where.column == 23);
  CHECK(Parsed("cse,,cse").only().where.column == 24);
  CHECK(kindName(Parsed("").only().kind) == "ir-bad-pass-string");
  CHECK(kindName(Parsed("cse{a").only().kind) == "ir-bad-pass-string");
  CHECK(kindName(Parsed("cse cse").only().kind) == "ir-bad-pass-string");
}

TEST_CASE("pass strings nested too deeply are refused where it begins",
          "[ir]") {
  auto nested = [](int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i)
      text += "any(";
    return text + "cse" + std::string(size_t(levels), ')');
  };
  CHECK(Parsed(nested(64)).ok);
  Parsed deep(nested(100000));
  CHECK(deep.only().kind == DiagKind::IrTooDeep);
  CHECK(deep.only().where.column == 20 + 64 * 4);
  Parsed options("inline{op-pipelines=" + nested(100000) + "}");
  CHECK(options.only().kind == DiagKind::IrTooDeep);
  Parsed braces("cse" + std::string(100000, '{'));
  CHECK(braces.only().kind == DiagKind::IrTooDeep);
}

TEST_CASE("anchors that would silently run nothing are errors", "[ir]") {
  CHECK(kindName(Parsed("builtin.module(cse),cse").only().kind) ==
        "ir-bad-anchor");
  CHECK_THAT(Parsed("builtin.module(builtin.module(cse))").only().message,
             Catch::Contains("nested modules only"));
  CHECK_THAT(Parsed("linalg.matmul(cse)").only().message,
             Catch::Contains("never run on 'linalg.matmul'"));
  CHECK_THAT(Parsed("canonicalize(cse)").only().message,
             Catch::Contains("is no operation"));
  CHECK_THAT(Parsed("func.func(one-shot-bufferize)").only().message,
             Catch::Contains("can't run on 'func.func'; it runs on "
                             "'builtin.module'"));
  CHECK_THAT(Parsed("func.func").only().message,
             Catch::Contains("write 'func.func(...)'"));
}

TEST_CASE("the gap passes are registered and named as such", "[ir]") {
  MlirSession session;
  CollectingSink sink;
  auto pipeline = PassPipeline::parse("lh-widen,cse,lh-hoist-weights,lh-widen",
                                      {}, session.context(), sink);
  REQUIRE(succeeded(pipeline));
  CHECK(pipeline->gapPasses() ==
        std::vector<std::string>{"lh-widen", "lh-hoist-weights"});
}
