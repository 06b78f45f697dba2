/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls compiled code so that it can give up, and keeps the text of errors. */
#include "internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char text[1024];
static _Thread_local jmp_buf *active; /* where a call that gives up goes on */
static _Thread_local const char *reason = "";

int lh_fail(int status, const char *format, ...) {
  va_list words;
  va_start(words, format);
  vsnprintf(text, sizeof text, format, words);
  va_end(words);
  return status;
}

const char *lh_net_error(void) { return text; }

_Noreturn void lh_leave(int status) {
  if (!active) { /* a thread that the code has started */
    fprintf(stderr, "%s\n", text);
    abort();
  }
  longjmp(*active, status);
}

/* What was begun works on memory that is taken back next. The text of a failed
   call says more than what follows from it. */
static int waitFor(struct LhDevice *device, int status) {
  char first[sizeof text];
  memcpy(first, text, sizeof text);
  int waited = device->wait(device);
  if (status == LH_OK)
    return waited;
  memcpy(text, first, sizeof text);
  return status;
}

int lh_call(void (*packed)(void **), void **descriptors,
            struct LhArena *arena) {
  jmp_buf place;
  jmp_buf *outer = active;
  lh_use_arena(arena);
  active = &place;
  int status = setjmp(place);
  if (status == LH_OK)
    packed(descriptors);
  active = outer;
  lh_use_arena(NULL);
  return arena->device ? waitFor(arena->device, status) : status;
}

/* What a failed assertion is lowered to: the message, then the end. */
int lh_note_reason(const char *message) {
  reason = message;
  return 0;
}

_Noreturn void lh_give_up(void) {
  lh_leave(lh_fail(LH_MODEL_FAILED, "the model gave up: %s", reason));
}
