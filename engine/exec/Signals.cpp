// Signals as something to poll for.
#include "exec/Signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

using namespace lh;

SignalCollector::SignalCollector(std::initializer_list<int> signals) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int signal : signals)
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
