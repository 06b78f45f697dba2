// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLAS and the driver's copies, found when they run: nothing of CUDA is
// needed to build this. For tests/bench/gpu.
#include "Worker.h"

#include <dlfcn.h>

using namespace peers;

namespace {
using Pointer = unsigned long long; // CUdeviceptr

/// A library that is there when it runs.
class Library {
public:
  explicit Library(const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (!handle)
        handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
      throw Unusable(dlerror());
  }
  template <typename Function>
  void bind(Function *&function, const char *name) const {
    function = reinterpret_cast<Function *>(dlsym(handle, name));
    if (!function)
      throw Unusable(std::string("there is no ") + name);
  }

private:
  void *handle = nullptr;
};

/// cublasGemmEx's and cudaDataType_t's numbers.
enum DataType { real32 = 0, real16 = 2, int8 = 3, int32 = 10, brain16 = 14 };
enum ComputeType { in32 = 68, inInt32 = 72, inTf32 = 77 };

struct Cuda {
  int (*init)(unsigned);
  int (*device)(int *, int);
  int (*retainContext)(void **, int);
  int (*setContext)(void *);
  int (*allocate)(Pointer *, size_t);
  int (*toDevice)(Pointer, const void *, size_t);
  int (*toHost)(void *, Pointer, size_t);
  int (*copy)(Pointer, Pointer, size_t, void *);
  int (*synchronize)();
  int (*create)(void **);
  int (*multiply)(void *, int, int, int, int, int, const void *, const void *,
                  int, int, const void *, int, int, const void *, void *, int,
                  int, int, int);
  void *handle = nullptr; ///< cuBLAS's

  explicit Cuda(const Work &work);
  Pointer place(const Operand &operand) const;
};
} // namespace

static void require(int error, const char *doing) {
  if (error)
    throw Unusable(std::string(doing) + " fails: error " +
                   std::to_string(error));
}

Cuda::Cuda(const Work &work) {
  Library driver({"libcuda.so.1"});
  driver.bind(init, "cuInit");
  driver.bind(device, "cuDeviceGet");
  driver.bind(retainContext, "cuDevicePrimaryCtxRetain");
  driver.bind(setContext, "cuCtxSetCurrent");
  driver.bind(allocate, "cuMemAlloc_v2");
  driver.bind(toDevice, "cuMemcpyHtoD_v2");
  driver.bind(toHost, "cuMemcpyDtoH_v2");
  driver.bind(copy, "cuMemcpyDtoDAsync_v2");
  driver.bind(synchronize, "cuCtxSynchronize");
  int number = 0;
  void *context = nullptr;
  require(init(0), "cuInit");
  require(device(&number, 0), "cuDeviceGet");
  require(retainContext(&context, number), "cuDevicePrimaryCtxRetain");
  require(setContext(context), "cuCtxSetCurrent");
  if (work.kind != "matmul")
    return;
  Library blas({work.option("cublas"), "libcublas.so.13", "libcublas.so.12"});
  blas.bind(create, "cublasCreate_v2");
  blas.bind(multiply, "cublasGemmEx");
  require(create(&handle), "cublasCreate");
}

/// A copy on the device.
Pointer Cuda::place(const Operand &operand) const {
  Pointer address = 0;
  require(allocate(&address, operand.size()), "cuMemAlloc");
  require(toDevice(address, operand.bytes.get(), operand.size()),
          "copying to the device");
  return address;
}

static DataType dataType(const std::string &type) {
  static const std::map<std::string, DataType> types{{"f32", real32},
                                                     {"f16", real16},
                                                     {"bf16", brain16},
                                                     {"i8", int8},
                                                     {"i32", int32}};
  auto found = types.find(type);
  if (found == types.end())
    throw Unusable("cuBLAS multiplies no " + type);
  return found->second;
}

/// What a candidate calls, again and again, and what it leaves on the device.
static Candidate makeCandidate(const std::string &name,
                               const std::shared_ptr<Cuda> &cuda,
                               const std::function<void()> &launch,
                               Pointer result, const Operand &like) {
  Operand output = unwritten(like);
  auto often = [=](long calls) {
    for (long i = 0; i < calls; ++i)
      launch();
    require(cuda->synchronize(), "cuCtxSynchronize");
  };
  auto fetch = [=] {
    require(cuda->toHost(output.bytes.get(), result, output.size()),
            "copying from the device");
  };
  auto run = [=] {
    often(1);
    fetch();
  };
  return {name, run, {output}, often, fetch};
}

/// C = A B by rows is C' = B' A' by columns.
static Candidate matmul(const Work &work, const std::shared_ptr<Cuda> &cuda,
                        bool rounds) {
  const Operand &a = work.input(0), &b = work.input(1);
  const Operand c = unwritten(work.outputs[0]);
  int m = int(a.shape[0]), k = int(a.shape[1]), n = int(b.shape[1]);
  Pointer placedA = cuda->place(a), placedB = cuda->place(b),
          placedC = cuda->place(c);
  DataType read = dataType(a.type), written = dataType(c.type);
  int compute = read == int8 ? inInt32 : rounds ? inTf32 : in32;
  auto launch = [=] {
    // Scales are of the type that is computed in; 0 has the same bits in both.
    constexpr float one = 1;
    constexpr int32_t oneInt = 1, zero = 0;
    const void *alpha = read == int8 ? static_cast<const void *>(&oneInt)
                                     : static_cast<const void *>(&one);
    constexpr int plain = 0, anyAlgorithm = -1;
    auto at = [](Pointer p) { return reinterpret_cast<void *>(p); };
    require(cuda->multiply(cuda->handle, plain, plain, n, m, k, alpha,
                           at(placedB), read, n, at(placedA), read, k, &zero,
                           at(placedC), written, n, compute, anyAlgorithm),
            "cublasGemmEx");
  };
  return makeCandidate("cuBLAS", cuda, launch, placedC, c);
}

static Candidate copy(const Work &work, const std::shared_ptr<Cuda> &cuda) {
  const Operand &x = work.input(0);
  const Operand y = unwritten(work.outputs[0]);
  Pointer from = cuda->place(x), to = cuda->place(y);
  auto launch = [=] {
    require(cuda->copy(to, from, y.size(), nullptr), "cuMemcpyDtoDAsync");
  };
  return makeCandidate("copy", cuda, launch, to, y);
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  auto cuda = std::make_shared<Cuda>(work);
  if (work.kind == "copy")
    return {copy(work, cuda)};
  if (work.kind == "matmul")
    return {matmul(work, cuda, work.options.count("tf32") > 0)};
  return {};
}
