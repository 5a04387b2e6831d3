/*
 * signals.h: signals of this process as a source of a loop: blocked, and delivered one by one.
 */
#ifndef HF_CAPTURE_SIGNALS_H
#define HF_CAPTURE_SIGNALS_H

#include "capture/loop.h"

#include <signal.h>
#include <stddef.h>

/* `is_of_kernel`: as what a terminal sends, which all of its processes get. */
typedef void hf_signals_take(void *context, int signal, bool is_of_kernel);

struct hf_signals {
    struct hf_loop_source source;
    sigset_t before; /* the mask that a program is to start with */
    hf_signals_take *take;
    void *context;
};

/* Blocks them for good. They are taken while source is in a loop. Close also after an error. */
HF_MUST_CHECK enum hf_status hf_signals_open(struct hf_signals *signals, const int *numbers,
    size_t count, hf_signals_take *take, void *context, struct hf_error *err);
void hf_signals_close(struct hf_signals *signals);

#endif
