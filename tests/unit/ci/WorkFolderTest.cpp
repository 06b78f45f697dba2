// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is to be done, and what is done.
#include "insight/ci/WorkFolder.h"

#include "../TestFolder.h"
#include "CiTestSupport.h"
#include "insight/ci/Tasks.h"

#include "llvm/Support/ErrorOr.h"

using namespace lh;

TEST_CASE("numbers are ranges", "[ci]") {
  CHECK(arrayRanges({}).empty());
  CHECK(arrayRanges({4}) == "4");
  CHECK(arrayRanges({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
}

TEST_CASE("a job has ended when its last file says so, whole", "[ci]") {
  TestFolder folder;
  CHECK_FALSE(readEnd(folder.path));
  REQUIRE_FALSE(writeEnd(folder.path, {77, 2, 1.5, "w1"}));
  std::optional<JobEnd> end = readEnd(folder.path);
  REQUIRE(end);
  CHECK(end->code == 77);
  CHECK(end->start == 2);
  CHECK(end->host == "w1");
  for (StringRef cut : {"", "{\"code\":7", "{}", "null", "[[[["}) {
    folder.write("exit", cut);
    CHECK_FALSE(readEnd(folder.path));
  }
}

TEST_CASE("a job is begun so often and no more", "[ci]") {
  TestFolder folder;
  std::string job = folder.file("job");
  CHECK(startsOf(job) == 0);
  for (unsigned start = 1; start <= mostStarts; ++start) {
    CHECK(*countStart(job) == start);
    CHECK(startsOf(job) == start);
  }
  CHECK(*countStart(job) == 0);
  folder.write("file", "");
  CHECK(countStart(folder.file("file")).getError());
}

TEST_CASE("tasks are read as they were written", "[ci]") {
  TestFolder folder;
  Task task{{{"a-1",
              "m a",
              {"lh-run", "run", "--", "m's\n.yaml"},
              {{"--json", "report.json"}}}}};
  std::string file =
      folder.write("x86.jsonl", writeTask(task) + "\n" + writeTask(task));
  SourceStore sources(*llvm::vfs::getRealFileSystem());
  CollectingSink sink;
  FailureOr<std::vector<Task>> tasks = readTasks(file, sources, sink);
  REQUIRE(succeeded(tasks));
  REQUIRE(tasks->size() == 2);
  CHECK((*tasks)[1].jobs[0].command == task.jobs[0].command);
  CHECK((*tasks)[1].jobs[0].files == task.jobs[0].files);
}

TEST_CASE("a kind of machine has an array, of tasks that last a while",
          "[ci]") {
  std::vector<Job> jobs;
  for (int i = 0; i < 60; ++i)
    jobs.push_back(makeJob("p" + std::to_string(i), 2, {"linux"}));
  jobs.push_back(makeJob("v", 100, {"linux", "x86", "avx512"}));
  jobs.push_back(makeJob("none", 1, {"linux", "sve"}));
  jobs.back().whyNot = "no machine has it";
  std::vector<TaskArray> arrays = taskArrays(jobs, {});
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].kind == "any");
  CHECK(arrays[0].tasks.size() == 4);
  size_t count = 0;
  for (const Task &task : arrays[0].tasks)
    count += task.jobs.size();
  CHECK(count == 60);
  CHECK(arrays[1].kind == "x86-avx512");
  CHECK(arrays[1].tasks.size() == 1);
}

TEST_CASE("there are never more tasks than an array takes", "[ci]") {
  std::vector<Job> jobs;
  for (int i = 0; i < 1500; ++i)
    jobs.push_back(makeJob("p" + std::to_string(i), 60, {"linux"}));
  CHECK(taskArrays(jobs, {})[0].tasks.size() == 1000);
}

TEST_CASE("a script asks for features, a device, and time enough", "[ci]") {
  SlurmOptions options{.program = "lh-run",
                       .folder = "/a b/100%",
                       .workingDirectory = "/data",
                       .cores = 4};
  TaskArray array{"linux-cuda-sm90", {"linux", "cuda", "sm90"}, "", {}, 600};
  std::string text = slurmScript(array, options);
  auto has = [&](StringRef line) {
    INFO(text);
    CHECK(StringRef(text).contains(("\n#SBATCH " + line + "\n").str()));
  };
  has("--constraint=sm90");
  has("--gres=gpu:1");
  has("--cpus-per-task=4");
  has("--time=30");
  has("--output='/a b/100%%/log'/%x-%A-%a.log");
  array.runner = "skylake";
  CHECK(StringRef(slurmScript(array, options))
            .contains("--constraint=skylake\n"));
  array = {"any", {"linux"}, "", {}, 1};
  text = slurmScript(array, options);
  has("--time=5");
  CHECK_FALSE(StringRef(text).contains("constraint"));
  array.longest = 0;
  CHECK_FALSE(StringRef(slurmScript(array, options)).contains("--time"));
}

TEST_CASE("a limit of time needs the times of all jobs", "[ci]") {
  std::vector<Job> jobs = {makeJob("a", 60, {"linux"}),
                           makeJob("b", 90, {"linux"})};
  jobs[0].wasRecorded = true;
  CHECK(taskArrays(jobs, {})[0].longest == 0);
  jobs[1].wasRecorded = true;
  CHECK(taskArrays(jobs, {})[0].longest == 90);
}

TEST_CASE("only what no machine has is skipped", "[ci]") {
  CHECK(isMissingMachine("sbatch: error: Batch job submission failed: Invalid "
                         "feature specification"));
  CHECK_FALSE(
      isMissingMachine("sbatch: error: invalid partition specified: x"));
}
