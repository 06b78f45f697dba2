// oneDNN: matmul with plain and with reordered weights, and dnnl_sgemm.
#include "Worker.h"

#include <oneapi/dnnl/dnnl.hpp>

using namespace peers;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

namespace {
/// The one engine and stream of the process.
struct Machine {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};
} // namespace

static Machine &machine() {
  static Machine one;
  return one;
}

static Type typeOf(const Operand &operand) {
  static const std::map<std::string, Type> types{{"f32", Type::f32},
                                                 {"bf16", Type::bf16},
                                                 {"i8", Type::s8},
                                                 {"i32", Type::s32}};
  return types.at(operand.type);
}

static dnnl::memory::desc describe(const Operand &operand, Tag tag) {
  return {operand.shape, typeOf(operand), tag};
}

static dnnl::memory plain(const Operand &operand) {
  static const std::vector<Tag> tags{Tag::x, Tag::a, Tag::ab, Tag::abc,
                                     Tag::abcd};
  return {describe(operand, tags.at(operand.shape.size())), machine().engine,
          operand.bytes.get()};
}

static void reorder(dnnl::memory from, dnnl::memory to) {
  dnnl::reorder(from, to).execute(machine().stream, from, to);
  machine().stream.wait();
}

static Candidate multiplication(const Work &work, bool prepacked) {
  const Operand &a = work.input(0), &b = work.input(1);
  Operand c = unwritten(work.outputs[0]);
  dnnl::matmul::primitive_desc how({describe(a, Tag::ab),
                                    describe(b, prepacked ? Tag::any : Tag::ab),
                                    describe(c, Tag::ab)},
                                   machine().engine);
  dnnl::memory weights = plain(b);
  if (prepacked) {
    weights = dnnl::memory(how.weights_desc(), machine().engine);
    reorder(plain(b), weights);
  }
  dnnl::matmul primitive(how);
  std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, plain(a)},
                                                  {DNNL_ARG_WEIGHTS, weights},
                                                  {DNNL_ARG_DST, plain(c)}};
  std::string name = prepacked ? "oneDNN-prepacked" : "oneDNN";
  auto run = [=, keep = std::vector<Operand>{a, b, c}] {
    primitive.execute(machine().stream, arguments);
    machine().stream.wait();
  };
  return {name + "[" + how.impl_info_str() + "]", run, {c}};
}

static Candidate sgemm(const Work &work) {
  const Operand &a = work.input(0), &b = work.input(1);
  Operand c = unwritten(work.outputs[0]);
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  auto run = [=] {
    dnnl_sgemm('N', 'N', m, n, k, 1, a.as<float>(), k, b.as<float>(), n, 0,
               c.as<float>(), n);
  };
  return {"oneDNN-sgemm", run, {c}};
}

static std::vector<Candidate> matmul(const Work &work) {
  std::vector<Candidate> candidates{multiplication(work, false),
                                    multiplication(work, true)};
  if (work.input(0).type == "f32")
    candidates.push_back(sgemm(work));
  return candidates;
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  if (work.kind == "matmul")
    return matmul(work);
  return {};
}
