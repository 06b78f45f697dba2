// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder of entries by key, which several processes may use at a time.
#include "core/cache/CacheStore.h"

#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

using namespace lh;
namespace fs = llvm::sys::fs;

// The first bytes of each entry. Another form of entry has another number, and
// a folder of its own, so that versions of the program don't meet.
static constexpr StringRef magic = "lighthouse cache entry 3\n";
static constexpr StringRef formFolder = "3";
static constexpr StringRef partialEnding = ".part";
// What a killed process left half written is dropped after this long.
static constexpr int64_t partialSeconds = 3600;
// So often the folder is looked at in any case: a killed process doesn't say
// what it has put.
static constexpr int64_t countSeconds = 3600;

struct CacheStore::Shared {
  std::atomic<uint64_t> bytes{0}; ///< put by this run
  std::atomic<uint32_t> puts{0}, failures{0};
  std::atomic<int> error{0};          ///< errno of a failure
  std::atomic<uint32_t> strangers{0}; ///< entries that were left aside
};

namespace {
using Hash = std::array<uint8_t, 32>;

/// After the magic; what follows is `aboutBytes` and `contentBytes`.
struct Header {
  uint64_t aboutBytes = 0, contentBytes = 0;
  Hash aboutHash{}, contentHash{};
};

constexpr size_t headerBytes = magic.size() + sizeof(Header);

/// A file that is closed when it goes.
struct OpenFile {
  explicit OpenFile(int descriptor) : descriptor(descriptor) {}
  ~OpenFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;

  int descriptor;
};
} // namespace

static Hash hashOf(StringRef bytes) { return blake3({bytes}); }

/// All of `bytes`, or false and errno (0: the file has ended).
static bool readAt(int file, char *bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    errno = 0;
    ssize_t done = pread(file, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    bytes += done;
    size -= static_cast<size_t>(done);
    offset += static_cast<uint64_t>(done);
  }
  return true;
}

static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t done = write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    bytes = bytes.drop_front(static_cast<size_t>(done));
  }
  return true;
}

/// False when the bytes can't be those that were put.
static bool readHeader(int file, Header &header) {
  char bytes[headerBytes];
  struct stat status {};
  if (fstat(file, &status) != 0 || !readAt(file, bytes, sizeof(bytes), 0) ||
      StringRef(bytes, magic.size()) != magic)
    return false;
  std::memcpy(&header, bytes + magic.size(), sizeof(header));
  auto size = static_cast<uint64_t>(status.st_size);
  return header.aboutBytes <= size && header.contentBytes <= size &&
         headerBytes + header.aboutBytes + header.contentBytes == size;
}

static bool readAbout(int file, const Header &header, std::string &about) {
  about.resize(header.aboutBytes);
  return readAt(file, about.data(), about.size(), headerBytes) &&
         hashOf(about) == header.aboutHash;
}

/// A name beside `file` that no other process has, of whatever machine.
static std::string partialFile(const std::string &file) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random)
    random = static_cast<uint64_t>(getpid());
  return file + "-" + llvm::utohexstr(random) + partialEnding.str();
}

/// A new file. Not what another hand has put in its place, nor what a killed
/// process of the same number has left.
static int createFile(const std::string &path) {
  unlink(path.c_str());
  return open(path.c_str(),
              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/// Why no file can be made in `folder`; empty when one can.
static std::string whyNotWritable(const std::string &folder) {
  std::string probe = partialFile(folder + "/probe");
  OpenFile file(createFile(probe));
  if (file.descriptor < 0)
    return std::strerror(errno);
  unlink(probe.c_str());
  return "";
}

/// Why another than `owner` may have written it; empty when nobody may have.
static std::string whyNotOwn(const struct stat &status,
                             std::optional<uid_t> owner) {
  if (!owner)
    return "";
  if (status.st_uid != *owner)
    return "belongs to another user";
  return status.st_mode & (S_IWGRP | S_IWOTH)
             ? "can be written by other users (chmod -R go-w mends it)"
             : "";
}

/// Why `path` can't be trusted to be what a cache has made here.
static std::string whyStrange(const std::string &path,
                              std::optional<uid_t> owner) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0)
    return ""; // it went meanwhile
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
    return "'" + path + "' is neither a file nor a folder";
  std::string why = whyNotOwn(status, owner);
  return why.empty() ? "" : "'" + path + "' " + why;
}

/// The same of the cache's folder, which may be a link, and of what lies in
/// `place` there. Later nobody else can change that.
static std::string whyRefused(const std::string &place,
                              std::optional<uid_t> owner) {
  std::string folder = folderOf(place);
  struct stat status {};
  if (stat(folder.c_str(), &status) == 0)
    if (std::string why = whyNotOwn(status, owner); !why.empty())
      return "'" + folder + "' " + why;
  std::string why = whyStrange(place, owner);
  std::error_code code;
  for (fs::directory_iterator file(place, code, /*follow_symlinks=*/false), end;
       why.empty() && !code && file != end; file.increment(code))
    why = whyStrange(file->path(), owner);
  return why;
}

CacheStore::CacheStore(std::string folder, uint64_t mostBytes,
                       std::optional<uid_t> owner)
    : place(std::move(folder)), mostBytes(mostBytes), owner(owner) {
  place = (place + "/" + formFolder).str();
  if (std::error_code code =
          fs::create_directories(place, /*IgnoreExisting=*/true, fs::owner_all))
    problem = code.message();
  else
    refusal = whyRefused(place, owner);
  if (isUsable())
    problem = whyNotWritable(place);
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared = memory == MAP_FAILED ? nullptr : new (memory) Shared;
  if (!shared && problem.empty())
    problem = "there is no memory left to share between processes";
}

CacheStore::~CacheStore() {
  if (shared)
    munmap(shared, sizeof(Shared));
}

/// Two digits name a folder: 256 of them keep each one short.
std::string CacheStore::fileOf(StringRef key) const {
  return (place + "/" + key.take_front(2) + "/" + key.drop_front(2)).str();
}

/// -1: it isn't there, or is left aside.
int CacheStore::openEntry(const std::string &path) const {
  if (!isUsable())
    return -1;
  // Without waiting for whoever should write to a pipe.
  int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno != ELOOP)
    return -1;
  struct stat status {};
  if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      whyNotOwn(status, owner).empty())
    return file;
  if (file >= 0)
    close(file);
  ++shared->strangers;
  return -1;
}

std::string CacheStore::whyNotPrivate() const {
  if (!refusal.empty())
    return refusal;
  if (!shared || shared->strangers == 0)
    return "";
  return "in '" + place + "' " + std::to_string(shared->strangers) +
         " times an entry was found that is no file, belongs to another user "
         "or can be written by other users";
}

CacheLookup CacheStore::find(StringRef key, CacheHead &head) {
  OpenFile file(openEntry(fileOf(key)));
  if (file.descriptor < 0)
    return CacheLookup::Missing;
  Header header;
  if (!readHeader(file.descriptor, header) ||
      !readAbout(file.descriptor, header, head.about))
    return CacheLookup::Damaged;
  head.contentBytes = header.contentBytes;
  // What can't be written to is read all the same.
  (void)futimens(file.descriptor, nullptr);
  return CacheLookup::Found;
}

CacheLookup CacheStore::read(StringRef key,
                             std::unique_ptr<llvm::MemoryBuffer> &content) {
  OpenFile file(openEntry(fileOf(key)));
  if (file.descriptor < 0)
    return CacheLookup::Missing;
  Header header;
  if (!readHeader(file.descriptor, header))
    return CacheLookup::Damaged;
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      header.contentBytes, key, llvm::Align(64));
  if (!buffer)
    return CacheLookup::Missing;
  if (!readAt(file.descriptor, buffer->getBufferStart(), header.contentBytes,
              headerBytes + header.aboutBytes) ||
      hashOf({buffer->getBufferStart(), header.contentBytes}) !=
          header.contentHash)
    return CacheLookup::Damaged;
  content = std::move(buffer);
  return CacheLookup::Found;
}

std::string CacheStore::tryPut(StringRef key, StringRef about,
                               StringRef content) {
  Header header{about.size(), content.size(), hashOf(about), hashOf(content)};
  StringRef head(reinterpret_cast<const char *>(&header), sizeof(header));
  return tryWrite(key, {magic, head, about, content});
}

/// "" when all parts, one behind the other, are the key's entry now.
std::string CacheStore::tryWrite(StringRef key, ArrayRef<StringRef> parts) {
  std::string path = fileOf(key);
  std::string partial = partialFile(place + "/" + key.str());
  auto failed = [&] {
    int error = errno;
    unlink(partial.c_str());
    shared->error = error;
    return std::string(std::strerror(error));
  };
  {
    OpenFile file(createFile(partial));
    if (file.descriptor < 0)
      return failed();
    for (StringRef part : parts)
      if (!writeAll(file.descriptor, part))
        return failed();
  }
  if (rename(partial.c_str(), path.c_str()) == 0)
    return "";
  if (errno != ENOENT)
    return failed();
  (void)fs::create_directory(folderOf(path), /*IgnoreExisting=*/true,
                             fs::owner_all);
  return rename(partial.c_str(), path.c_str()) == 0 ? "" : failed();
}

void CacheStore::put(StringRef key, StringRef about, StringRef content) {
  if (!isUsable())
    return;
  if (!tryPut(key, about, content).empty()) {
    ++shared->failures;
    return;
  }
  ++shared->puts;
  shared->bytes += headerBytes + about.size() + content.size();
}

bool CacheStore::has(StringRef key) const {
  return isUsable() && access(fileOf(key).c_str(), R_OK) == 0;
}

std::string CacheStore::bytesOf(StringRef key) const {
  OpenFile file(openEntry(fileOf(key)));
  Header header;
  if (file.descriptor < 0 || !readHeader(file.descriptor, header))
    return "";
  std::string bytes(headerBytes + header.aboutBytes + header.contentBytes, 0);
  return readAt(file.descriptor, bytes.data(), bytes.size(), 0) ? bytes : "";
}

/// Whether the bytes are an entry, as it was written.
static bool isWhole(StringRef bytes) {
  Header header;
  if (bytes.size() < headerBytes || !bytes.consume_front(magic))
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes = bytes.drop_front(sizeof(header));
  return header.aboutBytes <= bytes.size() &&
         header.contentBytes == bytes.size() - header.aboutBytes &&
         hashOf(bytes.take_front(header.aboutBytes)) == header.aboutHash &&
         hashOf(bytes.drop_front(header.aboutBytes)) == header.contentHash;
}

bool CacheStore::adopt(StringRef key, StringRef bytes) {
  if (!isUsable() || !isWhole(bytes))
    return false;
  if (!tryWrite(key, {bytes}).empty()) {
    ++shared->failures;
    return true;
  }
  ++shared->puts;
  shared->bytes += bytes.size();
  return true;
}

void CacheStore::remove(StringRef key) { unlink(fileOf(key).c_str()); }

std::string CacheStore::failures() const {
  if (!shared || shared->failures == 0)
    return "";
  return std::to_string(shared->failures) + " of " +
         std::to_string(shared->failures + shared->puts) +
         " entries could not be kept: " + std::strerror(shared->error);
}

namespace {
struct Found {
  int64_t usedAt = 0; ///< nanoseconds
  uint64_t bytes = 0;
  std::string path;
};
} // namespace

static int64_t nanosecondsOf(const struct stat &status) {
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
         status.st_mtim.tv_nsec;
}

/// All entries below `folder`; drops what was left half written long ago.
static std::vector<Found> listEntries(const std::string &folder) {
  std::vector<Found> entries;
  int64_t now = int64_t{std::time(nullptr)} * 1'000'000'000;
  std::error_code code;
  for (fs::recursive_directory_iterator file(folder, code), end;
       !code && file != end; file.increment(code)) {
    struct stat status {};
    const std::string &path = file->path();
    if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    int64_t usedAt = nanosecondsOf(status);
    StringRef name = llvm::sys::path::filename(path);
    if (name.ends_with(partialEnding)) {
      if (now - usedAt > partialSeconds * 1'000'000'000)
        unlink(path.c_str());
      continue;
    }
    if (file.level() == 1)
      entries.push_back({usedAt, static_cast<uint64_t>(status.st_size), path});
  }
  return entries;
}

/// Returns the bytes that are left.
uint64_t CacheStore::dropOldest() const {
  std::vector<Found> entries = listEntries(place);
  uint64_t total = 0;
  for (const Found &entry : entries)
    total += entry.bytes;
  if (total <= mostBytes)
    return total;
  std::sort(entries.begin(), entries.end(),
            [](const Found &a, const Found &b) { return a.usedAt < b.usedAt; });
  for (const Found &entry : entries) {
    if (total <= mostBytes - mostBytes / 10)
      break;
    unlink(entry.path.c_str());
    total -= entry.bytes;
  }
  return total;
}

void CacheStore::trim() {
  if (!isUsable() || shared->bytes == 0)
    return;
  // How many bytes there were at the end of the last run.
  std::string counter = place + "/bytes";
  uint64_t total = 0;
  struct stat status {};
  auto text = llvm::MemoryBuffer::getFile(counter);
  bool known = text && !(*text)->getBuffer().getAsInteger(10, total) &&
               stat(counter.c_str(), &status) == 0 &&
               std::time(nullptr) - status.st_mtim.tv_sec < countSeconds;
  total += shared->bytes;
  shared->bytes = 0;
  bool counts = !known || total > mostBytes;
  if (counts)
    total = dropOldest();
  std::string partial = partialFile(counter);
  OpenFile file(createFile(partial));
  // What can't be kept the next run counts again.
  if (file.descriptor >= 0 && writeAll(file.descriptor, std::to_string(total)))
    (void)rename(partial.c_str(), counter.c_str());
}

void CacheStore::forEach(
    const std::function<void(StringRef, int64_t)> &visit) const {
  for (const Found &entry : listEntries(place)) {
    OpenFile file(openEntry(entry.path));
    Header header;
    std::string about;
    if (file.descriptor >= 0 && readHeader(file.descriptor, header) &&
        readAbout(file.descriptor, header, about))
      visit(about, entry.usedAt);
  }
}
