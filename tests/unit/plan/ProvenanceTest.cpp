// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sidecar is read whole or refused at the place that is wrong.
#include "core/plan/Provenance.h"

#include <catch2/catch.hpp>

using namespace lh;

static const char *const whole = R"({
  "producer": "p", "versions": {"p": "1"}, "source": "oracle",
  "target": "any", "dtypes": {"y": "float32"}, "quantisation": "int8",
  "seed": 7, "model": "make it",
  "model_sha256": ")"
                                 "0123456789abcdef0123456789abcdef"
                                 "0123456789ABCDEF0123456789ABCDEF"
                                 R"(",
  "nans": {"y": 2}, "notes": {"accuracy": 0.5, "why": ["a", "b"]}
})";

static std::vector<Diagnostic> problemsOf(const std::string &text) {
  CollectingSink sink;
  CHECK(failed(readProvenance(text, "/p.json", sink)));
  for (const Diagnostic &problem : sink.diagnostics())
    CHECK(problem.kind == DiagKind::PlanGoldenProvenance);
  return sink.take();
}

static std::string with(const std::string &from, const std::string &to) {
  std::string text = whole;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST_CASE("a sidecar comes back as it was written", "[provenance]") {
  CollectingSink sink;
  auto read = readProvenance(whole, "/p.json", sink);
  REQUIRE(succeeded(read));
  CHECK(read->dtypes.at("y") == "float32");
  CHECK(read->seed == 7);
  CHECK(read->nans.at("y") == 2);
  std::string text = provenanceText(*read);
  auto again = readProvenance(text, "/p.json", sink);
  REQUIRE(succeeded(again));
  CHECK(provenanceText(*again) == text);
  CHECK_THAT(text, Catch::Contains("\"accuracy\": 0.5"));
  CHECK(again->modelHash == read->modelHash);
  CHECK(again->quantisation == "int8");
  CHECK(again->model == "make it");
  CHECK(again->source == "oracle");
}

TEST_CASE("what is no JSON object is refused", "[provenance]") {
  auto problems = problemsOf("{\n  \"producer\": ,\n}");
  CHECK(problems[0].where.line == 2);
  CHECK(problems[0].where.column > 1);
  CHECK_THAT(problems[0].message, Catch::Contains("not JSON"));
  CHECK_FALSE(problemsOf("producer: p").empty());
  CHECK_FALSE(problemsOf("[1]").empty());
  CHECK_FALSE(problemsOf("").empty());
}

TEST_CASE("a sidecar whose nesting has no end is refused", "[provenance]") {
  constexpr size_t deep = 1 << 20;
  std::string open(deep, '['), close(deep, ']');
  CHECK_FALSE(problemsOf(open).empty());
  CHECK_FALSE(problemsOf("{\"notes\": " + open + close + "}").empty());
}

TEST_CASE("a field that is lacking is named, all at once", "[provenance]") {
  auto problems = problemsOf("{\"producer\": \"p\"}");
  REQUIRE(problems.size() == 4);
  CHECK_THAT(problems[0].message, Catch::Contains("'versions'"));
  CHECK_THAT(problems[3].message, Catch::Contains("'model_sha256'"));
  CHECK_THAT(problems[3].message, Catch::Contains("lh-run record"));
}

TEST_CASE("an unknown field is refused where it stands", "[provenance]") {
  auto problems = problemsOf(with("\"seed\"", "\"sead\""));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where.line == 4);
  CHECK_THAT(problems[0].message, Catch::Contains("did you mean 'seed'"));
}

TEST_CASE("a field of another form is refused where it stands",
          "[provenance]") {
  auto [from, to] = GENERATE(table<std::string, std::string>(
      {{"\"p\", ", "\"\", "},
       {"\"p\", ", "3, "},
       {"{\"p\": \"1\"}", "{}"},
       {"{\"p\": \"1\"}", "{\"p\": 1}"},
       {"\"float32\"", "\"f32\""},
       {"\"float32\"", "\"float33\""},
       {"7", "-7"},
       {"7", "\"7\""},
       {"cdef\"", "cde\""},
       {"cdef\"", "cdeg\""},
       {"{\"y\": 2}", "{\"y\": \"2\"}"},
       {"{\"accuracy\": 0.5, \"why\": [\"a\", \"b\"]}", "\"text\""}}));
  std::string text = whole;
  for (char &c : text)
    c = static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c);
  text.replace(text.find(from), from.size(), to);
  auto problems = problemsOf(text);
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0].message, Catch::Contains("must be"));
  CHECK(problems[0].where.line > 1);
}

TEST_CASE("a field that is given twice is refused", "[provenance]") {
  auto problems = problemsOf(with("\"seed\": 7", "\"seed\": 7, \"seed\": 8"));
  CHECK(problems[0].where.line == 4);
}
