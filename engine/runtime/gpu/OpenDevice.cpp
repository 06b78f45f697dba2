// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses among drivers and the simulation.
#include "runtime/gpu/OpenDevice.h"

#include "runtime/gpu/DriverDevice.h"
#include "runtime/gpu/VulkanDevice.h"
#include "runtime/sim/SimDevice.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lh;

static FailureOr<DriverApi>
openDriver(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink) {
  switch (chip.vendor) {
  case Vendor::Nvidia:
    return openCudaDriver(chip, "", where, sink);
  case Vendor::Amd:
    return openHipDriver(chip, "", where, sink);
  case Vendor::Intel:
  case Vendor::Vulkan: // openRealDevice() has its own way
    break;
  }
  return sink.error(DiagKind::BackendUnavailable, where,
                    "lh-run compiles for Intel's GPUs, and runs nothing on "
                    "them");
}

FailureOr<std::unique_ptr<Device>> lh::openRealDevice(const Chip &chip,
                                                      DeviceChoice choice,
                                                      const SourceSpan &where,
                                                      DiagnosticSink &sink) {
  if (chip.vendor == Vendor::Vulkan) {
    FailureOr<OpenVulkan> open = openVulkan(chip, choice, "", where, sink);
    if (failed(open))
      return failure();
    return makeVulkanDevice(std::move(*open), chip, where, sink);
  }
  FailureOr<DriverApi> api = openDriver(chip, where, sink);
  if (failed(api))
    return failure();
  return makeDriverDevice(std::move(*api), where);
}

/// The device as the driver tells of it.
static DeviceProbe describeDevice(const Chip &chip, DeviceChoice choice) {
  CollectingSink problems;
  DeviceProbe probe;
  if (chip.vendor == Vendor::Vulkan) {
    FailureOr<OpenVulkan> open = openVulkan(chip, choice, "", {}, problems);
    if (succeeded(open))
      probe = {"", std::move(open->description), open->isSoftware};
  } else {
    FailureOr<DriverApi> api = openDriver(chip, {}, problems);
    if (succeeded(api))
      probe.name = std::move(api->description);
  }
  if (!problems.diagnostics().empty())
    probe.problem = problems.diagnostics().front().message;
  return probe;
}

/// In the child: 'y' for a device, 's' for one in software, and its name; or
/// 'n' and what is wrong.
[[noreturn]] static void tell(int to, const Chip &chip, DeviceChoice choice) {
  DeviceProbe probe = describeDevice(chip, choice);
  std::string text = !probe.problem.empty() ? "n" + probe.problem
                     : probe.isSoftware     ? "s" + probe.name
                                            : "y" + probe.name;
  bool told =
      write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  _exit(told ? 0 : 1); // a driver's own threads and handlers stay out of it
}

/// What the child says within the time that a driver may take to wake up.
static std::string hear(int from) {
  constexpr int patienceMilliseconds = 60000;
  std::string text;
  char bytes[512];
  pollfd ready = {from, POLLIN, 0};
  while (poll(&ready, 1, patienceMilliseconds) > 0) {
    ssize_t count = read(from, bytes, sizeof bytes);
    if (count <= 0)
      break;
    text.append(bytes, static_cast<size_t>(count));
  }
  return text;
}

DeviceProbe lh::probeDevice(const Chip &chip, DeviceChoice choice) {
  int ends[2];
  if (pipe(ends) != 0)
    return {std::string("a driver can't be asked: ") + strerror(errno), ""};
  pid_t child = fork();
  if (child == 0)
    tell(ends[1], chip, choice);
  close(ends[1]);
  std::string text = child < 0 ? "" : hear(ends[0]);
  close(ends[0]);
  if (child > 0) {
    if (text.empty())
      kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (text.empty())
    return {"its driver doesn't answer", ""};
  std::string rest = text.substr(1);
  if (text[0] == 'n')
    return {rest, ""};
  return {"", rest, text[0] == 's'};
}

FailureOr<std::unique_ptr<Device>> lh::openSimulation(const Chip &chip,
                                                      const SourceSpan &where,
                                                      DiagnosticSink &sink) {
  SimOptions options;
  options.chip = chip.name;
  auto device = openSimulatedDevice(options, where, sink);
  if (!device)
    return failure();
  return device;
}
