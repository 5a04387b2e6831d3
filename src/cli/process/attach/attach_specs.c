#include "cli/process/attach/attach_specs.h"

#include "os/input.h"
#include "spec/presets.h"

#include <stdlib.h>

void hf_attach_specs_done(struct hf_attach_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++)
        free(specs->files[i]);
}

static enum hf_status add_preset(
    struct hf_session_options *session, const char *name, struct hf_error *err)
{
    struct hf_session_spec *spec = &session->specs[session->spec_count];
    spec->name = name;
    if (hf_spec_preset(hf_text_of(name), &spec->text)) {
        session->spec_count++;
        return HF_OK;
    }
    struct hf_out known = {0};
    for (size_t i = 0; hf_spec_preset_names[i] != NULL; i++)
        hf_out_printf(&known, "%s%s", i != 0 ? ", " : "", hf_spec_preset_names[i]);
    hf_error_set(err, HF_ERR_USAGE, "there is no built-in spec '%s'; there are: %.*s", name,
        (int)known.size, known.data);
    hf_out_done(&known);
    return HF_ERR_USAGE;
}

static enum hf_status add_spec_file(struct hf_attach_specs *specs,
    struct hf_session_options *session, const char *path, struct hf_error *err)
{
    struct hf_input input;
    struct hf_text bytes;
    struct hf_session_spec *spec = &session->specs[session->spec_count];
    enum hf_status status = hf_input_open(&input, path, err);
    if (status != HF_OK)
        return status;
    status = hf_input_peek(&input, HF_SPEC_PEEK_BYTES, &bytes, err);
    char *copy = status == HF_OK ? malloc(bytes.size + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, bytes.data, bytes.size);
        specs->files[specs->count++] = copy;
        *spec = (struct hf_session_spec){path, {copy, bytes.size}};
        session->spec_count++;
    } else if (status == HF_OK) {
        status = hf_error_memory(err);
    }
    hf_input_close(&input);
    return status;
}

enum hf_status hf_attach_specs_choose(struct hf_attach_specs *specs,
    const struct hf_attach_options *options, struct hf_session_options *session,
    struct hf_error *err)
{
    static const char *const pools[] = {"postgres", "greenplum", NULL};
    const char *what = options->what != NULL ? options->what : "malloc";
    const char *const *presets = hf_spec_malloc_presets;
    enum hf_status status = HF_OK;
    struct hf_text text;
    if (options->what != NULL && options->specs.count != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--what and --spec exclude each other");
    if (options->specs.count > HF_SESSION_SPECS_MAX)
        return hf_error_set(
            err, HF_ERR_USAGE, "--spec: at most %d may be given", HF_SESSION_SPECS_MAX);
    for (size_t i = 0; i < options->specs.count && status == HF_OK; i++) {
        const char *name = options->specs.items[i];
        status = hf_spec_preset(hf_text_of(name), &text) || strpbrk(name, "/.") == NULL
                     ? add_preset(session, name, err)
                     : add_spec_file(specs, session, name, err);
    }
    if (options->specs.count != 0)
        return status;
    if (strcmp(what, "fault") == 0) {
        session->with_faults = true;
        return HF_OK;
    }
    if (strcmp(what, "mmap") == 0 || strcmp(what, "brk") == 0)
        return add_preset(session, what, err);
    if (strcmp(what, "pool") == 0)
        presets = pools;
    else if (strcmp(what, "malloc") != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--what: expected malloc, pool, mmap, brk or fault, found '%s'", what);
    session->is_any_spec = true;
    for (size_t i = 0; presets[i] != NULL && status == HF_OK; i++)
        status = add_preset(session, presets[i], err);
    return status;
}

enum hf_status hf_attach_specs_print(const char *name, struct hf_error *err)
{
    struct hf_session_options found = {0};
    struct hf_output output;
    enum hf_status status = add_preset(&found, name, err);
    if (status == HF_OK)
        status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    hf_out_text(&output.out, found.specs[0].text);
    return hf_output_close(&output, status, err);
}
