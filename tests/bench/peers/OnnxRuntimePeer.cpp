// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime through its C interface, from the library in its npm package,
// which comes without headers: the few functions used are declared here.
#include "Worker.h"

#include <dlfcn.h>

using namespace peers;

namespace {
/// Opaque to its callers.
struct Handle;

struct ApiBase {
  const void *const *(*api)(uint32_t version);
  const char *(*version)();
};

/// Places in the table of functions. It only ever grows at its end.
enum Slot : size_t {
  errorMessage = 2,
  createEnvironment = 3,
  createSession = 7,
  runSession = 9,
  createSessionOptions = 10,
  setOptimization = 23,
  setIntraThreads = 24,
  setInterThreads = 25,
  createTensor = 49,
  createCpuMemory = 69
};

/// The version of the table that has all of them.
constexpr uint32_t apiVersion = 12;
/// Every optimisation there is.
constexpr int optimizeAll = 99;

class Runtime {
public:
  explicit Runtime(const std::string &path);

  /// Calls a function whose result is a status, null for success.
  template <typename... Arguments>
  void call(Slot slot, Arguments... arguments) const {
    using Function = Handle *(*)(Arguments...);
    check(reinterpret_cast<Function>(const_cast<void *>(table[slot]))(
        arguments...));
  }
  const std::string &version() const { return name; }

private:
  void check(Handle *status) const;

  const void *const *table;
  std::string name;
};
} // namespace

Runtime::Runtime(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, "OrtGetApiBase") : nullptr;
  if (!found)
    throw Unusable(path + " is no ONNX Runtime: " + dlerror());
  auto *base = reinterpret_cast<const ApiBase *(*)()>(found)();
  table = base->api(apiVersion);
  name = base->version();
}

void Runtime::check(Handle *status) const {
  if (!status)
    return;
  using Message = const char *(*)(Handle *);
  throw Unusable(std::string("ONNX Runtime: ") +
                 reinterpret_cast<Message>(
                     const_cast<void *>(table[errorMessage]))(status));
}

static int typeOf(const Operand &operand) {
  static const std::map<std::string, int> types{
      {"f32", 1}, {"u8", 2}, {"i8", 3}, {"i32", 6}, {"i64", 7}, {"bf16", 16}};
  return types.at(operand.type);
}

namespace {
/// A loaded model with its tensors, ready to run.
struct Session {
  explicit Session(const std::string &library) : runtime(library) {}

  Runtime runtime;
  Handle *session = nullptr;
  Handle *memory = nullptr;
  std::vector<const char *> names[2]; ///< of inputs, of outputs
  std::vector<Handle *> values[2];

  void load(const std::string &path, int threads);
  void bind(size_t side, const Operand &operand);
  void run();
};
} // namespace

void Session::load(const std::string &path, int threads) {
  Handle *environment = nullptr, *options = nullptr;
  int warnings = 2, arena = 1, cpu = 0;
  runtime.call(createEnvironment, warnings, "peers", &environment);
  runtime.call(createSessionOptions, &options);
  runtime.call(setIntraThreads, options, threads);
  runtime.call(setInterThreads, options, 1);
  runtime.call(setOptimization, options, optimizeAll);
  runtime.call(createSession, environment, path.c_str(), options, &session);
  runtime.call(createCpuMemory, arena, cpu, &memory);
}

void Session::bind(size_t side, const Operand &operand) {
  Handle *value = nullptr;
  runtime.call(createTensor, memory, static_cast<void *>(operand.bytes.get()),
               operand.size(), operand.shape.data(), operand.shape.size(),
               typeOf(operand), &value);
  names[side].push_back(operand.name.c_str());
  values[side].push_back(value);
}

void Session::run() {
  Handle *options = nullptr;
  runtime.call(runSession, session, options, names[0].data(), values[0].data(),
               values[0].size(), names[1].data(), names[1].size(),
               values[1].data());
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  if (!work.options.count("model"))
    return {};
  auto session = std::make_shared<Session>(work.option("library"));
  session->load(work.option("model"), work.threads);
  for (size_t i = 0; i < std::stoul(work.option("fed")); ++i)
    session->bind(0, work.input(i));
  auto outputs = std::make_shared<std::vector<Operand>>();
  for (const Operand &output : work.outputs)
    outputs->push_back(unwritten(output));
  for (const Operand &output : *outputs)
    session->bind(1, output);
  return {{"ONNX-Runtime-" + session->runtime.version(),
           [session, outputs] { session->run(); }, *outputs}};
}
