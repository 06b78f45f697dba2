// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Runs compiled code on the machine it is for, an emulated one mostly:
     lh-runner DESCRIPTOR
   maps the job (engine/runtime/emulated/Job.h) that lh-run has put into the file
   behind DESCRIPTOR, loads the shared library it names, checks the length of
   vectors, calls the code as often as asked and writes down what happened. */
#define _GNU_SOURCE
#include "lh-runner.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef void (*PackedFunction)(void **);

struct LhJob *job;
static void *library;

void *at(uint64_t offset) { return (char *)job + offset; }

_Noreturn void fail(enum LhProblem problem, const char *format, ...) {
  va_list words;
  va_start(words, format);
  vsnprintf(job->text, LH_JOB_TEXT, format, words);
  va_end(words);
  job->problem = problem;
  _exit(3);
}

/* What `cf.assert` is lowered to: the message, then the end. */
static const char *complaint = "";

int lh_note_reason(const char *text) {
  complaint = text;
  return 0;
}

_Noreturn void lh_give_up(void) { fail(LH_GAVE_UP, "%s", complaint); }

/* Notes where it was, and lets the signal end the process. */
static void noteSignal(int number, siginfo_t *info, void *context) {
  if (number == SIGILL && carryOut(context))
    return;
  signal(number, SIG_DFL);
  job->problem = LH_SIGNAL;
  job->signal = (uint64_t)number;
  Dl_info place;
  if (number == SIGILL && dladdr(info->si_addr, &place)) {
    memcpy(&job->word, info->si_addr, 4);
    if (place.dli_sname) {
      snprintf(job->symbol, sizeof job->symbol, "%s", place.dli_sname);
      job->symbolOffset =
          (uint64_t)((char *)info->si_addr - (char *)place.dli_saddr);
    }
  }
}

static void watchSignals(void) {
  static char stack[65536];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_sigaction = noteSignal,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    sigaction(signals[i], &action, NULL);
}

/* A descriptor: allocated, aligned, offset, sizes, strides. */
static int64_t *describe(const struct LhTensor *tensor, void *bytes) {
  int64_t rank = (int64_t)tensor->rank, stride = 1;
  int64_t *descriptor = calloc((size_t)(3 + 2 * rank), sizeof *descriptor);
  if (!descriptor)
    fail(LH_NO_MEMORY, "%zu", sizeof *descriptor);
  descriptor[0] = descriptor[1] = (int64_t)bytes;
  const int64_t *sizes = at(tensor->sizes);
  for (int64_t i = rank; i-- > 0; stride *= sizes[i]) {
    descriptor[3 + i] = sizes[i];
    descriptor[3 + rank + i] = stride;
  }
  return descriptor;
}

static size_t bytesOf(const struct LhTensor *tensor, const int64_t *sizes) {
  size_t bytes = tensor->elementBytes;
  for (uint64_t i = 0; i < tensor->rank; ++i)
    bytes *= (size_t)sizes[i];
  return bytes;
}

/* Mapped in place where the file's alignment is enough, else copied. */
static void *bindFile(const struct LhTensor *tensor) {
  const char *path = at(tensor->path);
  size_t bytes = bytesOf(tensor, at(tensor->sizes));
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0)
    fail(LH_CANNOT_READ, "%s: %s", path, strerror(errno));
  if ((uint64_t)status.st_size < tensor->offset + bytes)
    fail(LH_CANNOT_READ, "%s: it is shorter than the weight's end", path);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t skipped = tensor->offset % page;
  char *mapped = mmap(NULL, skipped + bytes + !bytes, PROT_READ, MAP_PRIVATE,
                      file, (off_t)(tensor->offset - skipped));
  close(file);
  if (mapped == MAP_FAILED)
    fail(LH_CANNOT_READ, "%s: %s", path, strerror(errno));
  if (skipped % 64 == 0)
    return mapped + skipped;
  void *copy = aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (!copy)
    fail(LH_NO_MEMORY, "%zu", bytes);
  memcpy(copy, mapped + skipped, bytes);
  munmap(mapped, skipped + bytes + !bytes);
  return copy;
}

/* The memory of one entry's arguments and results. */
struct Frame {
  const struct LhCall *call;
  PackedFunction function;
  struct BuiltLibrary *built; /* called instead, if there is one */
  void **arguments;
  int64_t *returned; /* all descriptors, one after the other */
  size_t returnedWords;
  char **poison; /* what each out-parameter held at first */
};

static int returns(const struct LhCall *call) {
  const struct LhTensor *results = at(call->results);
  return call->resultCount > 0 && results[0].place == LH_RETURNED;
}

static int64_t *bindArgument(const struct LhTensor *tensor,
                             int64_t **prepared) {
  if (tensor->place == LH_PREPARED)
    return prepared[tensor->offset];
  return describe(tensor, tensor->place == LH_IN_FILE ? bindFile(tensor)
                                                      : at(tensor->offset));
}

static void *copyOf(const void *bytes, size_t size) {
  void *copy = malloc(size + !size);
  if (!copy)
    fail(LH_NO_MEMORY, "%zu", size);
  return memcpy(copy, bytes, size);
}

static struct Frame makeFrame(const struct LhCall *call, int64_t **prepared) {
  struct Frame frame = {.call = call};
  if (job->functions)
    frame.built = openBuilt(library, at(job->functions), call);
  else
    frame.function = (PackedFunction)dlsym(library, at(call->name));
  if (!frame.function && !frame.built)
    fail(LH_CANNOT_LOAD, "%s", dlerror());
  frame.arguments =
      calloc(call->argumentCount + call->resultCount + 1, sizeof(void *));
  frame.poison = calloc(call->resultCount + 1, sizeof(char *));
  const struct LhTensor *arguments = at(call->arguments);
  const struct LhTensor *results = at(call->results);
  size_t next = 0;
  if (returns(call)) {
    for (uint64_t i = 0; i < call->resultCount; ++i)
      frame.returnedWords += 3 + 2 * results[i].rank;
    frame.returned = calloc(frame.returnedWords, sizeof(int64_t));
    frame.arguments[next++] = frame.returned;
  }
  for (uint64_t i = 0; i < call->argumentCount; ++i)
    frame.arguments[next++] = bindArgument(&arguments[i], prepared);
  for (uint64_t i = 0; !returns(call) && i < call->resultCount; ++i) {
    frame.arguments[next++] = describe(&results[i], at(results[i].offset));
    frame.poison[i] = copyOf(at(results[i].offset),
                             bytesOf(&results[i], at(results[i].sizes)));
  }
  return frame;
}

/* The descriptor of the i-th result after a call. */
static int64_t *resultOf(const struct Frame *frame, uint64_t i) {
  const struct LhTensor *results = at(frame->call->results);
  if (!frame->returned)
    return frame->arguments[frame->call->argumentCount + i];
  int64_t *descriptor = frame->returned;
  for (uint64_t k = 0; k < i; ++k)
    descriptor += 3 + 2 * results[k].rank;
  return descriptor;
}

static char *bytesAt(const struct LhTensor *tensor, const int64_t *descriptor) {
  return (char *)descriptor[1] + descriptor[2] * (int64_t)tensor->elementBytes;
}

static double call(struct Frame *frame) {
  const struct LhTensor *results = at(frame->call->results);
  for (uint64_t i = 0; i < frame->call->resultCount; ++i)
    if (frame->poison[i])
      memcpy(at(results[i].offset), frame->poison[i],
             bytesOf(&results[i], at(results[i].sizes)));
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (frame->built)
    callBuilt(frame->built, frame->call);
  else
    frame->function(frame->arguments);
  clock_gettime(CLOCK_MONOTONIC, &end);
  for (uint64_t i = 0; frame->built && frame->returned &&
                       i < frame->call->resultCount; ++i)
    describeBuilt(frame->built, i, resultOf(frame, i));
  return (double)(end.tv_sec - start.tv_sec) +
         1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/* Two results may share a block, and one may be an argument or a constant. */
static void releaseReturned(struct Frame *frame) {
  for (uint64_t i = 0; frame->returned && i < frame->call->resultCount; ++i) {
    void *block = (void *)resultOf(frame, i)[0];
    if (arenaOwns(block))
      lh_arena_release(NULL, block);
  }
}

/* The bytes of every result in one piece; `size` says how many. */
static char *gather(struct Frame *frame, size_t *size) {
  const struct LhTensor *results = at(frame->call->results);
  *size = 0;
  for (uint64_t i = 0; i < frame->call->resultCount; ++i)
    *size += bytesOf(&results[i], resultOf(frame, i) + 3);
  char *all = malloc(*size + 1), *next = all;
  if (!all)
    fail(LH_NO_MEMORY, "%zu", *size);
  for (uint64_t i = 0; i < frame->call->resultCount; ++i) {
    const int64_t *descriptor = resultOf(frame, i);
    size_t bytes = bytesOf(&results[i], descriptor + 3);
    memcpy(next, bytesAt(&results[i], descriptor), bytes);
    next += bytes;
  }
  return all;
}

static void writeAll(const void *bytes, size_t size) {
  for (const char *next = bytes; size > 0;) {
    ssize_t written = write((int)job->results, next, size);
    if (written < 0)
      fail(LH_CANNOT_READ, "results: %s", strerror(errno));
    next += written;
    size -= (size_t)written;
  }
}

/* Returned results go to a file: the sizes of each, then its bytes. */
static void writeReturned(struct Frame *frame) {
  const struct LhTensor *results = at(frame->call->results);
  for (uint64_t i = 0; i < frame->call->resultCount; ++i) {
    const int64_t *descriptor = resultOf(frame, i);
    writeAll(descriptor + 3, results[i].rank * sizeof(int64_t));
    writeAll(bytesAt(&results[i], descriptor),
             bytesOf(&results[i], descriptor + 3));
  }
}

/* Calls @prepare; its results stay where they are. */
static int64_t **prepare(const struct LhCall *prepareCall) {
  struct Frame frame = makeFrame(prepareCall, NULL);
  call(&frame);
  int64_t **results = calloc(prepareCall->resultCount + 1, sizeof *results);
  const struct LhTensor *tensors = at(prepareCall->results);
  for (uint64_t i = 0; i < prepareCall->resultCount; ++i) {
    int64_t *descriptor = resultOf(&frame, i);
    size_t bytes = bytesOf(&tensors[i], descriptor + 3);
    /* Out of the arena's hands, in memory of its own. */
    char *own = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!own)
      fail(LH_NO_MEMORY, "%zu", bytes);
    memcpy(own, bytesAt(&tensors[i], descriptor), bytes);
    struct LhTensor shaped = tensors[i];
    shaped.sizes = (uint64_t)((char *)(descriptor + 3) - (char *)job);
    results[i] = describe(&shaped, own);
  }
  releaseReturned(&frame);
  reclaimArena();
  job->leakedBlocks = job->leakedBytes = 0;
  return results;
}

/* The first call finds its memory poisoned; what is timed must give the same
   bits. */
static void callEntry(struct Frame *frame) {
  size_t size = 0, lastSize = 0;
  setPoisoning(1);
  call(frame);
  if (frame->returned)
    writeReturned(frame);
  char *first = job->repeat ? gather(frame, &size) : NULL;
  releaseReturned(frame);
  reclaimArena();
  setPoisoning(0);
  double *seconds = at(job->seconds);
  for (uint64_t i = 0; job->repeat && i <= job->repeat; ++i) {
    double taken = call(frame);
    if (i > 0)
      seconds[i - 1] = taken;
    else
      job->freshBlocks = 0;
    if (i == job->repeat) {
      char *last = gather(frame, &lastSize);
      job->differs = size != lastSize || memcmp(first, last, size) != 0;
    }
    releaseReturned(frame);
    reclaimArena();
  }
}

static void checkVectorLength(void) {
  job->vectorBits = vectorBits(job->streaming != 0);
  /* Without such vectors the code's first instruction on one says more. */
  if (job->mostVectorBits > 0 && job->vectorBits > 0 &&
      (job->vectorBits < job->leastVectorBits ||
       job->vectorBits > job->mostVectorBits))
    fail(LH_VECTOR_LENGTH, "%s", "");
}

static void mapJob(const char *descriptor) {
  struct stat status;
  int file = atoi(descriptor);
  if (fstat(file, &status) != 0)
    exit(2);
  job = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
             file, 0);
  if (job == MAP_FAILED || job->version != LH_JOB_VERSION ||
      job->bytes != (uint64_t)status.st_size) {
    fprintf(stderr, "lh-runner: this is no job of lh-run's version\n");
    exit(2);
  }
}

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "usage: lh-runner DESCRIPTOR (by lh-run)\n");
    return 2;
  }
  mapJob(words[1]);
  watchSignals();
  checkVectorLength();
  job->state = LH_LOADING;
  library = dlopen(at(job->library), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(LH_CANNOT_LOAD, "%s", dlerror());
  countInstructions(library);
  job->state = LH_PREPARING;
  int64_t **prepared = job->prepare ? prepare(at(job->prepare)) : NULL;
  struct Frame frame = makeFrame(at(job->entry), prepared);
  job->state = LH_CALLING;
  forgetCounts();
  callEntry(&frame);
  job->state = LH_DONE;
  _exit(0);
}
