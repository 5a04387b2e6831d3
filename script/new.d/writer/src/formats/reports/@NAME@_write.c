/*
 * @NAME@_write.c: what it is, and which program reads it.
 *
 * Source: where the format is described.
 */
#include "formats/writers.h"

static enum hf_status write_@NAME@(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    (void)profile;
    (void)type;
    (void)notes;
    (void)out;
    return hf_error_set(err, HF_ERR_USAGE, "writing the format @NAME@ is not written yet");
}

const struct hf_writer hf_writer_@NAME@ = {
    .name = "@NAME@",
    .what = "what it is",
    .endings = {".@NAME@"},
    .takes_folded = true,
    .write = write_@NAME@,
};
