// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which machines take which jobs, and in what portions.
#include "insight/ci/Distribution.h"

#include "CiTestSupport.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace lh;

static double loadOf(ArrayRef<Job> portion) {
  double seconds = 0;
  for (const Job &job : portion)
    seconds += job.seconds;
  return seconds;
}

static std::vector<std::string> names(ArrayRef<Job> portion) {
  std::vector<std::string> names;
  for (const Job &job : portion)
    names.push_back(job.pipeline);
  return names;
}

TEST_CASE("portions hold every job once and take about as long", "[ci]") {
  std::vector<Job> jobs;
  for (int i = 0; i < 100; ++i)
    jobs.push_back(makeJob("p" + std::to_string(i), 1 << (i % 4)));
  auto parts = portions(jobs, 7);
  REQUIRE(parts.size() == 7);
  std::set<std::string> seen;
  double least = 1e9, most = 0;
  for (const auto &part : parts) {
    for (const std::string &name : names(part))
      CHECK(seen.insert(name).second);
    least = std::min(least, loadOf(part));
    most = std::max(most, loadOf(part));
  }
  CHECK(seen.size() == 100);
  CHECK(most - least <= 8); // the longest job
}

TEST_CASE("order and small changes of durations move no job", "[ci]") {
  std::vector<Job> jobs, other;
  for (int i = 0; i < 20; ++i) {
    jobs.push_back(makeJob("p" + std::to_string(i), 4));
    other.push_back(makeJob("p" + std::to_string(i), i % 2 ? 4.2 : 3.9));
  }
  std::reverse(other.begin(), other.end());
  auto before = portions(jobs, 3), after = portions(other, 3);
  for (size_t i = 0; i < 3; ++i)
    CHECK(names(before[i]) == names(after[i]));
}

TEST_CASE("more portions than jobs leave some empty", "[ci]") {
  auto parts = portions({makeJob("a", 1), makeJob("b", 1)}, 5);
  CHECK(llvm::count_if(parts, [](const auto &part) { return part.empty(); }) ==
        3);
}

TEST_CASE("a shard is I/N with I from 1 to N", "[ci]") {
  REQUIRE(parseShard("2/5"));
  CHECK(parseShard("2/5")->index == 2);
  CHECK(parseShard("2/5")->count == 5);
  for (const char *bad :
       {"0/5", "6/5", "1/0", "5", "a/b", "-1/2", "1/2/3", "1/10001", "", "/"})
    CHECK_FALSE(parseShard(bad));
}

TEST_CASE("bundles keep kinds of machine apart and to the limit", "[ci]") {
  std::vector<Job> jobs;
  for (int i = 0; i < 90; ++i)
    jobs.push_back(makeJob("p" + std::to_string(i), 1));
  for (int i = 0; i < 10; ++i)
    jobs.push_back(makeJob("q" + std::to_string(i), 1, {"linux", "gpu"}));
  auto made = bundles(jobs, 20);
  REQUIRE(succeeded(made));
  CHECK(made->size() <= 20);
  CHECK(made->size() >= 18);
  size_t count = 0;
  for (const auto &bundle : *made) {
    REQUIRE_FALSE(bundle.empty());
    count += bundle.size();
    for (const Job &job : bundle)
      CHECK(job.labels == bundle.front().labels);
  }
  CHECK(count == 100);
  CHECK(bundles(jobs, 100)->size() == 100);
  CHECK(failed(bundles(jobs, 1)));
}

TEST_CASE("a job goes to the machine with the fewest labels that suffice",
          "[ci]") {
  std::vector<Job> jobs = {makeJob("a", 1, {"linux"}),
                           makeJob("b", 1, {"linux", "avx512"}),
                           makeJob("c", 1, {"linux", "gpu"})};
  std::vector<Runner> runners = {*parseRunner("big=linux,x86,avx512"),
                                 *parseRunner("small=linux,x86")};
  assignRunners(jobs, runners);
  CHECK(jobs[0].runner == "small");
  CHECK(jobs[1].runner == "big");
  CHECK(jobs[2].runner.empty());
  CHECK(jobs[2].whyNot == "no runner has the labels linux, gpu");
}

TEST_CASE("what can be emulated runs natively where a machine can", "[ci]") {
  Job job = makeJob("a", 1, {"linux"});
  job.place = JobPlace::Emulated;
  job.nativeLabels = {"linux", "arm64"};
  job.tools = {"qemu-aarch64"};
  std::vector<Job> jobs = {job};
  assignRunners(jobs, {*parseRunner("x=linux,x86")});
  CHECK(jobs[0].place == JobPlace::Emulated);
  CHECK(jobs[0].runner == "x");
  jobs = {job};
  assignRunners(jobs,
                {*parseRunner("x=linux,x86"), *parseRunner("arm=linux,arm64")});
  CHECK(jobs[0].place == JobPlace::Native);
  CHECK(jobs[0].runner == "arm");
  CHECK(jobs[0].tools.empty());
}

TEST_CASE("a runner has a name and labels", "[ci]") {
  CHECK(parseRunner("a=b, c")->labels == std::vector<std::string>{"b", "c"});
  for (const char *bad : {"a", "a=", "=b", "", "a=,"})
    CHECK_FALSE(parseRunner(bad));
}

TEST_CASE("runners with the same labels share the load", "[ci]") {
  std::vector<Job> jobs;
  for (int i = 0; i < 300; ++i)
    jobs.push_back(makeJob("p" + std::to_string(i), 1, {"linux", "x86"}));
  std::vector<Runner> runners = {{"a", {"linux", "x86"}},
                                 {"b", {"x86", "linux"}},
                                 {"other", {"linux", "arm64"}},
                                 {"large", {"linux", "x86", "avx512"}},
                                 {"c", {"linux", "x86"}}};
  assignRunners(jobs, runners);
  std::map<std::string, size_t> counts;
  for (const Job &job : jobs)
    ++counts[job.runner];
  CHECK(counts.size() == 3);
  for (const char *name : {"a", "b", "c"})
    CHECK((counts[name] > 70 && counts[name] < 130));
  std::string first = jobs[0].runner;
  assignRunners(MutableArrayRef(jobs).take_front(1), runners);
  CHECK(jobs[0].runner == first);
}
