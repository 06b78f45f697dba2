// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose speed is the machine's own.
#include "runtime/cpu/Probes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <sys/mman.h>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

using namespace lh;

/// More than latency times units of any CPU at hand, fewer than registers.
static constexpr int sums = 12;
static constexpr int steps = 4000;

#ifdef __x86_64__
/// Normal numbers of moderate size as float64, as float32 and as bfloat16:
/// zeros would need less power, and so run at a higher clock.
static constexpr uint64_t operand = 0x3A833A833A833A83;

// In assembly, so that no compiler option comes between. `body` updates the
// sum in register \k from the factors in registers 12 and 13.
#define LH_REGISTER_LOOP(name, registers, body)                                \
  static void name() {                                                         \
    int64_t count = steps;                                                     \
    asm volatile("vpbroadcastq %[operand], %%" registers "12\n"                \
                 "vpbroadcastq %[operand], %%" registers "13\n"                \
                 ".irp k,0,1,2,3,4,5,6,7,8,9,10,11\n"                          \
                 "vpxor %%xmm\\k, %%xmm\\k, %%xmm\\k\n"                        \
                 ".endr\n"                                                     \
                 ".p2align 5\n"                                                \
                 "1:\n"                                                        \
                 ".irp k,0,1,2,3,4,5,6,7,8,9,10,11\n" body "\n"                \
                 ".endr\n"                                                     \
                 "dec %[count]\n"                                              \
                 "jnz 1b\n"                                                    \
                 "vzeroupper\n"                                                \
                 : [count] "+r"(count)                                         \
                 : [operand] "m"(operand)                                      \
                 : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",       \
                   "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",  \
                   "xmm13");                                                   \
  }
LH_REGISTER_LOOP(single512, "zmm", "vfmadd231ps %%zmm13, %%zmm12, %%zmm\\k")
LH_REGISTER_LOOP(double512, "zmm", "vfmadd231pd %%zmm13, %%zmm12, %%zmm\\k")
LH_REGISTER_LOOP(brain512, "zmm", "vdpbf16ps %%zmm13, %%zmm12, %%zmm\\k")
LH_REGISTER_LOOP(bytes512, "zmm", "vpdpbusd %%zmm13, %%zmm12, %%zmm\\k")
LH_REGISTER_LOOP(single256, "ymm", "vfmadd231ps %%ymm13, %%ymm12, %%ymm\\k")
LH_REGISTER_LOOP(double256, "ymm", "vfmadd231pd %%ymm13, %%ymm12, %%ymm\\k")
LH_REGISTER_LOOP(bytes256, "ymm", "%{vex%} vpdpbusd %%ymm13, %%ymm12, %%ymm\\k")
#undef LH_REGISTER_LOOP
#endif

/// Where results go, so that they are computed.
static volatile double result;

/// For all other machines: vectors of the build's own baseline.
template <typename T> static void baseline() {
  typedef T Vector __attribute__((vector_size(16)));
  Vector sum[sums] = {};
  Vector factor = Vector{} + T(0.999), summand = Vector{} + T(0.001);
  for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < sums; ++i)
      sum[i] = sum[i] * factor + summand;
  }
  for (int i = 1; i < sums; ++i)
    sum[0] += sum[i];
  result = static_cast<double>(sum[0][0]);
}

namespace {
/// A loop, and what a machine must have for it.
struct Unit {
  const char *dtype, *feature, *name;
  int vectorBits;
  int operationsPerBit32; ///< per 32 bits of the vector
  void (*call)();
};
} // namespace

/// The widest of each type come first.
static constexpr Unit units[] = {
#ifdef __x86_64__
    {"float32", "avx512f", "float32 FMA, AVX-512", 512, 2, single512},
    {"float64", "avx512f", "float64 FMA, AVX-512", 512, 1, double512},
    {"bfloat16", "avx512bf16", "bfloat16 dot product, AVX-512", 512, 4,
     brain512},
    {"int8", "avx512vnni", "int8 dot product, AVX-512", 512, 8, bytes512},
    {"float32", "fma", "float32 FMA, AVX2", 256, 2, single256},
    {"float64", "fma", "float64 FMA, AVX2", 256, 1, double256},
    {"int8", "avxvnni", "int8 dot product, AVX2", 256, 8, bytes256},
#endif
    {"float32", "", "float32, 128 bits", 128, 2, baseline<float>},
    {"float64", "", "float64, 128 bits", 128, 1, baseline<double>},
};

static void addWidest(std::vector<ArithmeticProbe> &probes, StringRef dtype,
                      const HostFacts &host) {
  for (const Unit &unit : units) {
    if (dtype != unit.dtype || (*unit.feature && !host.has(unit.feature)))
      continue;
    int perVector = unit.vectorBits / 32 * unit.operationsPerBit32;
    probes.push_back(
        {unit.name, static_cast<double>(perVector) * sums * steps, unit.call});
    return;
  }
}

std::vector<ArithmeticProbe> lh::arithmeticProbes(StringRef dtype,
                                                  const HostFacts &host) {
  std::vector<ArithmeticProbe> probes;
  // Dot products of bytes have one operand with and one without sign.
  addWidest(probes, dtype == "uint8" ? "int8" : dtype, host);
  if (dtype == "float16" || dtype == "bfloat16")
    addWidest(probes, "float32", host);
  return probes;
}

namespace {

class ArithmeticSitter : public Sitter {
public:
  explicit ArithmeticSitter(const ArithmeticProbe &probe) : probe(probe) {}

  std::string call(uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i)
      probe.call();
    return "";
  }

private:
  ArithmeticProbe probe;
};

using Copy = void (*)(std::byte *to, const std::byte *from, size_t size);

class CopySitter : public Sitter {
public:
  explicit CopySitter(uint64_t footprint);

  std::string call(uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i)
      copy(to, from, size);
    return "";
  }
  uint64_t bytes() const override { return 2 * size; }

private:
  double seconds(Copy candidate);

  static constexpr size_t page = 4096;
  static constexpr size_t hugePage = size_t{1} << 21;
  size_t size;
  std::byte *from, *to;
  Copy copy = nullptr;
};

} // namespace

static void copyByMemcpy(std::byte *to, const std::byte *from, size_t size) {
  std::memcpy(to, from, size);
}

/// Pieces too small for memcpy to stream.
static void copyByPieces(std::byte *to, const std::byte *from, size_t size) {
  constexpr size_t piece = 1024;
  for (size_t at = 0; at < size; at += piece)
    std::memcpy(to + at, from + at, std::min(piece, size - at));
}

#ifdef __x86_64__
/// Past the caches: nothing is read that is overwritten whole.
static void copyByStreaming(std::byte *to, const std::byte *from, size_t size) {
  auto *target = reinterpret_cast<__m128i *>(to);
  const auto *source = reinterpret_cast<const __m128i *>(from);
  for (size_t i = 0; i < size / sizeof(__m128i); ++i)
    _mm_stream_si128(target + i, _mm_load_si128(source + i));
  _mm_sfence();
}
static constexpr Copy copies[] = {copyByPieces, copyByMemcpy, copyByStreaming};
#else
static constexpr Copy copies[] = {copyByPieces, copyByMemcpy};
#endif

/// In huge pages where there are some: then it isn't the luck of which pages
/// it was given that decides how well the caches hold it. Never freed: its
/// process has nothing else.
static std::byte *allocate(size_t size, size_t alignment) {
  size = (size + alignment - 1) / alignment * alignment;
  auto *memory = static_cast<std::byte *>(std::aligned_alloc(alignment, size));
  madvise(memory, size, MADV_HUGEPAGE);
  std::memset(memory, 1, size);
  return memory;
}

CopySitter::CopySitter(uint64_t footprint)
    : size(std::max<size_t>(footprint / 2 / 64 * 64, 64)),
      from(allocate(2 * size + 2 * page, hugePage)),
      // Not at the same place of a page, where loads would wait for stores.
      to(from + (size + page - 1) / page * page + page / 2) {
  std::vector<double> least(std::size(copies), 1e9);
  for (int round = 0; round < 5; ++round)
    for (size_t i = 0; i < std::size(copies); ++i)
      least[i] = std::min(least[i], seconds(copies[i]));
  copy = copies[std::min_element(least.begin(), least.end()) - least.begin()];
}

/// Processor time of calls that take long enough together to be compared.
double CopySitter::seconds(Copy candidate) {
  size_t repeats = std::max<size_t>(1, (size_t{1} << 22) / size);
  candidate(to, from, size);
  std::clock_t begin = std::clock();
  for (size_t i = 0; i < repeats; ++i)
    candidate(to, from, size);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::unique_ptr<Sitter> lh::makeArithmeticSitter(const ArithmeticProbe &probe) {
  return std::make_unique<ArithmeticSitter>(probe);
}

std::unique_ptr<Sitter> lh::makeCopySitter(uint64_t footprint) {
  return std::make_unique<CopySitter>(footprint);
}
