// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Uses a built library as a program would, rightly and wrongly. NET is the
   library's name, HEADER its header; the model is what deploy.py makes: one
   input of f32, n x 6, with n open, and one output of n x 4.
     use INPUT.bin OUTPUT.bin ROWS   runs it on ROWS rows
     use --wrong                     every kind of wrong argument
     use --quiet                     counts allocations from the second call on
     use --threads                   ten threads with an instance each */
#include HEADER

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define FUNCTION(name) PASTE(NET, PASTE(_, name))

enum { inner = 6, outer = 4 };

/* What the library allocates is counted, by standing in for the C library. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_memalign(size_t, size_t);
static _Thread_local long allocations;
void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

static void require(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "wrong: %s; last error: %s\n", what, FUNCTION(error)());
  exit(1);
}

static struct lh_tensor rows(float *data, int64_t count, int64_t width) {
  return (struct lh_tensor){.data = data,
                            .bytes = (size_t)(count * width) * sizeof *data,
                            .type = LH_FLOAT32,
                            .rank = 2,
                            .shape = {count, width}};
}

static struct NET *make(void) {
  struct NET *net = NULL;
  int status = FUNCTION(create)(&net, NULL);
  if (status != LH_OK) {
    printf("status %d: %s\n", status, FUNCTION(error)());
    exit(status == LH_UNSUPPORTED_CPU ? 42 : 1);
  }
  return net;
}

static int runFiles(const char *from, const char *to, int64_t count) {
  size_t size = (size_t)(count * inner) * sizeof(float);
  float *numbers = malloc(size + 1);
  FILE *file = fopen(from, "rb");
  require(file && fread(numbers, 1, size, file) == size, "the input is there");
  fclose(file);
  struct NET *net = make();
  struct lh_tensor input = rows(numbers, count, inner), output = {0};
  require(FUNCTION(run)(net, &input, 1, &output, 1) == LH_OK, "it runs");
  require(output.rank == 2 && output.shape[0] == count &&
              output.shape[1] == outer && output.type == LH_FLOAT32,
          "the output's type and shape are filled in");
  file = fopen(to, "wb");
  require(file && fwrite(output.data, 1, output.bytes, file) == output.bytes,
          "the output can be written");
  fclose(file);
  FUNCTION(destroy)(net);
  free(numbers);
  return 0;
}

/* Whether the call is refused, by a text that has this word. */
static void refuse(int status, const char *word) {
  require(status == LH_INVALID_ARGUMENT, word);
  require(strstr(FUNCTION(error)(), word) != NULL, word);
}

static int runWrongly(void) {
  float x[2 * inner + 1] = {0}, y[2 * outer + 1];
  struct NET *net = make();
  struct lh_tensor good = rows(x, 2, inner), bad, out = rows(y, 2, outer);
  refuse(FUNCTION(create)(NULL, NULL), "null");
  refuse(FUNCTION(run)(NULL, &good, 1, &out, 1), "instance");
  refuse(FUNCTION(run)(net, &good, 2, &out, 1), "2 inputs");
  refuse(FUNCTION(run)(net, &good, 1, &out, 0), "0 outputs");
  refuse(FUNCTION(run)(net, NULL, 1, &out, 1), "null");
  refuse(FUNCTION(run)(net, &good, 1, NULL, 1), "null");
  bad = good, bad.type = LH_FLOAT64;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "float64");
  bad = good, bad.type = 99;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "no type");
  bad = good, bad.rank = 3;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "the model takes");
  bad = good, bad.rank = -1;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "rank");
  bad = good, bad.rank = 1000000;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "rank");
  bad = good, bad.shape[1] = inner + 1;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "2x7");
  bad = good, bad.shape[0] = -1;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "the model takes");
  bad = good, bad.shape[0] = INT64_MAX / 4;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "bytes");
  bad = good, bad.bytes -= 1;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "needs 48 bytes");
  bad = good, bad.data = NULL;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "no data");
  bad = good, bad.data = (char *)x + 1;
  refuse(FUNCTION(run)(net, &bad, 1, &out, 1), "multiple");
  bad = out, bad.bytes = 5;
  refuse(FUNCTION(run)(net, &good, 1, &bad, 1), "bytes");
  bad = out, bad.data = (char *)y + 2;
  refuse(FUNCTION(run)(net, &good, 1, &bad, 1), "multiple");
  bad = out, bad.data = x;
  refuse(FUNCTION(run)(net, &good, 1, &bad, 1), "shares memory");
  require(FUNCTION(run)(net, &good, 1, &out, 1) == LH_OK,
          "after all that it still runs");
  struct lh_tensor none = rows(x, 0, inner), empty = {0};
  require(FUNCTION(run)(net, &none, 1, &empty, 1) == LH_OK &&
              empty.shape[0] == 0,
          "no rows give no rows");
  FUNCTION(destroy)(net);
  FUNCTION(destroy)(NULL);
  return 0;
}

static int runQuietly(void) {
  float x[9 * inner] = {0};
  struct NET *net = make();
  for (int round = 0; round < 3; ++round) {
    long before = allocations;
    for (int64_t count = 1; count <= 9; count += 4) {
      struct lh_tensor input = rows(x, count, inner), output = {0};
      require(FUNCTION(run)(net, &input, 1, &output, 1) == LH_OK, "it runs");
    }
    require(round == 0 || allocations == before,
            "calls with known sizes allocate nothing");
  }
  FUNCTION(destroy)(net);
  return 0;
}

static float given[8 * inner], expected[8 * outer];

static void *runInThread(void *unused) {
  (void)unused;
  struct NET *net = make();
  for (int i = 0; i < 200; ++i) {
    float y[8 * outer];
    struct lh_tensor input = rows(given, 8, inner), output = rows(y, 8, outer);
    require(FUNCTION(run)(net, &input, 1, &output, 1) == LH_OK, "it runs");
    require(memcmp(y, expected, sizeof y) == 0, "threads agree");
  }
  FUNCTION(destroy)(net);
  return NULL;
}

static int runThreads(void) {
  enum { count = 10 };
  pthread_t threads[count];
  for (int i = 0; i < 8 * inner; ++i)
    given[i] = (float)(i * 37 % 19) / 7 - 1;
  struct NET *net = make();
  struct lh_tensor input = rows(given, 8, inner),
                   output = rows(expected, 8, outer);
  require(FUNCTION(run)(net, &input, 1, &output, 1) == LH_OK, "it runs");
  for (int i = 0; i < count; ++i)
    pthread_create(&threads[i], NULL, runInThread, NULL);
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  FUNCTION(destroy)(net);
  return 0;
}

int main(int count, char **words) {
  if (count == 4)
    return runFiles(words[1], words[2], atoll(words[3]));
  if (count == 2 && strcmp(words[1], "--wrong") == 0)
    return runWrongly();
  if (count == 2 && strcmp(words[1], "--quiet") == 0)
    return runQuietly();
  if (count == 2 && strcmp(words[1], "--threads") == 0)
    return runThreads();
  return 2;
}
