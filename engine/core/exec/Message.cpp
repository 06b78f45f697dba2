// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workers tell the coordinator, as text.
#include "core/exec/Message.h"

#include "core/plan/RecordFields.h"

using namespace lh;

namespace {
/// One of them is there.
struct Wire {
  std::optional<StepStarted> started;
  std::optional<StepFinished> finished;
  std::optional<WorkerEnded> ended;
};
} // namespace

namespace lh {

static void fieldsOf(auto &v, Is<StepStarted> auto &started) {
  v("step", started.step);
}

static void fieldsOf(auto &v, Is<StepFinished> auto &finished) {
  v("step", finished.outcome.step);
  v("outcome", finished.outcome);
}

static void fieldsOf(auto &v, Is<WorkerEnded> auto &ended) {
  v("worker", ended.worker);
  v("status", ended.status);
}

static void fieldsOf(auto &v, Is<Wire> auto &wire) {
  v.ifAny("started", wire.started);
  v.ifAny("finished", wire.finished);
  v.ifAny("ended", wire.ended);
}

} // namespace lh

std::string lh::encode(const Message &message) {
  Wire wire;
  if (const auto *started = std::get_if<StepStarted>(&message))
    wire.started = *started;
  else if (const auto *finished = std::get_if<StepFinished>(&message))
    wire.finished = *finished;
  else
    wire.ended = std::get<WorkerEnded>(message);
  return writeOwn(wire);
}

std::optional<Message> lh::decode(StringRef text) {
  Wire wire;
  if (failed(readOwn(text, wire)))
    return std::nullopt;
  if (wire.started)
    return *wire.started;
  if (wire.finished)
    return std::move(*wire.finished);
  if (wire.ended)
    return *wire.ended;
  return std::nullopt;
}
