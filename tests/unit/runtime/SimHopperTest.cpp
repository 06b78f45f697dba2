// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier, the tensor memory accelerator, wgmma.
#include "SimTestSupport.h"

#include "runtime/sim/Numbers.h"
#include "runtime/sim/TensorMaps.h"
#include "runtime/sim/Wgmma.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

/// Thread 0 makes %bar an mbarrier of `count` arrivals.
static std::string initialized(unsigned count) {
  return "%i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
         "%first = icmp eq i32 %i, 0\n"
         "call void asm sideeffect \"@$2 mbarrier.init.shared.b64 [$0], $1;\", "
         "\"r,r,b\"(ptr addrspace(3) @bar, i32 " +
         std::to_string(count) + ", i1 %first)\n" + barrier;
}

/// As MLIR lowers nvgpu.mbarrier.try_wait.parity.
static std::string waitFor(unsigned parity) {
  return "call void asm sideeffect \"{\\0A\\09.reg .pred       P1; "
         "\\0A\\09LAB_WAIT: \\0A\\09mbarrier.try_wait.parity.shared.b64 P1, "
         "[$0], $1, $2; \\0A\\09@P1 bra.uni DONE; \\0A\\09bra.uni     "
         "LAB_WAIT; \\0A\\09DONE: \\0A\\09}\", \"r,r,r\"(ptr addrspace(3) "
         "@bar, i32 " +
         std::to_string(parity) + ", i32 10000000)\n";
}

static const std::string barrierVariable =
    "@bar = internal addrspace(3) global i64 undef, align 8\n";

/// Warp 0 writes and arrives; warp 1 waits and reads.
static std::string handOver(unsigned count, StringRef wait) {
  return nvptxKernel("ptr addrspace(1) %out",
                     initialized(count) +
                         "%k = and i32 %i, 31\n"
                         "%at = getelementptr i32, ptr addrspace(3) @s, i32 "
                         "%k\n"
                         "%producer = icmp ult i32 %i, 32\n"
                         "br i1 %producer, label %put, label %get\nput:\n"
                         "store i32 %i, ptr addrspace(3) %at\n"
                         "%t = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr "
                         "addrspace(3) @bar)\n"
                         "ret void\nget:\n" +
                         wait.str() +
                         "%o = xor i32 %k, 1\n"
                         "%from = getelementptr i32, ptr addrspace(3) @s, i32 "
                         "%o\n"
                         "%v = load i32, ptr addrspace(3) %from\n"
                         "%to = getelementptr i32, ptr addrspace(1) %out, i32 "
                         "%k\n"
                         "store i32 %v, ptr addrspace(1) %to\nret void",
                     barrierVariable + "@s = internal addrspace(3) global [32 "
                                       "x i32] undef");
}

TEST_CASE("an mbarrier hands over what was written before", "[sim]") {
  CHECK(firstFinding(handOver(32, waitFor(0)), 64, 32) == "");
  CHECK_THAT(firstFinding(handOver(32, ""), 64, 32),
             Contains("[backend-data-race]"));
  // That phase is over already, or never comes.
  CHECK_THAT(firstFinding(handOver(32, waitFor(1)), 64, 32),
             Contains("[backend-"));
  CHECK_THAT(firstFinding(handOver(33, waitFor(0)), 64, 32),
             Contains("[backend-deadlock]") &&
                 Contains("phase 0 lacks 1 arrivals and 0 bytes"));
  CHECK_THAT(firstFinding(handOver(31, waitFor(0)), 64, 32),
             Contains("[backend-"));
}

/// A tile of 16 x 64 halves comes by TMA; each thread writes 16 bytes of it to
/// the result.
static std::string tileKernel(unsigned bytes, StringRef wait) {
  return nvptxKernel(
      "ptr %map, ptr addrspace(1) %out",
      initialized(1) +
          "call void asm sideeffect \"@$2 mbarrier.arrive.expect_tx.shared.b64 "
          "_, [$0], $1;\", \"r,r,b\"(ptr addrspace(3) @bar, i32 " +
          std::to_string(bytes) +
          ", i1 %first)\n"
          "%tile = addrspacecast ptr addrspace(3) @tile to ptr addrspace(7)\n"
          "call void asm sideeffect \"@$5 "
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_"
          "tx::bytes [$0], [$1, {$2,$3} ], [$4];\", \"l,l,r,r,r,b\"(ptr "
          "addrspace(7) %tile, ptr %map, i32 64, i32 8, ptr addrspace(3) @bar, "
          "i1 %first)\n" +
          wait.str() +
          "%from = getelementptr [8 x half], ptr addrspace(3) @tile, i32 %i\n"
          "%v = load <8 x half>, ptr addrspace(3) %from\n"
          "%to = getelementptr [8 x half], ptr addrspace(1) %out, i32 %i\n"
          "store <8 x half> %v, ptr addrspace(1) %to\nret void",
      barrierVariable +
          "@tile = internal addrspace(3) global [16 x [64 x half]] undef, "
          "align 1024");
}

/// Runs tileKernel() on a tensor of 20 x 128 halves, so that 4 rows of the box
/// at row 8 are outside of it.
static std::string runTile(const std::string &text, uint64_t seed,
                           std::vector<uint16_t> *result = nullptr) {
  SimFixture fixture(text, "sm_90a", seed);
  std::vector<uint16_t> values(20 * 128);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(i);
  TensorMapShape shape{fixture.buffer(values), 6, {128, 20}, {256}, {64, 16}};
  shape.swizzle = 3;
  alignas(64) char map[tensorMapBytes];
  CollectingSink sink;
  REQUIRE(succeeded(fixture.device().encodeTensorMap(shape, map, sink)));
  uint16_t *out = fixture.zeros<uint16_t>(1024);
  std::string found = fixture.launch(128, {map, out});
  if (result)
    result->assign(out, out + 1024);
  return found;
}

TEST_CASE("TMA copies a box, swizzled, and fills with zeros", "[sim]") {
  std::vector<uint16_t> tile;
  for (uint64_t seed = 0; seed < 20; ++seed)
    REQUIRE(runTile(tileKernel(2048, waitFor(0)), seed, &tile) == "");
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 64; ++column) {
      // CUDA programming guide, "Swizzle modes": of a row of 128 bytes, piece c
      // of 16 bytes is at piece c xor (row % 8).
      unsigned piece = (column / 8) ^ (row % 8);
      unsigned value = row + 8 < 20 ? (row + 8) * 128 + 64 + column : 0;
      REQUIRE(tile[row * 64 + piece * 8 + column % 8] == value);
    }
}

TEST_CASE("a tile must be waited for, and counted", "[sim]") {
  auto first = [](const std::string &text) {
    std::string found;
    for (uint64_t seed = 0; seed < 20 && found.empty(); ++seed)
      found = runTile(text, seed);
    return found;
  };
  CHECK_THAT(first(tileKernel(2048, "")), Contains("[backend-missing-wait]"));
  CHECK_THAT(first(tileKernel(2048, waitFor(1))),
             Contains("[backend-missing-wait]"));
  CHECK_THAT(first(tileKernel(4096, waitFor(0))),
             Contains("[backend-deadlock]") && Contains("2048 bytes"));
}

TEST_CASE("a tensor map that the driver would refuse is refused", "[sim]") {
  CollectingSink sink;
  auto device = openSimulatedDevice({"sm_90"}, SourceSpan{}, sink);
  alignas(64) char map[tensorMapBytes];
  char *base = static_cast<char *>(device->allocate(4096, sink));
  TensorMapShape good{base, 6, {64, 8}, {128}, {64, 8}};
  CHECK(succeeded(device->encodeTensorMap(good, map, sink)));
  TensorMapShape stride = good, address = good, box = good, span = good;
  stride.strides = {120};
  address.address = base + 8;
  box.box = {64, 257};
  span.swizzle = 2;
  CHECK(failed(device->encodeTensorMap(stride, map, sink)));
  CHECK(failed(device->encodeTensorMap(address, map, sink)));
  CHECK(failed(device->encodeTensorMap(box, map, sink)));
  CHECK(failed(device->encodeTensorMap(span, map, sink)));
  CHECK(sink.diagnostics()[0].kind == DiagKind::BackendMisaligned);
  CHECK(sink.diagnostics()[3].kind == DiagKind::BackendDeviceLimit);
}

/// D = A B^T, 64 x 8 x 16: 128 threads copy both operands to shared memory,
/// multiply, and store.
static std::string productKernel(StringRef fence, StringRef wait,
                                 StringRef afterIssue = "") {
  auto descriptor = [](std::string name, unsigned leading, unsigned stride) {
    uint64_t rest = uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32;
    return "%x" + name + " = ptrtoint ptr addrspace(3) @" + name +
           " to i64\n%y" + name + " = and i64 %x" + name + ", 262143\n%z" +
           name + " = lshr i64 %y" + name + ", 4\n%d" + name + " = or i64 %z" +
           name + ", " + std::to_string(rest) + "\n";
  };
  return nvptxKernel(
      "ptr addrspace(1) %in, ptr addrspace(1) %out",
      "%i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "%fa = getelementptr [8 x half], ptr addrspace(1) %in, i32 %i\n"
      "%ta = getelementptr [8 x half], ptr addrspace(3) @a, i32 %i\n"
      "%va = load <8 x half>, ptr addrspace(1) %fa\n"
      "store <8 x half> %va, ptr addrspace(3) %ta\n"
      "%fb = getelementptr half, ptr addrspace(1) %in, i32 1024\n"
      "%gb = getelementptr half, ptr addrspace(1) %fb, i32 %i\n"
      "%tb = getelementptr half, ptr addrspace(3) @b, i32 %i\n"
      "%vb = load half, ptr addrspace(1) %gb\n"
      "store half %vb, ptr addrspace(3) %tb\n" +
          barrier + descriptor("a", 128, 256) + descriptor("b", 128, 256) +
          fence.str() +
          "%r = call {float, float, float, float} asm sideeffect "
          "\"{\\0A.reg .pred p;\\0Asetp.ne.b32 p, $10, 0;\\0Awgmma.mma_async."
          "sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, "
          "$11,  $12, $13,  $14;\\0A}\\0A\", "
          "\"=f,=f,=f,=f,0,1,2,3,l,l,n,n,n,n,n\"(float 1.0, float 1.0, float "
          "1.0, float 1.0, i64 %da, i64 %db, i32 1, i32 1, i32 1, i32 0, i32 "
          "0)\n"
          "call void @llvm.nvvm.wgmma.commit_group.sync.aligned()\n" +
          afterIssue.str() + wait.str() +
          "%to = getelementptr [4 x float], ptr addrspace(1) %out, i32 %i\n"
          "store {float, float, float, float} %r, ptr addrspace(1) %to\n"
          "ret void",
      "@a = internal addrspace(3) global [1024 x half] undef, align 128\n"
      "@b = internal addrspace(3) global [128 x half] undef, align 128");
}

static const std::string fence =
    "call void @llvm.nvvm.wgmma.fence.sync.aligned()\n";
static const std::string waitAll =
    "call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)\n";

static std::string runProduct(const std::string &text, uint64_t seed = 0) {
  SimFixture fixture(text, "sm_90a", seed);
  std::vector<uint16_t> in(1024 + 128);
  // PTX ISA, "Matrices without swizzling": 8 x 16 bytes lie together; here the
  // next 8 along k follow, then the next 8 rows.
  auto place = [](unsigned outer, unsigned k) {
    return outer / 8 * 128 + k / 8 * 64 + outer % 8 * 8 + k % 8;
  };
  auto a = [](unsigned m, unsigned k) { return int(m * 3 + k * 5) % 7 - 3; };
  auto b = [](unsigned n, unsigned k) { return int(n * 5 + k * 3) % 5 - 2; };
  for (unsigned k = 0; k < 16; ++k) {
    for (unsigned m = 0; m < 64; ++m)
      in[place(m, k)] = floatToHalf(static_cast<float>(a(m, k)));
    for (unsigned n = 0; n < 8; ++n)
      in[1024 + place(n, k)] = floatToHalf(static_cast<float>(b(n, k)));
  }
  float *out = fixture.zeros<float>(512);
  std::string found = fixture.launch(128, {fixture.buffer(in), out});
  if (!found.empty())
    return found;
  for (unsigned m = 0; m < 64; ++m)
    for (unsigned n = 0; n < 8; ++n) {
      int sum = 1;
      for (unsigned k = 0; k < 16; ++k)
        sum += a(m, k) * b(n, k);
      // PTX ISA, figure "WGMMA .m64nNk16 register fragment layout for D": warp
      // m / 16; its lane m % 8 * 4 + n % 8 / 2; d[n % 2 + 2 * (m % 16 / 8)].
      unsigned thread = m / 16 * 32 + m % 8 * 4 + n / 2;
      REQUIRE(out[thread * 4 + n % 2 + 2 * (m % 16 / 8)] ==
              static_cast<float>(sum));
    }
  return "";
}

TEST_CASE("wgmma multiplies from shared memory", "[sim]") {
  for (uint64_t seed = 0; seed < 20; ++seed)
    REQUIRE(runProduct(productKernel(fence, waitAll), seed) == "");
}

TEST_CASE("a product must be fenced, waited for, and left its operands",
          "[sim]") {
  CHECK_THAT(runProduct(productKernel("", waitAll)),
             Contains("[backend-missing-wait]") && Contains("wgmma.fence"));
  CHECK_THAT(runProduct(productKernel(fence, "")),
             Contains("[backend-missing-wait]") && Contains("accumulator"));
  CHECK_THAT(runProduct(productKernel(
                 fence, "call void @llvm.nvvm.wgmma.wait_group.sync.aligned("
                        "i64 1)\n")),
             Contains("[backend-missing-wait]"));
  std::string overwrite = "store half 0.0, ptr addrspace(3) %tb\n";
  CHECK_THAT(runProduct(productKernel(fence, waitAll, overwrite)),
             Contains("[backend-data-race]") &&
                 Contains("asynchronous copy or product read it"));
  CHECK(runProduct(productKernel(fence, waitAll, waitAll + overwrite)) == "");
}

static std::string without(std::string text, const std::string &part) {
  return text.erase(text.find(part), part.size());
}

TEST_CASE("a product doesn't order its four warps", "[sim]") {
  std::string unordered = without(productKernel(fence, waitAll), barrier);
  for (uint64_t seed = 0; seed < 20; ++seed)
    CHECK_THAT(runProduct(unordered, seed), Contains("[backend-data-race]"));
}

TEST_CASE("an mbarrier is made before others use it", "[sim]") {
  std::string unordered = without(tileKernel(2048, waitFor(0)), barrier);
  for (uint64_t seed = 0; seed < 20; ++seed)
    CHECK_THAT(runTile(unordered, seed), Contains("[backend-"));
}

TEST_CASE("wgmma is sm_90a's alone", "[sim]") {
  SimFixture fixture(productKernel(fence, waitAll), "sm_90");
  CHECK_THAT(fixture.loadProblem(), Contains("[backend-not-simulated]") &&
                                        Contains("wgmma.mma_async"));
}

TEST_CASE("a descriptor's strides are those of the PTX ISA", "[sim]") {
  // Bits 0-13 address, 16-29 leading, 32-45 stride offset, all / 16; 62-63:
  // 1 for 128 bytes.
  auto one = WgmmaDescriptor::decode(uint64_t(1) << 62 | uint64_t(64) << 32 |
                                     uint64_t(512) << 16 | 0x40);
  CHECK(one.start == 1024);
  CHECK(one.swizzle == SimSwizzle::Of128);
  CHECK(one.offset(9, 3, 2, /*kMajor=*/true) == 1024 + 128 + 6);
  CHECK(one.offset(65, 9, 2, /*kMajor=*/false) == 8192 + 2 + 1024 + 128);
  CHECK(swizzled(0x480, SimSwizzle::Of128) == 0x490);
  CHECK(swizzled(0x480, SimSwizzle::Of32) == 0x490);
  CHECK(swizzled(0x500, SimSwizzle::Of32) == 0x500);
  CHECK(swizzled(0x500, SimSwizzle::Of64) == 0x520);
}
