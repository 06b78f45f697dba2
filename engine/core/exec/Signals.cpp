// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals as something to poll for.
#include "core/exec/Signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

using namespace lh;

/// What nohup, or a parent that wants no SIGPIPE, has asked for. Shells ignore
/// SIGINT in the background too, where whoever sends it means it.
static bool staysIgnored(int signal) {
  struct sigaction current {};
  return signal != SIGINT && sigaction(signal, nullptr, &current) == 0 &&
         current.sa_handler == SIG_IGN;
}

SignalCollector::SignalCollector(std::initializer_list<int> signals) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int signal : signals)
    if (!staysIgnored(signal))
      sigaddset(&wanted, signal);
  sigprocmask(SIG_BLOCK, &wanted, &previous);
  file = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
}

SignalCollector::~SignalCollector() {
  if (file >= 0)
    close(file);
  restoreMask();
}

int SignalCollector::next() {
  signalfd_siginfo info;
  if (read(file, &info, sizeof(info)) != sizeof(info))
    return 0;
  return static_cast<int>(info.ssi_signo);
}

void SignalCollector::restoreMask() const {
  sigprocmask(SIG_SETMASK, &previous, nullptr);
}
