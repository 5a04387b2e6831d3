#include "spec/script_source.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"

#include <limits.h>
#include <stdlib.h>

#define NO_FILE UINT32_MAX
/* Of `known`. */
#define HANDS_ON 1u /* a line of it does */
#define CALLED 2u
#define SHARED 4u        /* called by several */
#define NEVER UINT32_MAX /* a line of it keeps */
#define FILES_MAX 256
#define FILE_BYTES_MAX (4u << 20) /* the largest of Python's own: 0.3 MB */
#define PATH_STEPS 20000          /* to open a file, or not */
#define LINE_STEPS 20000          /* to look at the lines of a function */

static bool script_is_called(struct hf_text path, enum hf_script_language *out_language)
{
    static const char *const endings[] = {
        ".php", ".pl", ".pm", ".js", ".mjs", ".cjs", ".ts", ".lua"};
    *out_language = hf_text_ends(path, ".py")   ? HF_SCRIPT_PYTHON
                    : hf_text_ends(path, ".rb") ? HF_SCRIPT_RUBY
                                                : HF_SCRIPT_OTHER;
    for (size_t i = 0; i < HF_COUNT(endings); i++) {
        if (hf_text_ends(path, endings[i]))
            return true;
    }
    return *out_language != HF_SCRIPT_OTHER;
}

/* Opens a file, if it is a script, and finds its lines. */
static bool script_read(struct hf_script_file *file, struct hf_text path)
{
    char name[PATH_MAX];
    struct hf_error ignored;
    if (path.size >= sizeof name || memchr(path.data, '\0', path.size) != NULL ||
        !script_is_called(path, &file->language))
        return true;
    memcpy(name, path.data, path.size);
    name[path.size] = '\0';
    if (hf_file_map_open(&file->map, name, &ignored) != HF_OK)
        return true;
    struct hf_text text = {(const char *)file->map.data, file->map.size};
    if (text.size == 0 || text.size > FILE_BYTES_MAX || !hf_budget_step(text.size))
        return true;
    return hf_script_lines_find(&file->lines, text);
}

/* The file of a path, which is looked for once; NULL: no more are. */
static enum hf_status script_file_of(struct hf_script_functions *functions, struct hf_text path,
    struct hf_script_file **out_file, struct hf_error *err)
{
    bool is_new;
    *out_file = NULL;
    if (!hf_budget_step(PATH_STEPS))
        return hf_budget_refuse(err);
    uint32_t *number = hf_map_put(&functions->paths, hf_hash_bytes(path.data, path.size),
        functions->count < FILES_MAX ? (uint32_t)functions->count : NO_FILE, &is_new);
    if (number == NULL || !hf_vec_reserve(&functions->files, &functions->capacity,
                              functions->count + 1, sizeof *functions->files))
        return hf_error_memory(err);
    if (*number == NO_FILE)
        return HF_OK;
    *out_file = &functions->files[*number];
    if (!is_new)
        return HF_OK;
    **out_file = (struct hf_script_file){0};
    functions->count++;
    return script_read(*out_file, path) ? HF_OK : hf_error_memory(err);
}

uint64_t hf_script_key(struct hf_text name, struct hf_text file)
{
    enum hf_script_language ignored;
    if (name.size == 0 || !script_is_called(file, &ignored))
        return 0;
    return hf_hash_u64(
        hf_hash_bytes(file.data, file.size) ^ hf_hash_u64(hf_hash_bytes(name.data, name.size)));
}

enum hf_status hf_script_functions_add(struct hf_script_functions *functions, struct hf_text name,
    struct hf_text file, uint32_t line, struct hf_error *err)
{
    struct hf_script_file *source = NULL;
    uint64_t function = line != 0 ? hf_script_key(name, file) : 0;
    enum hf_status status = function != 0 ? script_file_of(functions, file, &source, err) : HF_OK;
    if (status != HF_OK || function == 0)
        return status;
    uint32_t *known = hf_map_put(&functions->known, function, 0, NULL);
    if (known == NULL)
        return hf_error_memory(err);
    if (!hf_budget_step(LINE_STEPS))
        return hf_budget_refuse(err);
    enum hf_script_use use = source != NULL
                                 ? hf_script_line_use(&source->lines, line, source->language)
                                 : HF_SCRIPT_KEEPS;
    if (use == HF_SCRIPT_KEEPS)
        *known = NEVER;
    else if (use == HF_SCRIPT_HANDS_ON && *known != NEVER)
        *known |= HANDS_ON;
    return HF_OK;
}

enum hf_status hf_script_functions_call(
    struct hf_script_functions *functions, uint64_t caller, uint64_t callee, struct hf_error *err)
{
    bool is_new;
    uint32_t *known = hf_map_find(&functions->known, callee);
    if (known == NULL || *known == NEVER || caller == callee)
        return HF_OK;
    if (hf_map_put(&functions->calls, hf_hash_u64(caller) ^ callee, 0, &is_new) == NULL)
        return hf_error_memory(err);
    if (is_new)
        *known |= (*known & CALLED) != 0 ? SHARED : CALLED;
    return HF_OK;
}

static uint32_t script_known(const struct hf_script_functions *functions, uint64_t function)
{
    const uint32_t *known = function != 0 ? hf_map_find(&functions->known, function) : NULL;
    return known != NULL ? *known : NEVER;
}

bool hf_script_functions_may_hand_on(const struct hf_script_functions *functions, uint64_t function)
{
    uint32_t known = script_known(functions, function);
    return known != NEVER && (known & HANDS_ON) != 0;
}

enum hf_script_giving hf_script_functions_giving(
    const struct hf_script_functions *functions, uint64_t function)
{
    uint32_t known = script_known(functions, function);
    if (known == NEVER || (known & HANDS_ON) == 0 || (known & CALLED) == 0)
        return HF_SCRIPT_GIVES_NOTHING;
    return (known & SHARED) != 0 ? HF_SCRIPT_GIVES_MANY : HF_SCRIPT_GIVES_ONE;
}

void hf_script_functions_done(struct hf_script_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        hf_script_lines_done(&functions->files[i].lines);
        hf_file_map_close(&functions->files[i].map);
    }
    hf_budget_put_back(functions->capacity * sizeof *functions->files);
    free(functions->files);
    hf_map_done(&functions->known);
    hf_map_done(&functions->calls);
    hf_map_done(&functions->paths);
    *functions = (struct hf_script_functions){0};
}
