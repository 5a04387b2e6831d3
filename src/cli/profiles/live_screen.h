/*
 * live_screen.h: a text that is shown again and again in the window of a terminal, of which as much
 * is written as has room there: nothing scrolls.
 */
#ifndef HF_CLI_LIVE_SCREEN_H
#define HF_CLI_LIVE_SCREEN_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct hf_live_screen {
    size_t rows, columns; /* 0: unknown, so all is written */
};

/* Of the terminal that standard output is. */
struct hf_live_screen hf_live_screen_now(void);

/* Clears the window and writes the first lines, each as far as it goes. `text` is escaped. */
HF_MUST_CHECK enum hf_status hf_live_screen_show(
    const struct hf_live_screen *screen, struct hf_text text, struct hf_error *err);

/* The next line of the terminal is the one below. */
void hf_live_screen_end(void);

/* Waits for so long, or until the window has another size: true. */
bool hf_live_screen_wait(const struct hf_live_screen *screen, unsigned milliseconds);

#endif
