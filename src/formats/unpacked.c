#include "formats/unpacked.h"

#include "base/budget.h"
#include "base/plural.h"

#include <inttypes.h>

#define PACKED_PIECE_BYTES ((size_t)64 << 10)
#define TOO_MUCH_WORK                                                                              \
    "is too large for so few compressed bytes; if you trust it, allow N times as much with "       \
    "--input-budget N (HF_LIMIT_BUDGET_STEPS)"

/* Ends the bytes here: a loss if there were some before, else there is nothing to read. */
static enum hf_status end_early(
    struct hf_unpacked *u, enum hf_status status, const char *what, struct hf_error *err)
{
    hf_error_set(&u->loss, status,
        "after %" PRIu64 " %s (%" PRIu64 " decompressed), the %s data %s", u->taken,
        hf_plural(u->taken, "byte", "bytes"), u->made, hf_unpack_name(u->unpack), what);
    if (u->made != 0)
        return HF_OK;
    hf_error_set(err, status, "%s", u->loss.text);
    hf_error_in(err, u->packed->name);
    return status;
}

/* As struct hf_input_source wants it. */
static enum hf_status unpacked_read_plain(
    void *context, char *out, size_t room, size_t *out_got, struct hf_error *err)
{
    struct hf_unpacked *u = context;
    *out_got = 0;
    while (*out_got == 0 && u->loss.status == HF_OK) {
        struct hf_text bytes;
        struct hf_error fault;
        enum hf_status status = hf_input_peek(u->packed, PACKED_PIECE_BYTES, &bytes, err);
        if (status != HF_OK)
            return status;
        size_t given = bytes.size;
        if (given == 0 && hf_unpack_is_whole(u->unpack))
            return HF_OK;
        if (!hf_budget_has_reserve())
            return end_early(u, HF_ERR_LIMIT, TOO_MUCH_WORK, err);
        if (u->made == u->made_max)
            return end_early(u, HF_ERR_LIMIT, "exceeds HF_LIMIT_UNPACKED", err);
        if (room > u->made_max - u->made)
            room = (size_t)(u->made_max - u->made);
        status = hf_unpack_step(u->unpack, &bytes, out, room, out_got, &fault);
        hf_input_skip(u->packed, given - bytes.size);
        u->taken += given - bytes.size;
        u->made += *out_got;
        if (status == HF_ERR_INPUT) {
            hf_error_context(&fault, "is damaged");
            return end_early(u, status, fault.text, err);
        }
        if (status == HF_ERR_LIMIT)
            return end_early(u, status, fault.text, err);
        if (status != HF_OK)
            return hf_error_set(err, status, "%s", fault.text);
        if (*out_got == 0 && bytes.size == given)
            return end_early(u, HF_ERR_INPUT, "is cut", err);
    }
    return HF_OK;
}

enum hf_status hf_unpacked_open(
    struct hf_unpacked *unpacked, struct hf_input *packed, uint64_t made_max, struct hf_error *err)
{
    *unpacked = (struct hf_unpacked){.input = packed, .packed = packed, .made_max = made_max};
    struct hf_text first;
    enum hf_status status = hf_input_peek(packed, HF_PACKING_MAGIC_BYTES, &first, err);
    if (status != HF_OK)
        return status;
    enum hf_packing packing = hf_packing_of(first);
    if (packing == HF_PACKING_NONE)
        return HF_OK;
    status = hf_unpack_new(packing, &unpacked->unpack, err);
    if (status != HF_OK)
        return status;
    hf_input_open_source(
        &unpacked->plain, (struct hf_input_source){unpacked_read_plain, unpacked}, packed->name);
    unpacked->plain.is_tcmalloc_v1 = packed->is_tcmalloc_v1;
    unpacked->plain.tasks_by = packed->tasks_by;
    unpacked->plain.lifetimes = packed->lifetimes;
    unpacked->input = &unpacked->plain;
    return HF_OK;
}

void hf_unpacked_close(struct hf_unpacked *unpacked)
{
    if (unpacked->unpack != NULL)
        hf_input_close(&unpacked->plain);
    hf_unpack_free(unpacked->unpack);
    *unpacked = (struct hf_unpacked){0};
}

void hf_unpacked_note(const struct hf_unpacked *unpacked, struct hf_notes *notes)
{
    if (unpacked->loss.status != HF_OK)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: %s; what came before is read",
            unpacked->packed->name, unpacked->loss.text);
}
