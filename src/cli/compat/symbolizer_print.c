#include "cli/compat/symbolizer_print.h"

#include "base/strings/escape.h"
#include "base/strings/json.h"

/* A new line of a JSON document, if that is to be pretty. */
static void json_line(struct hf_out *out, const struct hf_symbolizer_format *format, int depth)
{
    if (!format->pretty)
        return;
    hf_out_char(out, '\n');
    for (int i = format->is_list ? -1 : 0; i < depth; i++)
        hf_out_string(out, "  ");
}

/* before "name": */
static void json_key(struct hf_out *out, const struct hf_symbolizer_format *format, int depth,
    const char *before, const char *name)
{
    hf_out_string(out, before);
    json_line(out, format, depth);
    hf_out_printf(out, format->pretty ? "\"%s\": " : "\"%s\":", name);
}

static void json_text(struct hf_out *out, const struct hf_symbolizer_format *format, int depth,
    const char *name, struct hf_text text)
{
    json_key(out, format, depth, ",", name);
    hf_json_string(out, "", text);
}

static void json_number(struct hf_out *out, const struct hf_symbolizer_format *format, int depth,
    const char *name, uint64_t value)
{
    json_key(out, format, depth, ",", name);
    hf_out_u64(out, value);
}

/* Numbers that JavaScript cannot hold are texts. */
static void json_hex(struct hf_out *out, const struct hf_symbolizer_format *format, int depth,
    const char *before, const char *name, uint64_t value)
{
    json_key(out, format, depth, before, name);
    hf_out_string(out, "\"0x");
    hf_out_hex(out, value);
    hf_out_char(out, '"');
}

static void json_begin(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request)
{
    hf_out_char(out, '{');
    json_hex(out, format, 1, "", "Address", request->address);
}

static void json_end(struct hf_out *out, const struct hf_symbolizer_format *format)
{
    json_line(out, format, 0);
    hf_out_string(out, format->is_list ? "}" : "}\n");
}

/* The address of the request, and what parts it from the answer. */
static void put_request(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request)
{
    if (!format->addresses)
        return;
    hf_out_string(out, "0x");
    hf_out_hex(out, request->address);
    hf_out_string(out, format->pretty ? ": " : "\n");
}

static void put_footer(struct hf_out *out, const struct hf_symbolizer_format *format)
{
    if (format->style == HF_SYMBOLIZER_LLVM)
        hf_out_char(out, '\n');
}

void hf_symbolizer_begin(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request)
{
    if (format->style != HF_SYMBOLIZER_JSON) {
        put_request(out, format, request);
        return;
    }
    json_begin(out, format, request);
    json_text(out, format, 1, "ModuleName", request->module);
    json_key(out, format, 1, ",", "Symbol");
    hf_out_char(out, '[');
}

static void json_call(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_call *call, bool is_first)
{
    if (!is_first)
        hf_out_char(out, ',');
    json_line(out, format, 2);
    hf_out_char(out, '{');
    json_key(out, format, 3, "", "Column");
    hf_out_u64(out, call->column);
    json_number(out, format, 3, "Discriminator", 0);
    if (call->twins != 0)
        json_number(out, format, 3, "EqualFunctions", call->twins);
    json_text(out, format, 3, "FileName", call->file);
    json_key(out, format, 3, ",", "FunctionName");
    hf_out_char(out, '"');
    hf_out_text(out, call->name);
    hf_out_char(out, '"');
    json_number(out, format, 3, "Line", call->line);
    json_text(out, format, 3, "StartAddress", HF_TEXT(""));
    json_text(out, format, 3, "StartFileName", HF_TEXT(""));
    json_number(out, format, 3, "StartLine", 0);
    json_line(out, format, 2);
    hf_out_char(out, '}');
}

static void put_place(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_call *call)
{
    struct hf_text file = call->file.size != 0 ? call->file : HF_TEXT("??");
    if (format->verbose) {
        hf_out_string(out, "  Filename: ");
        hf_escape_terminal(out, file);
        hf_out_printf(out, "\n  Line: %u\n  Column: %u\n", call->line, call->column);
        return;
    }
    hf_escape_terminal(out, file);
    hf_out_char(out, ':');
    hf_out_u64(out, call->line);
    if (format->style == HF_SYMBOLIZER_LLVM) {
        hf_out_char(out, ':');
        hf_out_u64(out, call->column);
    }
    hf_out_char(out, '\n');
}

void hf_symbolizer_call(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_call *call, bool is_first)
{
    if (format->style == HF_SYMBOLIZER_JSON) {
        json_call(out, format, call, is_first);
        return;
    }
    if (format->functions) {
        if (format->pretty && !is_first)
            hf_out_string(out, " (inlined by) ");
        hf_out_text(out, call->name.size != 0 ? call->name : HF_TEXT("??"));
        hf_out_string(out, format->pretty ? " at " : "\n");
    }
    put_place(out, format, call);
}

void hf_symbolizer_end(struct hf_out *out, const struct hf_symbolizer_format *format)
{
    if (format->style != HF_SYMBOLIZER_JSON) {
        put_footer(out, format);
        return;
    }
    json_line(out, format, 1);
    hf_out_char(out, ']');
    json_end(out, format);
}

void hf_symbolizer_variable(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request, struct hf_text name, uint64_t start, uint64_t size)
{
    if (format->style != HF_SYMBOLIZER_JSON) {
        put_request(out, format, request);
        hf_out_text(out, name.size != 0 ? name : HF_TEXT("??"));
        hf_out_char(out, '\n');
        hf_out_u64(out, start);
        hf_out_char(out, ' ');
        hf_out_u64(out, size);
        hf_out_char(out, '\n');
        put_footer(out, format);
        return;
    }
    json_begin(out, format, request);
    json_key(out, format, 1, ",", "Data");
    hf_out_char(out, '{');
    json_key(out, format, 2, "", "Name");
    hf_out_char(out, '"');
    hf_out_text(out, name);
    hf_out_char(out, '"');
    json_hex(out, format, 2, ",", "Size", size);
    json_hex(out, format, 2, ",", "Start", start);
    json_line(out, format, 1);
    hf_out_char(out, '}');
    json_text(out, format, 1, "ModuleName", request->module);
    json_end(out, format);
}

void hf_symbolizer_frame(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request)
{
    if (format->style != HF_SYMBOLIZER_JSON) {
        put_request(out, format, request);
        hf_out_string(out, "??\n");
        put_footer(out, format);
        return;
    }
    json_begin(out, format, request);
    json_key(out, format, 1, ",", "Frame");
    hf_out_string(out, "[]");
    json_text(out, format, 1, "ModuleName", request->module);
    json_end(out, format);
}

void hf_symbolizer_error(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request, bool has_address, struct hf_text message)
{
    if (has_address)
        json_begin(out, format, request);
    else
        hf_out_char(out, '{');
    json_key(out, format, 1, has_address ? "," : "", "Error");
    hf_out_char(out, '{');
    json_key(out, format, 2, "", "Message");
    hf_json_string(out, "", message);
    json_line(out, format, 1);
    hf_out_char(out, '}');
    json_text(out, format, 1, "ModuleName", request->module);
    json_end(out, format);
}
