#include "spec/script_source.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#define NO_FILE UINT32_MAX
#define NEVER UINT32_MAX /* in the place of a count of callers: it does not hand on */
#define CALLERS_MIN 2
#define FILES_MAX 256
#define FILE_BYTES_MAX (4u << 20) /* the largest of Python's own: 0.3 MB */
#define DECORATED_LINES 400       /* of a function, above which its "def" is not looked for */
#define DECORATORS_MAX 16
#define PATH_STEPS 20000 /* to open a file, or not */

bool hf_script_lines_find(struct hf_script_lines *lines, struct hf_text text)
{
    *lines = (struct hf_script_lines){.text = text};
    size_t at = 0;
    while (at < text.size) {
        if (!hf_vec_reserve(
                &lines->starts, &lines->capacity, lines->count + 1, sizeof *lines->starts))
            return false;
        lines->starts[lines->count++] = (uint32_t)at;
        at += hf_text_find(hf_text_from(text, at), '\n') + 1;
    }
    return true;
}

void hf_script_lines_done(struct hf_script_lines *lines)
{
    hf_budget_put_back(lines->capacity * sizeof *lines->starts);
    free(lines->starts);
    *lines = (struct hf_script_lines){0};
}

/* Counted from 1; empty: there is no such line. */
static struct hf_text script_line_at(const struct hf_script_lines *lines, uint32_t line)
{
    if (line == 0 || line > lines->count)
        return (struct hf_text){NULL, 0};
    struct hf_text rest = hf_text_from(lines->text, lines->starts[line - 1]);
    return hf_text_first(rest, hf_text_find(rest, '\n'));
}

static size_t script_indent(struct hf_text line)
{
    return line.size - hf_text_trim_start(line, " \t").size;
}

static bool script_is_word(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_' || c == '$';
}

/* "a = b", "a ||= b"; not "a == b", "a => b" or "a =~ b". */
static bool script_assigns(struct hf_text line)
{
    for (size_t i = 1; i + 1 < line.size; i++) {
        char before = line.data[i - 1], after = line.data[i + 1];
        if (line.data[i] == '=' && strchr("=<>!~", before) == NULL && strchr("=>~", after) == NULL)
            return true;
    }
    return false;
}

/* A container is told to keep something, in the words of any language. */
static bool script_stores(struct hf_text line)
{
    static const char *const verbs[] = {"setdefault", "append", "push", "add", "insert", "set",
        "put", "store", "unshift", "array_push", "setItem", "remember"};
    for (size_t i = 0; i < HF_COUNT(verbs); i++) {
        struct hf_text rest = line;
        size_t size = strlen(verbs[i]), at;
        while ((at = hf_text_find_string(rest, verbs[i])) != rest.size) {
            bool is_whole = (at == 0 || !script_is_word(rest.data[at - 1])) &&
                            at + size < rest.size && rest.data[at + size] == '(';
            if (is_whole)
                return true;
            rest = hf_text_from(rest, at + size);
        }
    }
    return false;
}

/* The decorators above a "def" keep what it returns. */
static bool python_keeps(const struct hf_script_lines *lines, uint32_t line)
{
    size_t indent = script_indent(script_line_at(lines, line));
    for (uint32_t above = line - 1; above > 0 && line - above < DECORATED_LINES; above--) {
        struct hf_text text = script_line_at(lines, above);
        struct hf_text rest = hf_text_trim_start(text, " \t");
        if (script_indent(text) >= indent ||
            (!hf_text_starts(rest, "def ") && !hf_text_starts(rest, "async def ")))
            continue;
        for (uint32_t i = 1; i <= DECORATORS_MAX && i < above; i++) {
            rest = hf_text_trim_start(script_line_at(lines, above - i), " \t");
            if (!hf_text_starts(rest, "@"))
                return false;
            if (hf_text_has(rest, "cache") || hf_text_has(rest, "memo"))
                return true;
        }
        return false;
    }
    return false;
}

bool hf_script_line_hands_on(const struct hf_script_lines *lines, uint32_t line, bool is_python)
{
    struct hf_text text = hf_text_trim_start(script_line_at(lines, line), " \t");
    if (!hf_text_take(&text, "return") || text.size == 0 || script_is_word(text.data[0]))
        return false;
    bool keeps =
        is_python ? hf_text_has(text, ":=") || python_keeps(lines, line) : script_assigns(text);
    return !keeps && !script_stores(text);
}

static bool script_is_called(struct hf_text path, bool *out_is_python)
{
    static const char *const endings[] = {
        ".py", ".php", ".pl", ".pm", ".rb", ".js", ".mjs", ".cjs", ".ts", ".lua"};
    for (size_t i = 0; i < HF_COUNT(endings); i++) {
        *out_is_python = i == 0;
        if (hf_text_ends(path, endings[i]))
            return true;
    }
    return false;
}

/* Opens a file, if it is a script, and finds its lines. */
static bool script_read(struct hf_script_file *file, struct hf_text path)
{
    char name[PATH_MAX];
    struct hf_error ignored;
    if (path.size >= sizeof name || memchr(path.data, '\0', path.size) != NULL ||
        !script_is_called(path, &file->is_python))
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
    bool is_python;
    if (name.size == 0 || !script_is_called(file, &is_python))
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
    if (source == NULL || !hf_script_line_hands_on(&source->lines, line, source->is_python))
        *known = NEVER;
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
    if (is_new && *known < CALLERS_MIN)
        ++*known;
    return HF_OK;
}

static uint32_t script_known(const struct hf_script_functions *functions, uint64_t function)
{
    const uint32_t *known = function != 0 ? hf_map_find(&functions->known, function) : NULL;
    return known != NULL ? *known : NEVER;
}

bool hf_script_functions_may_hand_on(const struct hf_script_functions *functions, uint64_t function)
{
    return script_known(functions, function) != NEVER;
}

bool hf_script_functions_hand_on(const struct hf_script_functions *functions, uint64_t function)
{
    return script_known(functions, function) == CALLERS_MIN;
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
