#include "cli/convert.h"

#include "answer/conversion.h"

#include <string.h>
#include <unistd.h>

static enum hf_status write_file(
    struct hf_conversion *conversion, const struct hf_view_options *options, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open_data(&output, options->output, options->is_private, err);
    if (status != HF_OK)
        return status;
    status = hf_conversion_write(conversion, &output.out, err);
    return hf_output_close(&output, status, err);
}

/* Prints the notes in any case. */
static enum hf_status convert_finish(struct hf_conversion *conversion,
    struct hf_view_options *options, enum hf_status status, struct hf_error *err)
{
    if (status == HF_OK)
        status = write_file(conversion, options, err);
    const struct hf_notes *notes = hf_conversion_notes(conversion);
    if (notes != NULL)
        hf_report_notes(&options->common, notes);
    hf_conversion_done(conversion);
    return status;
}

enum hf_status hf_convert_profile(const struct hf_writer *writer, struct hf_view_options *options,
    struct hf_profile *profile, struct hf_error *err)
{
    struct hf_conversion conversion;
    enum hf_status status = hf_conversion_of(&conversion, writer, &options->request, profile, err);
    return convert_finish(&conversion, options, status, err);
}

enum hf_status hf_convert(const struct hf_writer *writer, struct hf_view_options *options,
    const struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_options_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    bool is_to_stdout = options->output == NULL || strcmp(options->output, "-") == 0;
    if (writer->is_binary && is_to_stdout && isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "standard output is a terminal, and %s is binary: say where to write it, e.g. -o "
            "leak%s",
            writer->name, writer->endings[0]);
    struct hf_conversion conversion;
    status = hf_conversion_read(&conversion, writer, hf_view_options_request(options),
        operands->items, operands->count, err);
    return convert_finish(&conversion, options, status, err);
}
