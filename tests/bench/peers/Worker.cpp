// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process that runs one library's candidates whenever peers.py asks for it.
//
//   WORKER KIND threads=N peak=PEAK limit=ERROR [OPTION=VALUE...]
//          in=NAME:TYPE:SHAPE:FILE... out=NAME:TYPE:SHAPE:FILE...
//
// Prints "candidate NAME ERROR" for each way to do the work ("wrong NAME
// ERROR" where the result is off by more than `limit` of the largest expected
// value) and "ready". For each "time I SECONDS" on standard input it answers
// "sample TIME PEAK PEAK PREEMPTED": the time of one call, from as many as
// fill SECONDS, what the peak probe reached just before and just after, and
// how often other work took a core away; for "check I", "error ERROR" of the
// results as they are now. One thread's time is CPU time, that of several or of
// none (threads=0: a device's) the clock's.
#include "Worker.h"
#include "Probe.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace peers;

void FreeBytes::operator()(void *bytes) const { std::free(bytes); }

Bytes peers::allocate(size_t size) {
  size_t whole = (size + 127) / 64 * 64;
  void *bytes = std::aligned_alloc(64, whole);
  if (!bytes)
    throw Unusable("no memory for " + std::to_string(whole) + " bytes");
  std::memset(bytes, 0, whole);
  return Bytes(static_cast<char *>(bytes));
}

static size_t widthOf(const std::string &type) {
  static const std::map<std::string, size_t> widths{
      {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"i8", 1},
      {"u8", 1},  {"i32", 4}, {"i64", 8}};
  auto found = widths.find(type);
  if (found == widths.end())
    throw Unusable("unknown element type " + type);
  return found->second;
}

int64_t Operand::count() const {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

size_t Operand::size() const {
  return static_cast<size_t>(count()) * widthOf(type);
}

Operand peers::unwritten(const Operand &like) {
  Operand result = like;
  result.bytes = allocate(like.size());
  std::memset(result.bytes.get(), 0xFF, like.size());
  return result;
}

const std::string &Work::option(const std::string &name) const {
  auto found = options.find(name);
  if (found == options.end())
    throw Unusable("this work needs " + name + "=...");
  return found->second;
}

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

static void readFile(const std::string &path, void *bytes, size_t size) {
  std::ifstream file(path, std::ios::binary);
  file.read(static_cast<char *>(bytes), static_cast<std::streamsize>(size));
  if (static_cast<size_t>(file.gcount()) != size)
    throw Unusable(path + " is shorter than its tensor");
}

namespace {
/// A file of doubles, which all workers share.
struct MappedNumbers {
  const double *begin = nullptr;
  size_t count = 0;
};

/// The command line: the work, and what only the worker needs to know.
struct Order {
  Work work;
  std::vector<MappedNumbers> expected; ///< by output
  Peak peak = Peak::Fma;
  double limit = 0;
};
} // namespace

static MappedNumbers mapNumbers(const std::string &path, size_t count) {
  int file = open(path.c_str(), O_RDONLY);
  void *bytes = mmap(nullptr, count * 8, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (bytes == MAP_FAILED)
    throw Unusable(path + " can't be mapped");
  return {static_cast<const double *>(bytes), count};
}

/// "NAME:TYPE:1x2x3:FILE" without its bytes; the file's name goes to `file`.
static Operand describe(const std::string &text, std::string &file) {
  std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 4)
    throw Unusable("'" + text + "' is no NAME:TYPE:SHAPE:FILE");
  Operand operand{parts[0], parts[1], {}, nullptr};
  for (const std::string &size : split(parts[2], 'x'))
    operand.shape.push_back(std::stoll(size));
  file = parts[3];
  return operand;
}

static void addWord(Order &order, const std::string &key,
                    const std::string &value) {
  std::string file;
  if (key == "in") {
    Operand input = describe(value, file);
    input.bytes = allocate(input.size());
    readFile(file, input.bytes.get(), input.size());
    order.work.inputs.push_back(input);
  } else if (key == "out") {
    Operand output = describe(value, file);
    order.work.outputs.push_back(output);
    order.expected.push_back(mapNumbers(file, size_t(output.count())));
  } else if (key == "peak") {
    order.peak = peakNamed(value);
  } else if (key == "limit") {
    order.limit = std::stod(value);
  } else if (key == "threads") {
    order.work.threads = std::stoi(value);
  } else {
    order.work.options[key] = value;
  }
}

static Order readOrder(int argc, char **argv) {
  if (argc < 2)
    throw Unusable("peers.py starts this program");
  Order order;
  order.work.kind = argv[1];
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i];
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw Unusable("'" + word + "' is no KEY=VALUE");
    addWord(order, word.substr(0, equals), word.substr(equals + 1));
  }
  return order;
}

static double valueAt(const Operand &operand, int64_t i) {
  if (operand.type == "f32")
    return double(operand.as<float>()[i]);
  if (operand.type == "i32")
    return double(operand.as<int32_t>()[i]);
  if (operand.type == "u8")
    return double(operand.as<uint8_t>()[i]);
  throw Unusable("no result is compared in " + operand.type);
}

/// The largest error as a share of the largest expected value; infinite when
/// something is NaN that should be a number.
static double errorOf(const Candidate &candidate,
                      const std::vector<MappedNumbers> &expected) {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double largest = 1e-30, error = 0;
    for (size_t j = 0; j < expected[i].count; ++j) {
      double right = expected[i].begin[j];
      double off = std::fabs(valueAt(candidate.outputs[i], int64_t(j)) - right);
      largest = std::max(largest, std::fabs(right));
      error = off <= error ? error : std::isnan(off) ? HUGE_VAL : off;
    }
    worst = std::max(worst, error / largest);
  }
  return worst;
}

/// Seconds of this thread, or of the clock on the wall for several.
static double now(int threads) {
  timespec time;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
                &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

static double secondsOf(const Candidate &candidate, long calls, int threads) {
  double start = now(threads);
  if (candidate.often)
    candidate.often(calls);
  else
    for (long i = 0; i < calls; ++i)
      candidate.run();
  return now(threads) - start;
}

/// Enough calls to fill `seconds`; on the way the caches become this
/// candidate's, and a library's threads wake up.
static long callsThatFill(double seconds, const Candidate &candidate,
                          int threads) {
  for (long calls = 1;; calls *= 4) {
    double taken = secondsOf(candidate, calls, threads);
    if (taken * 4 >= seconds || calls > 100'000'000)
      return std::max(1L, long(double(calls) * seconds / taken));
  }
}

/// Of all threads of this process.
static long timesPreempted() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

static void answerTime(const Candidate &candidate, double seconds,
                       const Probe &probe, int threads) {
  long calls = callsThatFill(seconds, candidate, threads);
  double before = probe.measure();
  long preempted = timesPreempted();
  double taken = secondsOf(candidate, calls, threads);
  preempted = timesPreempted() - preempted;
  double after = probe.measure();
  std::printf("sample %.9g %.9g %.9g %ld\n", taken / double(calls), before,
              after, preempted);
}

static void serve(const std::vector<Candidate> &candidates,
                  const Order &order) {
  Probe probe(order.peak, order.work);
  std::string word;
  size_t index = 0;
  while (std::cin >> word >> index) {
    const Candidate &candidate = candidates.at(index);
    if (word == "time") {
      double seconds = 0;
      std::cin >> seconds;
      answerTime(candidate, seconds, probe, order.work.threads);
    } else {
      if (candidate.check)
        candidate.check();
      std::printf("error %.3g\n", errorOf(candidate, order.expected));
    }
    std::fflush(stdout);
  }
}

int main(int argc, char **argv) try {
  Order order = readOrder(argc, argv);
  std::vector<Candidate> candidates = makeCandidates(order.work);
  for (const Candidate &candidate : candidates) {
    candidate.run();
    double error = errorOf(candidate, order.expected);
    std::printf("%s %s %.3g\n", error <= order.limit ? "candidate" : "wrong",
                candidate.name.c_str(), error);
  }
  std::puts("ready");
  std::fflush(stdout);
  serve(candidates, order);
  return 0;
} catch (const std::exception &failed) {
  std::printf("unusable %s\n", failed.what());
  return 1;
}
