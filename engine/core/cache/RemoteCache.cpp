// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of the cache on a server that stores blobs.
#include "core/cache/RemoteCache.h"

#include "llvm/ADT/StringExtras.h"

#include <curl/curl.h>

#include <deque>
#include <map>
#include <memory>

using namespace lh;

std::optional<RemoteCacheAddress> lh::parseRemoteCache(StringRef text) {
  RemoteCacheAddress address;
  address.isReadOnly = text.consume_back(",read-only");
  text = text.rtrim('/');
  if (!text.starts_with("http://") && !text.starts_with("https://"))
    return std::nullopt;
  address.url = text.str();
  return address;
}

RemoteCache::RemoteCache(RemoteCacheAddress address)
    : address(std::move(address)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
}

namespace {

/// One GET or PUT on its way.
struct Transfer {
  std::string key;
  std::string bytes; ///< received, or to be sent
  size_t sent = 0;
  bool isPut = false;
  char error[CURL_ERROR_SIZE] = "";
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle{curl_easy_init(),
                                                             curl_easy_cleanup};
};

/// Several transfers at a time over few connections.
class Transfers {
public:
  Transfers(const std::string &url, ArrayRef<std::string> keys)
      : url(url), waiting(keys.begin(), keys.end()),
        handle(curl_multi_init(), curl_multi_cleanup) {
    curl_multi_setopt(handle.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                      mostConnections);
  }
  ~Transfers() {
    for (auto &[easy, transfer] : running)
      curl_multi_remove_handle(handle.get(), easy);
  }
  Transfers(const Transfers &) = delete;
  Transfers &operator=(const Transfers &) = delete;

  /// Why one failed, whereupon the rest is left; empty: none has.
  std::string run(bool isPut,
                  llvm::function_ref<std::string(StringRef key)> bytesOf,
                  llvm::function_ref<void(StringRef, StringRef)> found);

private:
  static constexpr long mostConnections = 8;
  static constexpr size_t mostRunning = 32;

  void begin(std::string key, bool isPut, std::string bytes);
  std::string finish(const CURLMsg &message,
                     llvm::function_ref<void(StringRef, StringRef)> found);

  const std::string &url;
  std::deque<std::string> waiting;
  std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> handle;
  std::map<CURL *, std::unique_ptr<Transfer>> running;
};

} // namespace

/// An entry of the cache is never as large; whoever sends more means no good.
static constexpr size_t mostBytes = size_t{1} << 31;

static size_t takeBytes(char *data, size_t, size_t count, void *into) {
  std::string &bytes = static_cast<Transfer *>(into)->bytes;
  if (bytes.size() + count > mostBytes)
    return 0;
  bytes.append(data, count);
  return count;
}

static size_t dropBytes(char *, size_t, size_t count, void *) { return count; }

static size_t giveBytes(char *data, size_t, size_t count, void *from) {
  auto &transfer = *static_cast<Transfer *>(from);
  size_t size = transfer.bytes.copy(data, count, transfer.sent);
  transfer.sent += size;
  return size;
}

static int rewindBytes(void *from, curl_off_t offset, int) {
  static_cast<Transfer *>(from)->sent = static_cast<size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

void Transfers::begin(std::string key, bool isPut, std::string bytes) {
  auto transfer = std::make_unique<Transfer>();
  transfer->key = std::move(key);
  transfer->bytes = std::move(bytes);
  transfer->isPut = isPut;
  CURL *easy = transfer->handle.get();
  constexpr long connectMilliseconds = 1000, silentSeconds = 5;
  auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(easy, option, value);
  };
  set(CURLOPT_URL, (url + "/" + transfer->key).c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NETRC, long{CURL_NETRC_OPTIONAL});
  set(CURLOPT_CONNECTTIMEOUT_MS, connectMilliseconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, silentSeconds);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, transfer->error);
  set(CURLOPT_WRITEFUNCTION, isPut ? dropBytes : takeBytes);
  set(CURLOPT_WRITEDATA, transfer.get());
  if (isPut) {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_READFUNCTION, giveBytes);
    set(CURLOPT_READDATA, transfer.get());
    set(CURLOPT_SEEKFUNCTION, rewindBytes);
    set(CURLOPT_SEEKDATA, transfer.get());
    set(CURLOPT_INFILESIZE_LARGE, curl_off_t(transfer->bytes.size()));
  }
  curl_multi_add_handle(handle.get(), easy);
  running[easy] = std::move(transfer);
}

std::string
Transfers::finish(const CURLMsg &message,
                  llvm::function_ref<void(StringRef, StringRef)> found) {
  std::unique_ptr<Transfer> transfer = std::move(running[message.easy_handle]);
  running.erase(message.easy_handle);
  curl_multi_remove_handle(handle.get(), message.easy_handle);
  if (message.data.result != CURLE_OK)
    return transfer->error[0] ? transfer->error
                              : curl_easy_strerror(message.data.result);
  long code = 0;
  curl_easy_getinfo(message.easy_handle, CURLINFO_RESPONSE_CODE, &code);
  constexpr long missing = 404;
  bool isGood = code >= 200 && code < 300;
  if (isGood && !transfer->isPut)
    found(transfer->key, transfer->bytes);
  if (isGood || (code == missing && !transfer->isPut))
    return "";
  return std::string("the server answers ") +
         (transfer->isPut ? "PUT" : "GET") + " with " + std::to_string(code);
}

std::string
Transfers::run(bool isPut,
               llvm::function_ref<std::string(StringRef key)> bytesOf,
               llvm::function_ref<void(StringRef, StringRef)> found) {
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < mostRunning) {
      std::string key = std::move(waiting.front());
      waiting.pop_front();
      std::string bytes = isPut ? bytesOf(key) : "";
      if (!isPut || !bytes.empty())
        begin(std::move(key), isPut, std::move(bytes));
    }
    int active = 0, left = 0;
    curl_multi_perform(handle.get(), &active);
    while (CURLMsg *message = curl_multi_info_read(handle.get(), &left))
      if (message->msg == CURLMSG_DONE)
        if (std::string problem = finish(*message, found); !problem.empty())
          return problem;
    constexpr int waitMilliseconds = 1000;
    if (active > 0)
      curl_multi_poll(handle.get(), nullptr, 0, waitMilliseconds, nullptr);
  }
  return "";
}

void RemoteCache::fetch(
    ArrayRef<std::string> keys,
    llvm::function_ref<void(StringRef key, StringRef bytes)> found) {
  if (whyOff.empty())
    whyOff = Transfers(address.url, keys)
                 .run(
                     /*isPut=*/false, [](StringRef) { return ""; }, found);
}

void RemoteCache::store(
    ArrayRef<std::string> keys,
    llvm::function_ref<std::string(StringRef key)> bytesOf) {
  if (whyOff.empty() && !address.isReadOnly)
    whyOff = Transfers(address.url, keys)
                 .run(/*isPut=*/true, bytesOf, [](StringRef, StringRef) {});
}
