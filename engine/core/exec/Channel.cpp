// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message queue from many worker processes to one coordinator.
#include "core/exec/Channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace lh;

namespace {

struct PacketHeader {
  pid_t sender;
  bool isFirst, isLast;
};

} // namespace

// Far below the default socket buffer, so that several senders fit.
static constexpr size_t maxPayload = 32 * 1024;

Channel::Channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  receiveEnd = ends[0];
  sendEnd = ends[1];
}

Channel::~Channel() {
  if (!isOpen())
    return;
  close(receiveEnd);
  close(sendEnd);
}

bool Channel::send(StringRef text) {
  std::string packet;
  bool isFirst = true;
  do {
    StringRef payload = text.take_front(maxPayload);
    text = text.drop_front(payload.size());
    PacketHeader header{};
    header.sender = getpid();
    header.isFirst = isFirst;
    header.isLast = text.empty();
    packet.assign(reinterpret_cast<const char *>(&header), sizeof(header));
    packet += payload;
    while (::send(sendEnd, packet.data(), packet.size(), MSG_NOSIGNAL) < 0)
      if (errno != EINTR)
        return false;
    isFirst = false;
  } while (!text.empty());
  return true;
}

std::optional<Channel::Received> Channel::receive() {
  std::string packet(sizeof(PacketHeader) + maxPayload, '\0');
  while (true) {
    ssize_t size = recv(receiveEnd, packet.data(), packet.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < static_cast<ssize_t>(sizeof(PacketHeader)))
      return std::nullopt;
    PacketHeader header;
    std::memcpy(&header, packet.data(), sizeof(header));
    std::string &text = partial[header.sender];
    if (header.isFirst)
      text.clear();
    text.append(packet, sizeof(header),
                static_cast<size_t>(size) - sizeof(header));
    if (!header.isLast)
      continue;
    Received received{header.sender, std::move(text)};
    partial.erase(header.sender);
    return received;
  }
}
