// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for libcuda.so.1 and libamdhip64.so.*: memory is the host's, kernels
// do nothing, and LH_FAKE_DRIVER scripts what goes wrong: "cuInit=100" makes
// that function yield that error, "version=11040" and "devices=0" change
// answers. With "fills=1" a kernel whose arguments are a buffer of floats
// writes that number to it, once somebody waits; after "spoils-after=N"
// launches it writes another one. With "adds=1" a kernel of two such buffers
// writes the first's numbers and that one to the second. With "contexts=1" only
// threads that have set a context get and release memory. As the real one's,
// the driver's state is lost in a fork.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

/// The number after "<name>=" in the script; `otherwise` without.
static int scripted(const char *name, int otherwise) {
  const char *script = std::getenv("LH_FAKE_DRIVER");
  std::string text = script ? " " + std::string(script) + " " : "";
  size_t place = text.find(" " + std::string(name) + "=");
  return place == std::string::npos
             ? otherwise
             : std::atoi(text.c_str() + place + std::strlen(name) + 2);
}

static int number(int *to, int value) {
  *to = value;
  return 0;
}
static int handle(void **to) {
  static char something;
  *to = &something;
  return 0;
}
static int nothing() { return 0; }

namespace {
/// A buffer that a launched kernel is to write: `value` and, where there is a
/// `from`, the numbers there.
struct Write {
  const float *from = nullptr;
  float *begin = nullptr;
  int64_t count = 0;
  float value = 0;
};
} // namespace

static thread_local bool hasContext = false;

/// CUDA's error in a thread that has set none, where that is looked at.
static int withoutContext() {
  constexpr int invalidContext = 201;
  return scripted("contexts", 0) && !hasContext ? invalidContext : 0;
}

static std::vector<Write> pending;
static pid_t owner = 0;

/// The driver's error in a copy of the process that began to use it.
static int lostInFork() {
  constexpr int notInitialized = 3;
  return owner != 0 && owner != getpid() ? notInitialized : 0;
}

/// MLIR's arguments of a kernel for a buffer: allocated, aligned, offset, size
/// and stride.
static float *beginOf(void **arguments) {
  return *static_cast<float **>(arguments[1]) +
         *static_cast<int64_t *>(arguments[2]);
}

static void note(void **arguments) {
  static int launches = 0;
  ++launches;
  if (int number = scripted("fills", 0)) {
    bool spoils = launches > scripted("spoils-after", 1 << 30);
    pending.push_back({nullptr, beginOf(arguments),
                       *static_cast<int64_t *>(arguments[3]),
                       static_cast<float>(number + spoils)});
  }
  if (int number = scripted("adds", 0))
    pending.push_back({beginOf(arguments), beginOf(arguments + 5),
                       *static_cast<int64_t *>(arguments[3]),
                       static_cast<float>(number)});
}

static int finishAll() {
  for (const Write &write : pending)
    for (int64_t i = 0; i < write.count; ++i)
      write.begin[i] = write.value + (write.from ? write.from[i] : 0);
  pending.clear();
  return lostInFork();
}

extern "C" {
int cuInit(unsigned) {
  if (int error = scripted(__func__, lostInFork()))
    return error;
  owner = getpid();
  return 0;
}
int cuDriverGetVersion(int *to) {
  return number(to, scripted("version", 13000));
}
int cuGetErrorName(int error, const char **name) {
  static std::string text;
  text = "FAKE_ERROR_" + std::to_string(error);
  *name = text.c_str();
  return 0;
}
int cuDeviceGetCount(int *to) { return number(to, scripted("devices", 1)); }
int cuDeviceGet(int *to, int i) { return number(to, i); }
int cuDeviceGetName(char *to, int size, int) {
  std::strncpy(to, "Fake GPU", static_cast<size_t>(size));
  return 0;
}
int cuDeviceGetAttribute(int *to, int which, int) {
  switch (which) {
  case 75: // major
    return number(to, scripted("capability", 90) / 10);
  case 76: // minor
    return number(to, scripted("capability", 90) % 10);
  case 97: // shared bytes
    return number(to, scripted("shared", 232448));
  case 1: // threads
    return number(to, 1024);
  default:
    return number(to, 65535);
  }
}
int cuDevicePrimaryCtxRetain(void **to, int) { return handle(to); }
int cuCtxSetCurrent(void *) {
  hasContext = true;
  return 0;
}
int cuModuleLoadDataEx(void **to, const void *, unsigned, int *, void **) {
  if (int error = scripted(__func__, 0))
    return error;
  return handle(to);
}
int cuModuleLoadData(void **to, const void *image) {
  return cuModuleLoadDataEx(to, image, 0, nullptr, nullptr);
}
int cuModuleUnload(void *) { return nothing(); }
int cuModuleGetFunction(void **to, void *, const char *) { return handle(to); }
int cuFuncGetAttribute(int *to, int which, void *) {
  return number(to, which == 0 ? scripted("threads", 1024)
                               : scripted("static-shared", 0));
}
int cuFuncSetAttribute(void *, int, int) { return nothing(); }
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void *, void **arguments, void **) {
  if (int error = scripted(__func__, lostInFork()))
    return error;
  note(arguments);
  return 0;
}
int cuStreamCreate(void **to, unsigned) { return handle(to); }
int cuStreamSynchronize(void *) {
  int error = finishAll();
  return scripted(__func__, error);
}
int cuMemAllocManaged(void **to, size_t bytes, unsigned) {
  if (int error = scripted(__func__, lostInFork() + withoutContext()))
    return error;
  *to = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return 0;
}
int cuMemAlloc_v2(void **to, size_t bytes) {
  return cuMemAllocManaged(to, bytes, 0);
}
int cuMemFree_v2(void *block) {
  if (int error = withoutContext()) {
    std::fprintf(stderr, "memory is released without a context\n");
    return error;
  }
  std::free(block);
  return 0;
}
int cuMemcpyAsync(void *to, const void *from, size_t bytes, void *) {
  std::memcpy(to, from, bytes);
  return 0;
}
int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, void *s) {
  return cuMemcpyAsync(to, from, bytes, s);
}
int cuCtxSynchronize() { return finishAll(); }
int cuMemsetD8Async(void *to, unsigned char value, size_t count, void *) {
  std::memset(to, value, count);
  return 0;
}
int cuMemsetD16Async(void *to, unsigned short value, size_t count, void *) {
  for (size_t i = 0; i < count; ++i)
    static_cast<unsigned short *>(to)[i] = value;
  return 0;
}
int cuMemsetD32Async(void *to, unsigned value, size_t count, void *) {
  for (size_t i = 0; i < count; ++i)
    static_cast<unsigned *>(to)[i] = value;
  return 0;
}
int cuEventCreate(void **to, unsigned) { return handle(to); }
int cuEventDestroy_v2(void *) { return nothing(); }
int cuEventRecord(void *, void *) { return nothing(); }
int cuEventSynchronize(void *) { return finishAll(); }
int cuEventElapsedTime(float *to, void *, void *) {
  *to = 2.0F;
  return 0;
}

// libcublas: products of f32 by columns, neither factor transposed.
int cublasCreate_v2(void **to) { return handle(to); }
int cublasGemmEx(void *, int turnsA, int turnsB, int m, int n, int k,
                 const float *alpha, const float *a, int typeA, int lda,
                 const float *b, int typeB, int ldb, const float *beta,
                 float *c, int typeC, int ldc, int, int) {
  constexpr int notSupported = 15;
  if (turnsA || turnsB || typeA || typeB || typeC)
    return notSupported;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i + l * lda] * b[l + j * ldb];
      float before = *beta == 0 ? 0 : *beta * c[i + j * ldc];
      c[i + j * ldc] = *alpha * sum + before;
    }
  return 0;
}

int hipInit(unsigned) {
  if (int error = scripted(__func__, 0))
    return error;
  return 0;
}
int hipRuntimeGetVersion(int *to) {
  return number(to, scripted("version", 60200000));
}
const char *hipGetErrorName(int) { return "fakeHipError"; }
int hipGetDeviceCount(int *to) { return number(to, scripted("devices", 1)); }
int hipSetDevice(int) { return nothing(); }
int hipDeviceGetName(char *to, int size, int i) {
  return cuDeviceGetName(to, size, i);
}
/// The chip's name lies where HIP 6 has it.
int hipGetDevicePropertiesR0600(void *to, int) {
  constexpr size_t namePlace = 1160;
  std::string name =
      "gfx" + std::to_string(scripted("gfx", 942)) + ":sramecc+:xnack-";
  std::memcpy(static_cast<char *>(to) + namePlace, name.c_str(),
              name.size() + 1);
  return 0;
}
int hipModuleLoadData(void **to, const void *) {
  if (int error = scripted(__func__, 0))
    return error;
  return handle(to);
}
int hipModuleUnload(void *) { return nothing(); }
int hipModuleGetFunction(void **to, void *, const char *) { return handle(to); }
int hipFuncGetAttribute(int *to, int which, void *kernel) {
  return cuFuncGetAttribute(to, which, kernel);
}
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, void *,
                          void **arguments, void **) {
  if (int error = scripted(__func__, 0))
    return error;
  note(arguments);
  return 0;
}
int hipStreamCreateWithFlags(void **to, unsigned) { return handle(to); }
int hipStreamSynchronize(void *) {
  int error = finishAll();
  return scripted(__func__, error);
}
int hipMallocManaged(void **to, size_t bytes, unsigned flags) {
  if (int error = scripted(__func__, 0))
    return error;
  return cuMemAllocManaged(to, bytes, flags);
}
int hipFree(void *block) { return cuMemFree_v2(block); }
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int, void *) {
  std::memcpy(to, from, bytes);
  return 0;
}
int hipMemsetD8Async(void *to, unsigned char value, size_t count, void *s) {
  return cuMemsetD8Async(to, value, count, s);
}
int hipMemsetD16Async(void *to, unsigned short value, size_t count, void *s) {
  return cuMemsetD16Async(to, value, count, s);
}
int hipMemsetD32Async(void *to, int value, size_t count, void *s) {
  return cuMemsetD32Async(to, static_cast<unsigned>(value), count, s);
}
int hipEventCreateWithFlags(void **to, unsigned) { return handle(to); }
int hipEventDestroy(void *) { return nothing(); }
int hipEventRecord(void *, void *) { return nothing(); }
int hipEventSynchronize(void *) { return nothing(); }
int hipEventElapsedTime(float *to, void *, void *) {
  *to = 2.0F;
  return 0;
}
}
