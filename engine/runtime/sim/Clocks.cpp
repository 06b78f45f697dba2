// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks, cleared by barriers and kept within warps where possible.
#include "runtime/sim/Clocks.h"

#include <algorithm>

using namespace lh;

void SimClocks::begin(unsigned newThreads, unsigned newWave) {
  unsigned newWidth = newThreads + engines;
  if (newWidth != width || dirty) {
    known.assign(size_t(newWidth) * newWidth, 0);
    ticks.assign(newWidth, 1);
  }
  threads = newThreads;
  wave = newWave;
  width = newWidth;
  dirty = crossed = false;
  ++epoch;
}

void SimClocks::meet(ArrayRef<unsigned> actors, bool warp) {
  if (actors.empty())
    return;
  dirty = true;
  crossed |= !warp;
  // Within a warp that met no other there is nothing to learn of the others.
  size_t first = crossed ? 0 : actors.front() / wave * wave;
  size_t last = crossed ? width : std::min<size_t>(first + wave, width);
  Knowledge joined(last - first, 0);
  for (unsigned actor : actors) {
    const uint32_t *row = &known[size_t(actor) * width];
    for (size_t i = first; i < last; ++i)
      joined[i - first] = std::max(joined[i - first], row[i]);
  }
  for (unsigned actor : actors)
    joined[actor - first] = ++ticks[actor];
  for (unsigned actor : actors)
    std::copy(joined.begin(), joined.end(),
              &known[size_t(actor) * width + first]);
}

void SimClocks::release(unsigned actor, Knowledge &to) {
  dirty = crossed = true;
  to.resize(width, 0);
  const uint32_t *row = &known[size_t(actor) * width];
  for (size_t i = 0; i < width; ++i)
    to[i] = std::max(to[i], row[i]);
  to[actor] = std::max(to[actor], ++ticks[actor]);
}

void SimClocks::acquire(unsigned actor, const Knowledge &from) {
  dirty = crossed = true;
  uint32_t *row = &known[size_t(actor) * width];
  for (size_t i = 0; i < from.size(); ++i)
    row[i] = std::max(row[i], from[i]);
}

SimStamp SimClocks::startEngine(unsigned engine, unsigned by) {
  unsigned actor = engineActor(engine);
  Knowledge issued;
  release(by, issued);
  acquire(actor, issued);
  ++ticks[actor];
  return now(actor);
}

void SimClocks::learn(unsigned actor, unsigned other, uint32_t tick) {
  dirty = crossed = true;
  uint32_t &row = known[size_t(actor) * width + other];
  row = std::max(row, tick);
}
