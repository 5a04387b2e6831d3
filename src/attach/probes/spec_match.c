#include "attach/probes/spec_match.h"

#include "attach/probes/malloc_owner.h"
#include "base/containers/vec.h"
#include "elf/symtab.h"
#include "spec/pattern.h"

#include <stdlib.h>

/* What is asked of the symbols of a file. */
struct question {
    struct hf_spec_match *fit;
    uint32_t image;
    struct hf_text name;
    bool is_found;
    enum hf_status status;
    struct hf_error *err;
};

static const struct hf_code_image *spec_match_image_of(
    const struct hf_spec_match *fit, uint32_t image)
{
    return &fit->images->images[image];
}

static void see_name(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)type;
    (void)is_local;
    struct question *question = context;
    question->is_found = question->is_found || hf_text_equal(symbol->name, question->name);
}

static bool spec_match_passes(const struct hf_elf *elf, const struct hf_spec_test *test)
{
    if (test->is_string)
        return memmem(elf->bytes.data, elf->bytes.size, test->text.data, test->text.size) != NULL;
    struct question question = {.name = test->text};
    (void)!hf_symtab_each(elf, see_name, &question, NULL);
    return question.is_found;
}

/* True if the file has all of one `detect` line, or there is none. */
static bool is_detected(const struct hf_elf *elf, const struct hf_spec *spec)
{
    bool has_all = true;
    for (size_t i = 0; i < spec->test_count; i++) {
        if (i != 0 && spec->tests[i].line != spec->tests[i - 1].line) {
            if (has_all)
                return true;
            has_all = true;
        }
        has_all = has_all && spec_match_passes(elf, &spec->tests[i]);
    }
    return has_all;
}

static bool is_object(const struct hf_spec_match *fit, const struct hf_spec *spec, uint32_t image)
{
    struct hf_text name = hf_text_basename(hf_text_of(spec_match_image_of(fit, image)->path));
    for (size_t i = 0; i < spec->object_count; i++) {
        const struct hf_spec_object *object = &spec->objects[i];
        bool is_of_program = object->kind == HF_SPEC_EXE || object->kind == HF_SPEC_KERNEL;
        if ((is_of_program && image == fit->program) ||
            (object->kind == HF_SPEC_AUTO && image == fit->malloc_owner) ||
            (object->kind == HF_SPEC_LIBRARY && image != fit->program &&
                hf_glob_matches(object->glob, name)))
            return true;
    }
    return false;
}

static enum hf_status add_object(
    struct hf_spec_match *fit, uint32_t image, struct hf_text prefix, struct hf_error *err)
{
    for (size_t i = 0; i < fit->count; i++)
        if (fit->items[i].image == image && hf_text_equal(fit->items[i].prefix, prefix))
            return HF_OK;
    if (!hf_vec_reserve(&fit->items, &fit->capacity, fit->count + 1, sizeof *fit->items))
        return hf_error_memory(err);
    fit->items[fit->count++] = (struct hf_spec_match_object){image, prefix};
    return HF_OK;
}

static void see_prefix(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)is_local;
    struct question *question = context;
    struct hf_text prefix;
    if (question->status == HF_OK && type != STT_OBJECT &&
        hf_glob_find_star(question->name, symbol->name, &prefix))
        question->status = add_object(question->fit, question->image, prefix, question->err);
}

enum hf_status hf_spec_match_find(
    struct hf_spec_match *fit, const struct hf_spec *spec, struct hf_error *err)
{
    struct question question = {.fit = fit, .name = spec->prefix, .status = HF_OK, .err = err};
    fit->count = 0;
    for (uint32_t i = 0; i < fit->images->image_count && question.status == HF_OK; i++) {
        const struct hf_elf *elf = &spec_match_image_of(fit, i)->elf;
        if (!is_object(fit, spec, i) || !is_detected(elf, spec))
            continue;
        question.image = i;
        if (spec->prefix.size == 0)
            question.status = add_object(fit, i, HF_TEXT(""), err);
        else
            (void)!hf_symtab_each(elf, see_prefix, &question, NULL);
    }
    return question.status;
}

/* Its program has the table of Go's runtime (elf/go_table.h), and nobody else's malloc. */
static bool is_go(const struct hf_spec_match *fit)
{
    return fit->malloc_owner == HF_NO_IMAGE && fit->program != HF_NO_IMAGE &&
           (hf_elf_section(&spec_match_image_of(fit, fit->program)->elf, ".gopclntab") != NULL ||
               hf_elf_section(
                   &spec_match_image_of(fit, fit->program)->elf, ".data.rel.ro.gopclntab") != NULL);
}

enum hf_status hf_spec_match_refuse(
    const struct hf_spec_match *fit, const struct hf_specs *specs, struct hf_error *err)
{
    const struct hf_spec *spec = &specs->items[specs->count - 1];
    struct hf_text wanted = spec->test_count != 0 ? spec->tests[0].text : spec->prefix;
    if (fit->images->image_count == 0)
        return hf_error_set(err, HF_ERR_INPUT,
            "process %u has no program file: it is a kernel thread, or has ended",
            fit->images->pid);
    if (spec->objects[0].kind == HF_SPEC_AUTO && is_go(fit))
        return hf_error_set(err, HF_ERR_INPUT,
            "process %u is a Go program, which has an allocator of its own: --what fault shows "
            "what "
            "makes its memory grow",
            fit->images->pid);
    if (fit->malloc_owner == HF_NO_IMAGE && spec->objects[0].kind == HF_SPEC_AUTO)
        return hf_error_set(err, HF_ERR_INPUT,
            "process %u: none of its mapped files exports malloc; in a stripped static program, "
            "functions cannot be found",
            fit->images->pid);
    return hf_error_set(err, HF_ERR_INPUT,
        "process %u does not match spec %.*s: it has mapped none of the files that the spec "
        "names%s%.*s",
        fit->images->pid, (int)spec->name.size, spec->name.data,
        wanted.size != 0 ? " and has " : "", (int)wanted.size, wanted.data);
}

struct hf_spec_match hf_spec_match_of(const struct hf_images *images)
{
    return (struct hf_spec_match){.images = images,
        .program = hf_images_program(images),
        .malloc_owner = hf_malloc_owner(images)};
}

void hf_spec_match_done(struct hf_spec_match *fit)
{
    free(fit->items);
    *fit = (struct hf_spec_match){0};
}
