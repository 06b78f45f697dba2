// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workers tell the coordinator, as text.
#include "core/exec/Message.h"

#include "core/plan/RecordFields.h"

using namespace lh;

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

} // namespace lh

std::string lh::encode(const Message &message) {
  return writeOwn([&](auto &v) {
    if (const auto *started = std::get_if<StepStarted>(&message))
      v("started", *started);
    else if (const auto *finished = std::get_if<StepFinished>(&message))
      v("finished", *finished);
    else
      v("ended", std::get<WorkerEnded>(message));
  });
}

std::optional<Message> lh::decode(StringRef text) {
  std::optional<StepStarted> started;
  std::optional<StepFinished> finished;
  std::optional<WorkerEnded> ended;
  auto describe = [&](auto &v) {
    v.ifAny("started", started);
    v.ifAny("finished", finished);
    v.ifAny("ended", ended);
  };
  if (failed(readOwn(text, describe)))
    return std::nullopt;
  if (started)
    return *started;
  if (finished)
    return std::move(*finished);
  return ended;
}
