#include "cli/progress.h"

#include "base/strings/escape.h"
#include "base/strings/out.h"
#include "base/strings/units.h"
#include "cli/say.h"

#include <time.h>
#include <unistd.h>

#define FIRST_AFTER_MS 1000
#define THEN_EVERY_MS 100
#define WIDTH_MAX 79 /* a line that wraps could not be written over */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void hf_progress_start(
    struct hf_progress *progress, const char *verb, const char *name, bool is_quiet)
{
    progress->verb = verb;
    progress->name = name;
    progress->is_on = !is_quiet && isatty(STDERR_FILENO);
    progress->due_ms = now_ms() + FIRST_AFTER_MS;
    progress->shown_width = 0;
}

/* Writes `line` over the one before; blanks cover what that had more. */
static void progress_show(struct hf_progress *progress, struct hf_text line)
{
    size_t width = line.size;
    size_t rest = progress->shown_width > width ? progress->shown_width - width : 0;
    struct hf_out covering = {0};
    hf_out_text(&covering, line);
    hf_out_printf(&covering, "%*s", (int)rest, "");
    hf_say_status(hf_out_view(&covering));
    if (width == 0)
        hf_say_status(line);
    hf_out_done(&covering);
    progress->shown_width = width;
}

static void update(void *context, uint64_t done, uint64_t all)
{
    struct hf_progress *progress = context;
    uint64_t now = now_ms();
    if (now < progress->due_ms)
        return;
    progress->due_ms = now + THEN_EVERY_MS;
    char number[HF_UNITS_MAX];
    struct hf_out amount = {0}, line = {0};
    hf_out_printf(&amount, ": %s", hf_units_bytes(done, number));
    if (all != 0)
        hf_out_printf(
            &amount, " of %s, %.0f %%", hf_units_bytes(all, number), hf_units_percent(done, all));
    hf_out_printf(&line, "%s ", progress->verb);
    hf_escape_terminal(&line, hf_text_of(progress->name));
    if (line.size + amount.size > WIDTH_MAX && amount.size < WIDTH_MAX)
        line.size = WIDTH_MAX - amount.size;
    hf_out_text(&line, hf_out_view(&amount));
    if (line.error.status == HF_OK && amount.error.status == HF_OK)
        progress_show(progress, hf_out_view(&line));
    hf_out_done(&amount);
    hf_out_done(&line);
}

struct hf_watch hf_progress_watch(struct hf_progress *progress)
{
    return progress->is_on ? (struct hf_watch){update, progress} : (struct hf_watch){0};
}

void hf_progress_end(struct hf_progress *progress)
{
    if (progress->shown_width != 0)
        progress_show(progress, HF_TEXT(""));
}

static struct hf_watch progress_begin(void *context, const char *verb, const char *name)
{
    struct hf_progress *progress = context;
    hf_progress_start(progress, verb, name, progress->is_quiet);
    return hf_progress_watch(progress);
}

static void progress_end(void *context)
{
    hf_progress_end(context);
}

const struct hf_listener *hf_progress_listener(struct hf_progress *progress, bool is_quiet)
{
    progress->is_quiet = is_quiet;
    progress->listener = (struct hf_listener){progress_begin, progress_end, progress};
    return &progress->listener;
}
