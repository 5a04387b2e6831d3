/* Counts over time as CSV: the input is the file; the part behind its first ^ names the column. */
#include "answer/history/load_file.h"
#include "fuzz.h"
#include "tell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Time and load rise, and what is asked of them is a number. */
static void check_clock(const struct hf_load_clock *clock)
{
    for (size_t i = 1; i < clock->count; i++) {
        if (clock->times_s[i] <= clock->times_s[i - 1] || !(clock->sums[i] >= clock->sums[i - 1]))
            abort();
    }
    double first_s = clock->times_s[0], span_s = clock->times_s[clock->count - 1] - first_s;
    struct hf_load_window window = hf_load_window_of(clock, first_s, span_s);
    if (!(window.total > 0))
        return;
    for (double part = -0.5; part <= 1.5; part += 0.25) {
        double at = hf_load_window_at(&window, part * span_s);
        if (!isfinite(at) || !isfinite(hf_load_window_time(&window, at)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_load_file file;
    char column[32] = "";
    struct hf_text all = {(const char *)data, size};
    size_t hat = hf_text_find(all, '^');
    struct hf_text name = hf_text_from(all, hat + 1);
    if (name.size < sizeof column)
        memcpy(column, name.data, name.size);
    hf_input_open_memory(&input, hf_text_first(all, hat), "input");
    enum hf_status status =
        hf_load_file_read(&file, &input, column[0] != '\0' ? column : NULL, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK && err.text[0] == '\0')
        abort();
    if (status == HF_OK) {
        const struct hf_load_clock *clock = &file.clock;
        check_clock(clock);
        fuzz_tell_named("counted", hf_text_of(file.name));
        fuzz_tell("%zu times, %.12g s, %.12g in all\n", clock->count,
            clock->times_s[clock->count - 1] - clock->times_s[0], clock->sums[clock->count - 1]);
    }
    hf_load_file_done(&file);
    hf_input_close(&input);
    return 0;
}
