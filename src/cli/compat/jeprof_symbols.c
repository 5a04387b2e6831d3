/*
 * jeprof_symbols.c: jeprof --symbols PROGRAM < input: a line may be one of a memory map; of others
 * one with "0x..." is an address to name. For each address a line is printed: the name of the
 * function, not of what is inlined there, or the address again. Addresses are taken as they are.
 */
#include "answer/names.h"
#include "base/containers/vec.h"
#include "base/strings/escape.h"
#include "base/strings/num.h"
#include "cli/compat/jeprof.h"
#include "formats/heap/addresses.h"

#include <stdlib.h>

struct jeprof_symbols_reader {
    struct hf_profile *profile;
    struct hf_maps maps;
    uint64_t *addresses;
    size_t count, capacity;
};

/* The first word of the line that is "0x" and digits, as in "at 0x401020: ...". */
static bool jeprof_symbols_find_address(struct hf_text line, uint64_t *out_address)
{
    for (size_t i = 0; i + 2 < line.size; i++) {
        struct hf_text rest = hf_text_from(line, i);
        size_t end = 2;
        if (!hf_text_starts(rest, "0x") && !hf_text_starts(rest, "0X"))
            continue;
        while (end < rest.size && strchr("0123456789abcdefABCDEF", rest.data[end]) != NULL)
            end++;
        if (hf_num_hex(hf_text_first(rest, end), out_address))
            return true;
    }
    return false;
}

static enum hf_status jeprof_symbols_read_line(
    struct jeprof_symbols_reader *r, struct hf_text line, struct hf_error *err)
{
    uint64_t address;
    bool is_mapping; /* whatever its path has */
    enum hf_status status = hf_maps_line(&r->maps, r->profile, line, &is_mapping, err);
    if (status != HF_OK || is_mapping || !jeprof_symbols_find_address(line, &address))
        return status;
    if (!hf_vec_reserve(&r->addresses, &r->capacity, r->count + 1, sizeof *r->addresses))
        return hf_error_memory(err);
    r->addresses[r->count++] = address;
    return HF_OK;
}

static enum hf_status jeprof_symbols_read_all(struct jeprof_symbols_reader *r, struct hf_error *err)
{
    struct hf_input input;
    enum hf_status status = hf_input_open(&input, "-", err);
    bool has_line = status == HF_OK;
    while (has_line && status == HF_OK) {
        struct hf_text line;
        status = hf_input_line(&input, &line, &has_line, err);
        if (status == HF_OK && has_line)
            status = jeprof_symbols_read_line(r, line, err);
    }
    hf_input_close(&input);
    return status;
}

/* The frame of each address, as a stack of its own: the symbolizer names what stacks use. */
static enum hf_status jeprof_symbols_add_frames(
    struct jeprof_symbols_reader *r, uint32_t *frames, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < r->count && status == HF_OK; i++) {
        struct hf_frame frame = hf_maps_frame(&r->maps, r->addresses[i]);
        uint32_t node;
        status = hf_profile_frame(r->profile, &frame, &frames[i], err);
        if (status == HF_OK)
            status = hf_stacktree_add(&r->profile->stacks, &frames[i], 1, &node, err);
    }
    r->profile->has_addresses = true;
    return status;
}

static void jeprof_symbols_put_names(
    const struct jeprof_symbols_reader *r, const uint32_t *frames, struct hf_out *out)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t count;
        const uint32_t *names = hf_profile_expansion(r->profile, &frames[i], &count);
        const struct hf_frame *function = hf_profile_frame_at(r->profile, names[count - 1]);
        bool is_named = (function->flags & HF_FRAME_NAMED) != 0;
        if (is_named)
            hf_escape_terminal(out, hf_profile_text(r->profile, function->name));
        else
            hf_out_printf(out, "0x%016llx", (unsigned long long)r->addresses[i]);
        hf_out_char(out, '\n');
    }
}

static enum hf_status jeprof_symbols_name_all(
    struct jeprof_symbols_reader *r, const struct hf_view_options *view, struct hf_error *err)
{
    struct hf_output output;
    uint32_t *frames = calloc(r->count + 1, sizeof *frames);
    enum hf_status status =
        frames != NULL ? jeprof_symbols_add_frames(r, frames, err) : hf_error_memory(err);
    if (status == HF_OK)
        status = hf_names_add(&view->request.names, r->profile, err);
    if (status == HF_OK)
        status = hf_output_open(&output, view->output, false, err);
    if (status == HF_OK) {
        jeprof_symbols_put_names(r, frames, &output.out);
        status = hf_output_close(&output, status, err);
    }
    free(frames);
    return status;
}

enum hf_status hf_jeprof_symbols(
    struct hf_jeprof_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count == 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected a program: heapflame jeprof --symbols PROGRAM < map-and-addresses");
    struct jeprof_symbols_reader r = {0};
    options->report.view.request.names.exe = operands->items[0];
    enum hf_status status = hf_profile_new(&r.profile, err);
    if (status == HF_OK) {
        status = jeprof_symbols_read_all(&r, err);
        if (status == HF_OK)
            status = jeprof_symbols_name_all(&r, &options->report.view, err);
        hf_report_notes(&options->report.view.common, &r.profile->notes);
        hf_profile_free(r.profile);
    }
    hf_maps_done(&r.maps);
    free(r.addresses);
    return status;
}
