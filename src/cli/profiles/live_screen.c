#include "cli/profiles/live_screen.h"

#include "base/strings/utf8.h"
#include "cli/command.h"
#include "cli/say.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS                                                                                    \
    100 /* at the size of the window: a signal does not reach who reads without rights */

struct hf_live_screen hf_live_screen_now(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return (struct hf_live_screen){0};
    return (struct hf_live_screen){size.ws_row, size.ws_col};
}

/* What of a line has room. */
static struct hf_text clip(struct hf_text line, size_t columns)
{
    size_t size = 0;
    uint32_t ignored;
    if (columns == 0 || hf_utf8_columns(line) <= columns)
        return line;
    while (size < line.size) {
        size_t next = size + hf_utf8_next(hf_text_from(line, size), &ignored);
        if (hf_utf8_columns(hf_text_first(line, next)) > columns)
            break;
        size = next;
    }
    return hf_text_first(line, size);
}

enum hf_status hf_live_screen_show(
    const struct hf_live_screen *screen, struct hf_text text, struct hf_error *err)
{
    struct hf_output output;
    hf_say_clear();
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    for (size_t row = 0; text.size != 0 && (screen->rows == 0 || row < screen->rows); row++) {
        struct hf_text line = hf_text_first(text, hf_text_find(text, '\n'));
        text = hf_text_from(text, line.size + 1);
        if (row != 0) /* an end of the last line would scroll */
            hf_out_char(&output.out, '\n');
        hf_out_text(&output.out, clip(line, screen->columns));
    }
    return hf_output_close(&output, HF_OK, err);
}

void hf_live_screen_end(void)
{
    struct hf_output output;
    if (hf_output_open(&output, NULL, false, NULL) != HF_OK)
        return;
    hf_out_char(&output.out, '\n');
    (void)!(hf_output_close(&output, HF_OK, NULL) == HF_OK);
}

bool hf_live_screen_wait(const struct hf_live_screen *screen, unsigned milliseconds)
{
    for (unsigned passed = 0; passed < milliseconds; passed += LOOK_MS) {
        struct hf_live_screen now = hf_live_screen_now();
        if (now.rows != screen->rows || now.columns != screen->columns)
            return true;
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    return false;
}
