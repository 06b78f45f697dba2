// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process of its own for each contestant.
#ifndef LH_CORE_BENCH_SEAT_H
#define LH_CORE_BENCH_SEAT_H

#include "core/bench/Turns.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <sys/types.h>

#include <memory>

namespace lh {

/// What sits in a seat: it lives in the seat's process.
class Sitter {
public:
  virtual ~Sitter() = default;

  /// Calls it this often and does nothing else. Why it can't; "" when it did.
  virtual std::string call(uint64_t count) = 0;
  /// After the last call: whether all is still right. Why not; "" if it is.
  virtual std::string finish() { return ""; }
  /// What one call reads and writes at least: inputs, weights and outputs.
  virtual uint64_t bytes() const { return 0; }
  /// Whether another process makes the calls: then this thread's CPU time says
  /// nothing of them, and the wall's clock alone counts.
  virtual bool callsElsewhere() const { return false; }
  /// What the last call() took by the clock of a device that did the work, 0
  /// before the first; nothing where it ran on this machine's cores.
  virtual std::optional<double> deviceSeconds() const { return std::nullopt; }
};

/// A process that calls a sitter when it is told to. The seat is made in the
/// process that will tell; it is taken there or in any process forked later.
class Seat : public Contestant {
public:
  using MakeSitter = llvm::function_ref<std::unique_ptr<Sitter>()>;

  /// Check isOpen(): the system may be out of descriptors.
  Seat();
  ~Seat() override;
  Seat(const Seat &) = delete;
  Seat &operator=(const Seat &) = delete;

  bool isOpen() const { return teller >= 0; }

  /// Forks a process that is this one's copy, with its memory and its code,
  /// pins it to `core` (or, for code with threads, to as many `cores`, `core`
  /// the last of them; its times are then the clock's alone), and lets the
  /// sitter wait there. It ends with the process that has made the seat.
  /// Returns at once, in the calling process alone. False, and errno, when
  /// there is no process to be had.
  bool take(int core, MakeSitter make, unsigned cores = 1);

  /// For the process that has made it, once no other will take it: waits for
  /// the sitter. False when there is none, and failure() then says so.
  bool begin();
  std::optional<Lap> lap(uint64_t warmUps, uint64_t calls) override;
  /// Ends the process. Why it isn't right in the end; "" if it is.
  std::string finish();

  std::string failure() const override { return whyNot; }
  uint64_t bytes() const { return bytesPerCall; }
  /// Whether its laps are by a device's clock; after begin().
  bool isOnDevice() const { return onDevice; }

  /// Replies are waited for until this descriptor becomes readable (-1: none)
  /// and not longer than these seconds (0: for ever).
  void setPatience(int interrupt, double seconds) {
    interruptDescriptor = interrupt;
    patienceSeconds = seconds;
  }

private:
  struct Reply;
  bool ask(uint64_t warmUps, uint64_t calls, Reply &reply);
  bool waitForReply();
  void giveUp(const std::string &why);

  int teller = -1, sitter = -1;
  pid_t process = 0;
  int interruptDescriptor = -1;
  double patienceSeconds = 0;
  uint64_t bytesPerCall = 0;
  bool onDevice = false;
  std::string whyNot;
};

/// The core to measure on, the same in each call: the last that this process
/// may use and no other measuring one has, since the first ones serve most
/// interrupts; the last of all where others have each. -1 when the system
/// doesn't say.
int quietCore();

} // namespace lh

#endif // LH_CORE_BENCH_SEAT_H
