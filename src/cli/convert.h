/*
 * convert.h: writing the profiles on the command line in another format: what `convert` does for
 * each of them, and `bundle` for one.
 */
#ifndef HF_CLI_CONVERT_H
#define HF_CLI_CONVERT_H

#include "cli/view_options.h"
#include "formats/writers.h"

/*
 * Reads the operands, names and adds them up, and writes them to options->output (standard output
 * if NULL). HF_ERR_USAGE without operands, and before a terminal is flooded with binary data.
 */
HF_MUST_CHECK enum hf_status hf_convert(const struct hf_writer *writer,
    struct hf_view_options *options, const struct hf_operands *operands, struct hf_error *err);

/*
 * The same for one profile that is there already; its addresses get their names, and the
 * allocator's frames are cut where the writer has no use for them.
 */
HF_MUST_CHECK enum hf_status hf_convert_profile(const struct hf_writer *writer,
    struct hf_view_options *options, struct hf_profile *profile, struct hf_error *err);

#endif
