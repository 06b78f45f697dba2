// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chips, device code, and drivers as the engine sees them; no GPU is needed.
#include "BackendTestSupport.h"

#include "compiler/gaps/gpu/KernelModules.h"
#include "runtime/gpu/Chip.h"
#include "runtime/gpu/DeviceCode.h"
#include "runtime/gpu/DeviceLimits.h"
#include "runtime/gpu/DriverDevice.h"
#include "runtime/gpu/KernelBudget.h"
#include "runtime/gpu/ShaderNeeds.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace lh;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

static TargetSpec cudaTarget(StringRef chip,
                             std::vector<std::string> features) {
  TargetSpec target;
  target.name = "gpu";
  target.file = "gpu.yaml";
  target.backend = "cuda";
  target.cpu = chip.str();
  target.features = std::move(features);
  return target;
}

TEST_CASE("a chip and its PTX version become LLVM's words", "[gpu]") {
  CollectingSink sink;
  FailureOr<Chip> chip = readChip(cudaTarget("sm_90a", {"ptx80"}), sink);
  REQUIRE(succeeded(chip));
  CHECK(chip->name == "sm_90a");
  CHECK(chip->features == "+ptx80");
  CHECK(computeCapability("sm_90a") == 90);
  CHECK(computeCapability("gfx942") == 0);
}

TEST_CASE("what would end LLVM's process is refused before", "[gpu]") {
  auto said = [](const TargetSpec &target) {
    CollectingSink sink;
    CHECK(failed(readChip(target, sink)));
    return only(sink);
  };
  CHECK_THAT(said(cudaTarget("sm_9O", {"ptx80"})),
             StartsWith("[backend-unknown-chip]") &&
                 Contains("LLVM knows no GPU 'sm_9O'; did you mean 'sm_90'?"));
  CHECK_THAT(said(cudaTarget("sm_90", {"ptx60"})),
             Contains("PTX 6.0 has no 'sm_90'; it begins with 'ptx78'"));
  CHECK_THAT(said(cudaTarget("sm_80", {})),
             Contains("its features name no PTX version"));
  CHECK_THAT(said(cudaTarget("sm_80", {"ptx8000"})),
             Contains("LLVM knows no feature 'ptx8000'"));
  TargetSpec other = cudaTarget("sm_80", {"ptx80"});
  other.facts["chip"].value = std::string("sm_90");
  CHECK_THAT(said(other), Contains("its fact 'chip' isn't its 'cpu'"));
}

TEST_CASE("a target of Vulkan's says how many lanes its code is for", "[gpu]") {
  TargetSpec target = cudaTarget("vulkan1.2", {});
  target.backend = "vulkan";
  target.facts.clear();
  CollectingSink sink;
  FailureOr<Chip> chip = readChip(target, sink);
  REQUIRE(succeeded(chip));
  CHECK(chip->vendor == Vendor::Vulkan);
  CHECK(chip->lanes == 1);
  target.facts["subgroup_lanes"].value = int64_t(16);
  target.facts["shared_bytes_most"].value = int64_t(32768);
  chip = readChip(target, sink);
  REQUIRE(succeeded(chip));
  CHECK(chip->lanes == 16);
  CHECK(chip->sharedBytes == 32768);
  target.cpu = "vulkan1.1";
  CHECK(failed(readChip(target, sink)));
  CHECK_THAT(only(sink), Contains("lh-run knows no GPU 'vulkan1.1'; did you "
                                  "mean 'vulkan1.2'?"));
}

/// A module's header and capabilities, as SPIR-V has them first.
static std::string spirvWith(std::vector<uint32_t> words) {
  words.insert(words.begin(), {0x07230203, 0x00010500, 0, 10, 0});
  return {reinterpret_cast<const char *>(words.data()),
          words.size() * sizeof(uint32_t)};
}

TEST_CASE("what SPIR-V asks of a device is in its first words", "[gpu]") {
  constexpr uint32_t capability = 2 << 16 | 17, memoryModel = 3 << 16 | 14;
  auto needs = capabilitiesOf(
      spirvWith({capability, Float64Capability, capability, 4433, memoryModel,
                 5348, 1, capability, Int8Capability}));
  REQUIRE(needs);
  CHECK(*needs == std::vector<uint32_t>{10, 4433});
  CHECK(capabilityName(needs->front()) == "Float64");
  CHECK(capabilityName(needs->back()) == "StorageBuffer16BitAccess");
  CHECK(capabilityName(7) == "7");
  // Cut off, too short, and of another kind.
  CHECK(capabilitiesOf(spirvWith({capability}))->empty());
  CHECK(!capabilitiesOf(spirvWith({}).substr(0, 16)));
  CHECK(!capabilitiesOf(spirvWith({}) + "x"));
  CHECK(!capabilitiesOf("\177ELF\2\1\1 and so on and so on"));
}

TEST_CASE("a launch that a device can't hold is refused", "[gpu]") {
  DeviceLimits limits{{100, 10, 10}, {256, 256, 64}, 256, 1024};
  KernelFacts kernel{"k", 128, 1000};
  auto said = [&](const LaunchShape &shape) {
    CollectingSink sink;
    if (succeeded(checkLaunch(kernel, shape, limits, "a device", {}, sink)))
      return std::string("nothing");
    return only(sink);
  };
  CHECK(said({{100, 1, 1}, {1, 1, 1}, {128, 1, 1}, 24}) == "nothing");
  CHECK_THAT(said({{101, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
             Contains("a grid of 101 x 1 x 1 blocks; it has 100 x 10 x 10"));
  CHECK_THAT(said({{1, 1, 1}, {1, 1, 1}, {128, 4, 1}}),
             Contains("a block of 128 x 4 x 1 threads; it has 256 at most"));
  CHECK_THAT(said({{1, 1, 1}, {1, 1, 1}, {256, 1, 1}}),
             Contains("too many registers for blocks of 256 threads"));
  CHECK_THAT(said({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 25}),
             Contains("1025 bytes of shared memory; a block has 1024"));
}

TEST_CASE("a chip of Intel's has no features", "[gpu]") {
  TargetSpec target = cudaTarget("pvc", {});
  target.backend = "xe";
  CollectingSink sink;
  FailureOr<Chip> chip = readChip(target, sink);
  REQUIRE(succeeded(chip));
  CHECK(chip->vendor == Vendor::Intel);
  CHECK(chip->name == "pvc");
  target.features = {"fp64"};
  CHECK(failed(readChip(target, sink)));
  CHECK_THAT(only(sink), Contains("lh-run knows no feature 'fp64' of GPUs"));
  target = cudaTarget("dg3", {});
  target.backend = "xe";
  CollectingSink unknown;
  CHECK(failed(readChip(target, unknown)));
  CHECK_THAT(only(unknown),
             Contains("lh-run knows no GPU 'dg3'; did you mean 'dg2'?"));
}

/// One kernel in each of two modules of one name's kernels; the second calls a
/// function of libdevice.
static constexpr const char *twoModules = R"(
module attributes {gpu.container_module} {
  gpu.module @first {
    llvm.func @kernel(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %x, %out : f32, !llvm.ptr
      llvm.return
    }
  }
  gpu.module @second {
    llvm.func @__nv_tanhf(f32) -> f32
    llvm.func @kernel(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.load %out : !llvm.ptr -> f32
      %y = llvm.call @__nv_tanhf(%x) : (f32) -> f32
      llvm.store %y, %out : f32, !llvm.ptr
      llvm.return
    }
  }
  llvm.func @main(%out: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    gpu.launch_func @first::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i64 args(%out : !llvm.ptr)
    gpu.launch_func @second::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i64 args(%out : !llvm.ptr)
    llvm.return
  }
})";

static FailureOr<DeviceCode>
compileTwo(DeviceForm form, const DeviceTools &tools, DiagnosticSink &sink) {
  LoweredModule lowered(twoModules, "");
  return compileKernels(lowered.module(),
                        Chip{Vendor::Nvidia, "sm_80", "+ptx80"}, form, tools,
                        {"two.mlir", 1, 1, 1}, sink);
}

TEST_CASE("kernels of all launches share a module and keep apart", "[gpu]") {
  LoweredModule lowered(twoModules, "");
  mlir::ModuleOp module = lowered.module();
  mlir::gpu::GPUModuleOp kernels = joinKernelModules(module);
  REQUIRE(kernels);
  std::vector<std::string> launched;
  module.walk([&](mlir::gpu::LaunchFuncOp launch) {
    CHECK(launch.getKernelModuleName() == kernels.getNameAttr());
    CHECK(kernels.lookupSymbol(launch.getKernelName()));
    launched.push_back(launch.getKernelName().str());
  });
  CHECK(launched == std::vector<std::string>{"kernel", "kernel_0"});
}

// Two modules' constants of one name, told apart only by what they hold.
static constexpr const char *sameConstants = R"(
module attributes {gpu.container_module} {
  gpu.module @first {
    llvm.func @kernel(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %from = llvm.mlir.addressof @bias : !llvm.ptr
      llvm.return
    }
    llvm.mlir.global private constant @bias(1.0 : f32) : f32
  }
  gpu.module @second {
    llvm.func @kernel(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %from = llvm.mlir.addressof @bias : !llvm.ptr
      llvm.return
    }
    llvm.mlir.global private constant @bias(2.0 : f32) : f32
  }
})";

TEST_CASE("kernels keep the constants of their own module", "[gpu]") {
  LoweredModule lowered(sameConstants, "");
  mlir::gpu::GPUModuleOp kernels = joinKernelModules(lowered.module());
  REQUIRE(kernels);
  std::vector<double> read;
  kernels.walk([&](mlir::LLVM::AddressOfOp from) {
    auto constant =
        kernels.lookupSymbol<mlir::LLVM::GlobalOp>(from.getGlobalName());
    auto value = mlir::cast<mlir::FloatAttr>(constant.getValueOrNull());
    read.push_back(value.getValueAsDouble());
  });
  CHECK(read == std::vector<double>{1.0, 2.0});
}

TEST_CASE("a program without loops needs no kernels", "[gpu]") {
  auto needs = [](const char *text) {
    LoweredModule lowered(text, "");
    return needsKernels(lowered.module());
  };
  CHECK(needs(twoModules));
  CHECK_FALSE(needs("llvm.func @main() { llvm.return }"));
  CHECK(needs(R"(llvm.func @main() {
    llvm.br ^loop
  ^loop:
    llvm.br ^loop
  })"));
}

TEST_CASE("a missing math library is an error, not an unresolved call",
          "[gpu]") {
  CollectingSink sink;
  CHECK(failed(compileTwo(DeviceForm::Assembly, {}, sink)));
  CHECK_THAT(only(sink), StartsWith("[backend-tool-not-found]") &&
                             Contains("the kernels call '__nv_tanhf'"));
}

TEST_CASE("a simulated device has the math functions itself", "[gpu]") {
  CollectingSink sink;
  FailureOr<DeviceCode> code = compileTwo(DeviceForm::Bitcode, {}, sink);
  REQUIRE(succeeded(code));
  CHECK_THAT(code->bytes, StartsWith("BC"));
  CHECK_THAT(code->bytes, Contains("__nv_tanhf"));
}

TEST_CASE("a cubin without ptxas names what brings it", "[gpu]") {
  CollectingSink sink;
  DeviceTools tools;
  tools.libdevice = findDeviceTools(std::getenv).libdevice;
  if (tools.libdevice.empty())
    return; // the case above is seen instead
  CHECK(failed(compileTwo(DeviceForm::Cubin, tools, sink)));
  CHECK_THAT(only(sink), StartsWith("[backend-tool-not-found]") &&
                             Contains("there is no 'ptxas' here"));
}

namespace {
/// A driver whose functions yield what a test says.
struct ScriptedDriver {
  int launching = 0, waiting = 0, allocating = 0, loading = 0;
  int threads = 1024, ownShared = 0;

  std::unique_ptr<Device> open();
};
} // namespace

std::unique_ptr<Device> ScriptedDriver::open() {
  static char something;
  auto give = [](void **to) {
    *to = &something;
    return 0;
  };
  DriverApi api;
  api.description = "Scripted";
  api.errorName = [](int error) { return "E" + std::to_string(error); };
  api.load = [this, give](void **to, const void *) {
    return loading ? loading : give(to);
  };
  api.unload = [](void *) { return 0; };
  api.find = [give](void **to, void *, const char *) { return give(to); };
  api.launch = [this](void *, const LaunchShape &, void **) {
    return launching;
  };
  api.synchronize = [this] { return waiting; };
  api.allocate = [this, give](void **to, size_t) {
    return allocating ? allocating : give(to);
  };
  api.mostThreads = [this](int *to, void *) {
    *to = threads;
    return 0;
  };
  api.ownSharedBytes = [this](int *to, void *) {
    *to = ownShared;
    return 0;
  };
  api.limits = {{65535, 65535, 65535}, {1024, 1024, 64}, 1024, 65536};
  return makeDriverDevice(std::move(api), {"m.yaml", 3, 1, 1});
}

/// What a launch of a kernel 'k', and waiting for it, complains of.
static std::string complaintOf(ScriptedDriver &driver,
                               const LaunchShape &shape = {}) {
  CollectingSink sink;
  std::unique_ptr<Device> device = driver.open();
  FailureOr<DeviceModule> module = device->load("image", sink);
  if (succeeded(module)) {
    FailureOr<DeviceKernel> kernel = device->findKernel(*module, "k", sink);
    if (succeeded(device->launch(*kernel, shape, nullptr, sink)))
      (void)device->synchronize(sink);
  }
  return sink.diagnostics().empty() ? "" : only(sink);
}

TEST_CASE("a fault names the kernel that was running", "[gpu]") {
  ScriptedDriver driver;
  CHECK(complaintOf(driver) == "");
  driver.waiting = 700;
  CHECK(complaintOf(driver) == "[backend-device-fault] work by kernel 'k' "
                               "fails on Scripted: E700");
  driver.waiting = 716;
  CHECK_THAT(complaintOf(driver), StartsWith("[backend-misaligned]"));
}

TEST_CASE("limits are seen before a launch", "[gpu]") {
  ScriptedDriver driver;
  LaunchShape shape;
  shape.block = {2048, 1, 1};
  CHECK_THAT(complaintOf(driver, shape),
             StartsWith("[backend-device-limit] kernel 'k' can't run on "
                        "Scripted: a block of 2048 x 1 x 1 threads"));
  shape.block = {128, 1, 1};
  shape.grid = {1, 70000, 1};
  CHECK_THAT(complaintOf(driver, shape), Contains("a grid of 1 x 70000 x 1"));
  shape.grid = {1, 1, 1};
  driver.threads = 64;
  CHECK_THAT(complaintOf(driver, shape),
             Contains("too many registers for blocks of 128 threads"));
  driver.threads = 1024;
  driver.ownShared = 40000;
  shape.dynamicSharedBytes = 30000;
  CHECK_THAT(complaintOf(driver, shape),
             Contains("70000 bytes of shared memory; a block has 65536"));
}

TEST_CASE("a driver's errors are told apart", "[gpu]") {
  ScriptedDriver driver;
  driver.loading = 222;
  CHECK_THAT(complaintOf(driver), StartsWith("[backend-driver-version]"));
  driver.loading = 0;
  driver.launching = 701;
  CHECK_THAT(complaintOf(driver), StartsWith("[backend-device-limit]"));
  driver.allocating = 2;
  CollectingSink sink;
  CHECK(driver.open()->allocate(1000, sink) == nullptr);
  CHECK_THAT(only(sink),
             StartsWith("[backend-device-memory] allocating 1000 bytes"));
}

TEST_CASE("tensor maps need a driver that has them", "[gpu]") {
  ScriptedDriver driver;
  CollectingSink sink;
  char map[tensorMapBytes];
  CHECK(failed(driver.open()->encodeTensorMap({}, map, sink)));
  CHECK_THAT(only(sink), StartsWith("[backend-driver-version]"));
}

namespace {
/// The script of the fake driver (FakeDriver.cpp) while it lives.
struct Script {
  explicit Script(const char *text) { setenv("LH_FAKE_DRIVER", text, 1); }
  ~Script() { unsetenv("LH_FAKE_DRIVER"); }
};
} // namespace

static std::string openFake(const char *script, StringRef chip = "sm_90") {
  Script scripted(script);
  CollectingSink sink;
  bool isAmd = chip.starts_with("gfx");
  Chip wanted{isAmd ? Vendor::Amd : Vendor::Nvidia, chip.str(),
              isAmd ? "" : "+ptx80"};
  auto open = isAmd ? openHipDriver : openCudaDriver;
  FailureOr<DriverApi> api = open(wanted, LH_FAKE_DRIVER_FILE, {}, sink);
  return succeeded(api) ? api->description : only(sink);
}

TEST_CASE("a driver is opened, or why not", "[gpu]") {
  CHECK(openFake("") == "Fake GPU (driver 13.0)");
  CHECK(openFake("cuInit=100") == "[backend-unavailable] NVIDIA's driver "
                                  "doesn't work: cuInit: FAKE_ERROR_100");
  CHECK(openFake("version=11040") ==
        "[backend-driver-version] NVIDIA's driver is for CUDA 11.4, PTX 8.0 "
        "needs one for 12.0 or later");
  CHECK(openFake("devices=0") ==
        "[backend-unavailable] NVIDIA's driver has no GPU");
  CHECK(openFake("capability=80") ==
        "[backend-unavailable] no GPU runs code for sm_90: Fake GPU is sm_80");
  CHECK(openFake("capability=100", "sm_90") == "Fake GPU (driver 13.0)");
  CHECK_THAT(openFake("capability=100", "sm_90a"), Contains("no GPU runs"));
  CHECK(openFake("", "gfx942") == "Fake GPU (HIP 6.2)");
  CHECK(openFake("gfx=1100", "gfx1100") == "Fake GPU (HIP 6.2)");
  CHECK(openFake("gfx=1100", "gfx942") ==
        "[backend-unavailable] no GPU runs code for gfx942: Fake GPU is "
        "gfx1100");
  CHECK(openFake("devices=0", "gfx942") ==
        "[backend-unavailable] AMD's driver has no GPU");
  CHECK_THAT(openFake("version=50000000", "gfx942"),
             StartsWith("[backend-driver-version]"));
}

TEST_CASE("without a driver the library's name is told", "[gpu]") {
  CollectingSink sink;
  Chip chip{Vendor::Nvidia, "sm_90", "+ptx80"};
  CHECK(failed(openCudaDriver(chip, "libno-such-driver.so", {}, sink)));
  CHECK_THAT(only(sink), StartsWith("[backend-unavailable] there is no NVIDIA "
                                    "driver: libno-such-driver.so"));
}

TEST_CASE("memory of a driver is written and timed in order", "[gpu]") {
  Script script("");
  CollectingSink sink;
  Chip chip{Vendor::Nvidia, "sm_90", "+ptx80"};
  FailureOr<DriverApi> api =
      openCudaDriver(chip, LH_FAKE_DRIVER_FILE, {}, sink);
  REQUIRE(succeeded(api));
  std::unique_ptr<Device> device = makeDriverDevice(std::move(*api), {});
  auto *words = static_cast<uint16_t *>(device->allocate(8, sink));
  REQUIRE(words);
  CHECK(succeeded(device->fill(words, 7, 2, 4, sink)));
  CHECK(words[3] == 7);
  FailureOr<DeviceEvent> begin = device->record(sink);
  FailureOr<DeviceEvent> end = device->record(sink);
  CHECK(*device->secondsBetween(*begin, *end, sink) == Approx(0.002));
  device->release(words);
}

TEST_CASE("ptxas' report becomes what each kernel uses", "[gpu]") {
  auto uses = usesInPtxasReport(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_80'\n"
      "ptxas info    : Function properties for first\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 241 registers, used 1 barriers, 49152 bytes smem, "
      "408 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_80'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, 408 bytes cmem[0]\n");
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].name == "first");
  CHECK(uses[0].registers == 241);
  CHECK(uses[0].spills == 8);
  CHECK(uses[0].sharedBytes == 49152);
  CHECK(uses[1].name == "second");
  CHECK(uses[1].registers == 10);
  CHECK(uses[1].sharedBytes == 0);
}

/// The end of AMD's assembly, as LLVM writes it.
static constexpr const char *amdMetadata =
    "\tv_mfma_f32_16x16x16_f16 a, b\n\t.amdgpu_metadata\n---\n"
    "amdhsa.kernels:\n"
    "  - .agpr_count:     0\n"
    "    .args:\n"
    "      - .name:           x\n"
    "        .size:           8\n"
    "    .group_segment_fixed_size: 1024\n"
    "    .name:           main_kernel\n"
    "    .sgpr_spill_count: 1\n"
    "    .vgpr_count:     70\n"
    "    .vgpr_spill_count: 2\n"
    "amdhsa.target:   amdgcn-amd-amdhsa--gfx942\n";

TEST_CASE("AMD's metadata becomes what each kernel uses", "[gpu]") {
  auto uses = usesInAmdAssembly(amdMetadata);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].name == "main_kernel");
  CHECK(uses[0].registers == 70);
  CHECK(uses[0].spills == 3);
  CHECK(uses[0].sharedBytes == 1024);
}

/// As Intel's compiler writes it; the second kernel calls a function that isn't
/// there.
static constexpr const char *zeInfo =
    "---\n.version:         '1.20'\nkernels:\n"
    "  - name:            main_kernel\n"
    "    execution_env:\n"
    "      grf_count:       128\n"
    "      has_dpas:        true\n"
    "      slm_size:        6144\n"
    "    payload_arguments:\n"
    "      - arg_type:        arg_bypointer\n"
    "        size:            8\n"
    "    per_thread_memory_buffers:\n"
    "      - type:            scratch\n"
    "        usage:           single_space\n"
    "        size:            8192\n"
    "      - type:            global\n"
    "        size:            64\n"
    "  - name:            second\n"
    "    execution_env:\n"
    "      grf_count:       256\n"
    "      has_stack_calls: true\n"
    "kernels_misc_info:\n"
    "  - name:            main_kernel\n"
    "    size:            7\n";

TEST_CASE("what Intel's compiler says becomes what each kernel uses", "[gpu]") {
  auto uses = usesInZeInfo(zeInfo);
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].name == "main_kernel");
  CHECK(uses[0].registers == 128);
  CHECK(uses[0].spills == 8192);
  CHECK(uses[0].sharedBytes == 6144);
  CHECK(!uses[0].callsThroughStack);
  CHECK(uses[1].name == "second");
  CHECK(uses[1].registers == 256);
  CHECK(uses[1].spills == 0);
  CHECK(uses[1].callsThroughStack);
  CHECK(usesInZeInfo("").empty());
  CHECK(kernelsWith("dpas", zeInfo, Vendor::Intel) == 1);
  CHECK(kernelsWith("stack_calls", zeInfo, Vendor::Intel) == 1);
  CHECK(kernelsWith("dpa", zeInfo, Vendor::Intel) == 0);
}

TEST_CASE("a kernel of Intel's that calls through a stack is refused",
          "[gpu]") {
  CollectingSink sink;
  CHECK(failed(checkKernelBudget({{}, -1, {}}, zeInfo,
                                 {Vendor::Intel, "pvc", ""}, {}, {}, sink)));
  REQUIRE(sink.diagnostics().size() == 3);
  CHECK_THAT(sink.diagnostics().back().message,
             Contains("'second' calls a function through a stack"));
}

TEST_CASE("a kernel over its budget is named with what it uses", "[gpu]") {
  Chip chip{Vendor::Amd, "gfx942", ""};
  auto said = [&](const KernelBudget &budget) {
    CollectingSink sink;
    bool good =
        succeeded(checkKernelBudget(budget, amdMetadata, chip, {}, {}, sink));
    CHECK(good == sink.diagnostics().empty());
    return good ? "" : only(sink);
  };
  CHECK(said({70, 3, 1024, {"v_mfma"}}) == "");
  CHECK(said({69, {}, {}, {}}) == "[backend-over-budget] kernel 'main_kernel' "
                                  "uses 70 registers; its budget is 69");
  CHECK_THAT(said({{}, 0, {}, {}}), Contains("uses 3 spills"));
  CHECK_THAT(said({{}, {}, 1000, {}}), Contains("1024 bytes of shared memory"));
  CHECK(said({{}, {}, {}, {"v_wmma"}}) ==
        "[backend-missing-instruction] the code for gfx942 has no 'v_wmma', "
        "which it must have");
}

TEST_CASE("each product's kernel has the instruction it was chosen for",
          "[gpu]") {
  StringRef ptx = ".visible .entry one(\n mma.sync.aligned\n mma.sync.aligned\n"
                  ".visible .entry two(\n fma.rn\n";
  CHECK(kernelsWith("mma.sync", ptx, Vendor::Nvidia) == 1);
  CHECK(kernelsWith("mma.sync", "", Vendor::Nvidia) == 0);
  StringRef amd = "one:\n v_mfma_f32\n .amdhsa_kernel one\n"
                  "two:\n v_mfma_f32\n .amdhsa_kernel two\n v_mfma_f32";
  CHECK(kernelsWith("v_mfma", amd, Vendor::Amd) == 2);

  KernelBudget budget;
  budget.products = {{"mma.sync", 2}};
  Chip chip{Vendor::Nvidia, "sm_80", "+ptx80"};
  CollectingSink sink;
  CHECK(failed(checkKernelBudget(budget, ptx, chip, {}, {}, sink)));
  CHECK(only(sink) ==
        "[backend-missing-instruction] 'mma.sync' is what 2 products' kernels "
        "must have; of the kernels for sm_80 1 has it");
  budget.products = {{"mma.sync", 1}};
  CollectingSink quiet;
  CHECK(succeeded(checkKernelBudget(budget, ptx, chip, {}, {}, quiet)));
}

TEST_CASE("without ptxas a remark says what isn't checked", "[gpu]") {
  CollectingSink sink;
  Chip chip{Vendor::Nvidia, "sm_80", "+ptx80"};
  CHECK(succeeded(checkKernelBudget({255, 0, {}, {"mma.sync"}}, "mma.sync;",
                                    chip, {}, {}, sink)));
  CHECK_THAT(only(sink), StartsWith("[backend-tool-not-found]"));
}
