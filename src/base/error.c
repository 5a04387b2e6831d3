#include "base/error.h"

#include "base/budget.h"
#include "base/credentials.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void error_copy_text(char *to, size_t to_size, const char *from)
{
    size_t length = strnlen(from, to_size - 1);
    memmove(to, from, length);
    to[length] = '\0';
}

/* As vsnprintf, but for passwords. */
HF_PRINTF(3, 0)
static void format_text(char *to, size_t to_size, const char *format, va_list args)
{
    int size = vsnprintf(to, to_size, format, args);
    hf_credentials_hide(to, size < 0 || (size_t)size >= to_size);
}

enum hf_status hf_error_set(struct hf_error *err, enum hf_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        *err = (struct hf_error){.status = status};
        va_start(args, format);
        format_text(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

enum hf_status hf_error_system(struct hf_error *err, int error_number, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        *err = (struct hf_error){.status = HF_ERR_SYSTEM};
        va_start(args, format);
        format_text(err->text, sizeof err->text, format, args);
        va_end(args);
        char reason_buffer[128];
        const char *reason = strerror_r(error_number, reason_buffer, sizeof reason_buffer);
        size_t used = strlen(err->text);
        (void)snprintf(err->text + used, sizeof err->text - used, ": %s", reason);
    }
    return HF_ERR_SYSTEM;
}

enum hf_status hf_error_received(
    struct hf_error *err, const struct hf_error *received, uint32_t status)
{
    enum hf_status known = status <= HF_ERR_NETWORK ? (enum hf_status)status : HF_ERR_SYSTEM;
    if (known == HF_OK || err == NULL)
        return known;
    *err = *received;
    err->status = known;
    if (err->position_kind > HF_AT_OFFSET)
        err->position_kind = HF_AT_NOTHING;
    err->input[sizeof err->input - 1] = '\0';
    err->text[sizeof err->text - 1] = '\0';
    return known;
}

enum hf_status hf_error_memory(struct hf_error *err)
{
    return hf_budget_is_used_up() ? hf_budget_refuse(err)
                                  : hf_error_set(err, HF_ERR_MEMORY, "out of memory");
}

void hf_error_in(struct hf_error *err, const char *input)
{
    if (err != NULL && err->input[0] == '\0') {
        error_copy_text(err->input, sizeof err->input, input);
        hf_credentials_hide(err->input, strlen(input) >= sizeof err->input);
    }
}

static void set_position(
    struct hf_error *err, const char *input, enum hf_error_position kind, uint64_t position)
{
    if (err == NULL)
        return;
    if (err->position_kind == HF_AT_NOTHING && err->input[0] == '\0') {
        err->position_kind = kind;
        err->position = position;
    }
    hf_error_in(err, input);
}

void hf_error_at_line(struct hf_error *err, const char *input, uint64_t line)
{
    set_position(err, input, HF_AT_LINE, line);
}

void hf_error_at_offset(struct hf_error *err, const char *input, uint64_t offset)
{
    set_position(err, input, HF_AT_OFFSET, offset);
}

void hf_error_context(struct hf_error *err, const char *format, ...)
{
    if (err == NULL)
        return;
    char context[HF_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    format_text(context, sizeof context, format, args);
    va_end(args);
    char sentence[HF_ERROR_TEXT_MAX];
    error_copy_text(sentence, sizeof sentence, err->text);
    size_t used = strnlen(context, sizeof context - 3);
    memcpy(err->text, context, used);
    memcpy(err->text + used, ": ", 2);
    error_copy_text(err->text + used + 2, sizeof err->text - used - 2, sentence);
}

void hf_error_format(const struct hf_error *err, char *out, size_t out_size)
{
    const char *colon = err->input[0] != '\0' ? ": " : "";
    if (err->position_kind == HF_AT_LINE)
        (void)snprintf(
            out, out_size, "%s%sline %" PRIu64 ": %s", err->input, colon, err->position, err->text);
    else if (err->position_kind == HF_AT_OFFSET)
        (void)snprintf(out, out_size, "%s%soffset 0x%" PRIx64 ": %s", err->input, colon,
            err->position, err->text);
    else
        (void)snprintf(out, out_size, "%s%s%s", err->input, colon, err->text);
}
