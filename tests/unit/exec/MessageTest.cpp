// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages survive the way from a worker to the coordinator.
#include "core/exec/Message.h"
#include "core/exec/Autopsy.h"
#include "core/exec/Channel.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace lh;

TEST_CASE("an outcome comes back as it was sent", "[message]") {
  StepOutcome outcome;
  outcome.step = 7;
  outcome.status = StepStatus::Failed;
  outcome.reason = "why \"not\"\n";
  outcome.log = "some text";
  outcome.begin = 1.5;
  outcome.seconds = 0.25;
  outcome.matches = {{{"s.mlir", 3, 4, 0}, 5, "transform.select", true}};
  outcome.before = ModuleCount{{{"linalg", 3}}, 0};
  outcome.after = ModuleCount{{{"scf", 4}, {"vector", 5}}, 1 << 20};
  outcome.passes = {{"cse", 0, 0.5, 0.25}, {"inner", 1, 0.5, 0.125}};
  outcome.snapshot = "out/7-tile.mlir";
  outcome.peakBytes = 1 << 30;
  outcome.changedModule = false;
  outcome.kernels = KernelShare{{{"simt", 4}}, 5};
  outcome.arithmetic = ArithmeticCount{4, 3, 6, 5, {{"gemm", 7}}};
  outcome.work = ContractionWork{{{"float32", 6}, {"int8", 1e15}}, true};
  outcome.runSeconds = {0.5, 0.125};
  outcome.outputs = {{"y", "out/y.npy", "bfloat16"}};
  outcome.inputs = {{"a/b", "out/x.npy", "int8"}};
  outcome.diagnostics = {{DiagKind::ManifestUnknownKey,
                          Severity::Warning,
                          {"m.yaml", 1, 2, 3},
                          "text",
                          {{{"n.yaml", 4, 5, 6}, "note"}}}};
  auto message = decode(encode(StepFinished{outcome}));
  REQUIRE(message);
  const StepOutcome &back = std::get<StepFinished>(*message).outcome;
  CHECK(back.step == 7);
  CHECK(back.status == StepStatus::Failed);
  CHECK(back.reason == outcome.reason);
  CHECK(back.log == "some text");
  CHECK(back.begin == 1.5);
  CHECK(back.seconds == 0.25);
  REQUIRE(back.matches.size() == 1);
  CHECK(back.matches[0].where.line == 3);
  CHECK(back.matches[0].operations == 5);
  CHECK(back.matches[0].op == "transform.select");
  CHECK(back.matches[0].isOptional);
  CHECK(back.before->operations == outcome.before->operations);
  CHECK(back.after->operations == outcome.after->operations);
  CHECK(back.after->constantBytes == 1 << 20);
  REQUIRE(back.passes.size() == 2);
  CHECK(back.passes[1].name == "inner");
  CHECK(back.passes[1].depth == 1);
  CHECK(back.passes[1].begin == 0.5);
  CHECK(back.passes[1].seconds == 0.125);
  CHECK(back.snapshot == "out/7-tile.mlir");
  CHECK(back.peakBytes == 1 << 30);
  CHECK_FALSE(back.changedModule);
  CHECK(back.kernels->kernels == outcome.kernels->kernels);
  CHECK(back.kernels->withoutKernel == 5);
  CHECK(back.arithmetic->operations == 4);
  CHECK(back.arithmetic->vectorised == 3);
  CHECK(back.arithmetic->instructions == 6);
  CHECK(back.arithmetic->vectorInstructions == 5);
  CHECK(back.arithmetic->unknownCalls == outcome.arithmetic->unknownCalls);
  CHECK(back.work->operations == outcome.work->operations);
  CHECK(back.work->isOpen);
  CHECK(back.runSeconds == outcome.runSeconds);
  CHECK(back.outputs[0].dtype == "bfloat16");
  CHECK(back.inputs[0].name == "a/b");
  REQUIRE(back.diagnostics.size() == 1);
  CHECK(back.diagnostics[0].kind == DiagKind::ManifestUnknownKey);
  CHECK(back.diagnostics[0].severity == Severity::Warning);
  CHECK(back.diagnostics[0].where.length == 3);
  CHECK(back.diagnostics[0].notes[0].where.file == "n.yaml");
  outcome.status = StepStatus::NotApplicable;
  message = decode(encode(StepFinished{outcome}));
  REQUIRE(message);
  CHECK(std::get<StepFinished>(*message).outcome.status ==
        StepStatus::NotApplicable);
}

TEST_CASE("text that is not UTF-8 and numbers that are not finite are sent",
          "[message]") {
  StepOutcome outcome;
  outcome.reason = "bad \xff byte";
  outcome.seconds = std::nan("");
  auto message = decode(encode(StepFinished{outcome}));
  REQUIRE(message);
  CHECK(std::get<StepFinished>(*message).outcome.seconds == 0);
}

TEST_CASE("a message whose nesting has no end is refused", "[message]") {
  CHECK_FALSE(decode(std::string(1 << 20, '[')));
  CHECK_FALSE(decode("{\"finished\":" + std::string(1 << 20, '[') +
                     std::string(1 << 20, ']') + "}"));
}

TEST_CASE("what is no message is refused", "[message]") {
  for (StringRef text :
       {"", "{", "[]", "{}", R"({"finished": {"step": 1}})",
        R"({"finished": {"step": 1, "outcome": {"status": "late"}}})",
        R"({"started": {"step": -1}})", R"({"ended": {"worker": 1}})"})
    CHECK_FALSE(decode(text));
}

TEST_CASE("a long message of a live sender passes a dead one's fragment",
          "[channel]") {
  Channel channel;
  REQUIRE(channel.isOpen());
  std::string text(1 << 20, 'a');
  pid_t child = fork();
  if (child == 0) {
    channel.send(text);
    _exit(0);
  }
  std::optional<Channel::Received> received;
  while (!received)
    received = channel.receive();
  CHECK(received->sender == child);
  CHECK(received->text == text);
  CHECK(waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(channel.receive());
}

TEST_CASE("what a process did not finish sending is dropped", "[channel]") {
  Channel channel;
  std::string text(64 << 20, 'a');
  pid_t child = fork();
  if (child == 0) {
    channel.send(text); // blocks: nobody reads
    _exit(0);
  }
  // The first packet is there; then its sender dies.
  while (!channel.receive() && kill(child, SIGKILL) != 0) {
  }
  CHECK(waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(channel.receive());
  channel.dropPartial(child);
  CHECK(channel.send("whole"));
  auto received = channel.receive();
  REQUIRE(received);
  CHECK(received->text == "whole");
}

TEST_CASE("an autopsy names the signal and the telling line", "[autopsy]") {
  StepOutcome abort = autopsy(
      1, SIGABRT, "noise\nLLVM ERROR: bad thing\n #0 0x1 frame\nmore\n");
  CHECK(abort.status == StepStatus::Crashed);
  CHECK(abort.reason ==
        "crashed with SIGABRT (aborted): LLVM ERROR: bad thing");
  StepOutcome memory =
      autopsy(1, SIGABRT, "LLVM ERROR: out of memory\nAllocation failed\n");
  CHECK(memory.status == StepStatus::OutOfMemory);
  CHECK(autopsy(1, SIGKILL, "").status == StepStatus::OutOfMemory);
  StepOutcome left = autopsy(1, 3 << 8, "a\nlast words\n");
  CHECK(left.reason == "ended its process with exit status 3: last words");
}
