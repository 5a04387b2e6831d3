#include "render/page/page_sources.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/strings/escape.h"
#include "os/file.h"
#include "os/path.h"
#include "symbol/files/debug_source.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define LINES_AROUND 30u      /* a place, in its file */
#define LINE_BYTES 500u       /* of a line: generated ones are longer */
#define FILES_LOOKED_FOR 256u /* mostly they are all there or none is */
#define FOLDERS_DROPPED 32u   /* off the front of a path */
#define MISSES_AT_MOST 3u /* files of a module that no server has; then it is asked for no more */

struct page_sources_file {
    uint32_t file; /* a string of the profile */
    size_t chosen; /* its lines that matter */
    bool is_found, is_newer, is_fetched;
    struct hf_file_map map;
    char path[PATH_MAX];
};

struct page_sources_maker {
    const struct hf_page_sources_options *options;
    struct hf_notes *notes;
    struct hf_out *out;
    struct hf_page_lines lines;
    const struct hf_page_line **order; /* by rank, then by place */
    bool *is_chosen;                   /* by line */
    struct page_sources_file *files;
    size_t file_count, written;
    uint32_t *module_of; /* by string of the profile: of the files */
    uint8_t *misses;     /* by module */
    bool is_full;
};

/* By the end of its name: a profile must not choose what else of a disk stands in a page. */
static bool is_called_source(struct hf_text path)
{
    static const char *const endings[] = {"c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "c++",
        "h++", "C", "H", "inl", "ipp", "tcc", "tpp", "cu", "m", "mm", "rs", "go", "py", "pyx",
        "pxd", "pxi", "js", "mjs", "cjs", "ts", "jsx", "tsx", "java", "kt", "scala", "clj",
        "groovy", "rb", "php", "pl", "pm", "lua", "f", "for", "f90", "f95", "f03", "f08", "zig",
        "nim", "d", "ml", "hs", "swift", "cs", "fs", "vala", "s", "S", "asm", "erl", "ex", "exs",
        "jl", "r", "R", "cr", "pas", "adb", "ads", "y", "l", "v"};
    struct hf_text name = hf_text_basename(path);
    size_t dot = hf_text_find_last(name, '.');
    for (size_t i = 0; dot != 0 && i < HF_COUNT(endings); i++) {
        if (hf_text_is(hf_text_from(name, dot + 1), endings[i]))
            return true;
    }
    return false;
}

/* Without "." and "..", of which those at the front lead nowhere; no slash in front. */
static bool clean_path(struct hf_text path, char out_path[PATH_MAX])
{
    size_t size = 0;
    if (path.size + 1 >= PATH_MAX || memchr(path.data, '\0', path.size) != NULL)
        return false;
    while (path.size != 0) {
        struct hf_text part = hf_text_first(path, hf_text_find(path, '/'));
        path = hf_text_from(path, part.size + 1);
        if (hf_text_is(part, "..")) {
            while (size != 0 && out_path[--size] != '/')
                ;
        } else if (part.size != 0 && !hf_text_is(part, ".")) {
            if (size != 0)
                out_path[size++] = '/';
            memcpy(out_path + size, part.data, part.size);
            size += part.size;
        }
    }
    out_path[size] = '\0';
    return size != 0;
}

static bool open_at(struct page_sources_file *file, const char *folder, const char *rest)
{
    struct hf_error ignored;
    return hf_path_format(file->path, "%s/%s", folder, rest) &&
           hf_file_map_open(&file->map, file->path, &ignored) == HF_OK;
}

/* In the folder, with fewer and fewer of the path's own. */
static bool open_below(struct page_sources_file *file, const char *folder, const char *rest)
{
    for (size_t i = 0; rest != NULL && i <= FOLDERS_DROPPED; i++) {
        if (open_at(file, folder, rest))
            return true;
        rest = strchr(rest, '/');
        rest = rest != NULL ? rest + 1 : NULL;
    }
    return false;
}

/* From a server, or what it sent before. */
static bool fetch_source(
    struct page_sources_maker *m, struct page_sources_file *file, const char *clean)
{
    const struct hf_profile *p = m->options->by_line;
    uint32_t module = m->module_of[file->file];
    struct hf_text build_id = hf_profile_text(p, p->modules[module].build_id);
    struct hf_error ignored;
    int fd;
    if (build_id.size == 0 || m->misses[module] == MISSES_AT_MOST)
        return false;
    file->is_fetched = hf_debug_source_open(build_id, hf_text_of(clean), &fd);
    m->misses[module] += !file->is_fetched; /* whatever the reason: paths are private */
    if (!file->is_fetched)
        return false;
    bool is_open = hf_path_format(file->path, "/%s", clean) &&
                   hf_file_map_descriptor(&file->map, fd, file->path, &ignored) == HF_OK;
    close(fd);
    return is_open;
}

static bool open_source(
    struct page_sources_maker *m, struct page_sources_file *file, struct hf_text path)
{
    const struct hf_page_sources_options *o = m->options;
    char clean[PATH_MAX];
    if (!is_called_source(path) || !clean_path(path, clean))
        return false;
    for (size_t i = 0; i < o->folder_count; i++) {
        if (open_below(file, o->folders[i], clean))
            return true;
    }
    return hf_text_starts(path, "/") && (open_at(file, "", clean) || fetch_source(m, file, clean));
}

/* What is open is text, and not too much of it. */
static bool is_source(struct page_sources_maker *m, const struct page_sources_file *file)
{
    if (file->map.size > HF_LIMIT_SOURCE_FILE_BYTES) {
        hf_notes_add(m->notes, HF_NOTE_INFO,
            "%s has more than %u bytes (HF_LIMIT_SOURCE_FILE_BYTES), so the page does not show it",
            file->path, HF_LIMIT_SOURCE_FILE_BYTES);
        return false;
    }
    return file->map.size != 0 && memchr(file->map.data, '\0', file->map.size) == NULL;
}

/* What is known of a file, which is looked for if it is new; NULL: no more are looked for. */
static struct page_sources_file *file_of(struct page_sources_maker *m, uint32_t id)
{
    const struct hf_profile *p = m->options->by_line;
    for (size_t i = 0; i < m->file_count; i++) {
        if (m->files[i].file == id)
            return &m->files[i];
    }
    if (m->file_count == FILES_LOOKED_FOR)
        return NULL;
    struct page_sources_file *file = &m->files[m->file_count++];
    *file = (struct page_sources_file){.file = id};
    if (!open_source(m, file, hf_profile_text(p, id)))
        return file;
    file->is_found = is_source(m, file);
    file->is_newer = !file->is_fetched && p->capture.began_ms != 0 &&
                     file->map.stamp.modified_ns / 1000000 > (int64_t)p->capture.began_ms;
    if (!file->is_found)
        hf_file_map_close(&file->map);
    return file;
}

static size_t choose_places(struct page_sources_maker *m)
{
    bool is_asked = m->options->places != HF_PAGE_SOURCES_UNASKED;
    uint64_t left = is_asked ? m->options->places : HF_PAGE_SOURCE_PLACES;
    size_t found = 0;
    hf_page_lines_rank(&m->lines, m->order);
    for (size_t i = 0; left > 0 && i < m->lines.count; i++) {
        struct page_sources_file *file =
            m->order[i]->weight != 0 ? file_of(m, m->order[i]->file) : NULL;
        if (file == NULL || !file->is_found)
            continue;
        m->is_chosen[m->order[i] - m->lines.items] = true;
        found += file->chosen++ == 0;
        left--;
    }
    return found;
}

/* A line as a JSON string; tabs stay. */
static void page_sources_put_line(struct hf_out *out, struct hf_text text)
{
    struct hf_text shown = hf_text_first(text, LINE_BYTES);
    if (hf_text_ends(shown, "\r"))
        shown.size--;
    while (shown.size < text.size && shown.size != 0 && (text.data[shown.size] & 0xc0) == 0x80)
        shown.size--; /* not inside a letter */
    bool is_cut = shown.size < text.size && text.data[shown.size] != '\r';
    hf_out_char(out, '"');
    while (shown.size != 0) {
        struct hf_text piece = hf_text_first(shown, hf_text_find(shown, '\t'));
        hf_escape_json(out, piece);
        if (piece.size < shown.size)
            hf_out_string(out, "\\t");
        shown = hf_text_from(shown, piece.size + 1);
    }
    hf_out_string(out, is_cut ? " \xe2\x80\xa6\"" : "\"");
}

/* The lines of one file, by number. */
struct page_sources_lines {
    const struct hf_page_line **items;
    size_t count;
};

/* True if a chosen line is not far away. `*at`: the first line that is not far above. */
static bool is_near_place(const struct page_sources_maker *m, struct page_sources_lines lines,
    uint32_t number, size_t *at)
{
    while (*at < lines.count && (uint64_t)lines.items[*at]->number + LINES_AROUND < number)
        ++*at;
    for (size_t i = *at; i < lines.count && lines.items[i]->number <= number + LINES_AROUND; i++) {
        if (m->is_chosen[lines.items[i] - m->lines.items])
            return true;
    }
    return false;
}

static void put_pieces(struct page_sources_maker *m, const struct page_sources_file *file,
    struct page_sources_lines lines)
{
    struct hf_text rest = {(const char *)file->map.data, file->map.size};
    const char *between = "";
    bool is_inside = false;
    size_t at = 0;
    hf_out_string(m->out, "\"pieces\":[");
    for (uint32_t number = 1; rest.size != 0 && number < UINT32_MAX - LINES_AROUND; number++) {
        struct hf_text text = hf_text_first(rest, hf_text_find(rest, '\n'));
        bool is_shown = !m->is_full && is_near_place(m, lines, number, &at);
        rest = hf_text_from(rest, text.size + 1);
        if (is_inside && !is_shown)
            hf_out_string(m->out, "]}");
        if (is_shown && !is_inside)
            hf_out_printf(m->out, "%s{\"first\":%" PRIu32 ",\"lines\":[", between, number);
        if (is_shown) {
            hf_out_string(m->out, is_inside ? "," : "");
            page_sources_put_line(m->out, text);
            between = ",";
        }
        is_inside = is_shown;
        m->is_full |= m->out->size > HF_LIMIT_SOURCE_BYTES;
    }
    hf_out_string(m->out, is_inside ? "]}]" : "]");
}

/* Which type of the lines' profile the page calls `type`. */
static size_t type_in_lines(const struct page_sources_maker *m, size_t type)
{
    const struct hf_profile *shown = m->options->shown;
    size_t found;
    struct hf_text name = hf_profile_text(shown, shown->types[type].name);
    return hf_profile_find_type(m->options->by_line, name, &found) ? found : SIZE_MAX;
}

static void page_sources_put_held(struct page_sources_maker *m, struct page_sources_lines lines)
{
    const char *between = "";
    size_t at = 0;
    hf_out_string(m->out, ",\"held\":[");
    for (size_t i = 0; i < lines.count; i++) {
        if (!is_near_place(m, lines, lines.items[i]->number, &at))
            continue;
        hf_out_printf(m->out, "%s[%" PRIu32, between, lines.items[i]->number);
        for (size_t type = 0; type < m->options->shown->type_count; type++) {
            const uint64_t *held =
                hf_page_lines_held(&m->lines, lines.items[i], type_in_lines(m, type));
            hf_out_printf(m->out, ",%" PRIu64 ",%" PRIu64, held[0], held[1]);
        }
        hf_out_char(m->out, ']');
        between = ",";
    }
    hf_out_string(m->out, "]}");
}

/* Nothing of a file that was cut while it was read. */
static void page_sources_put_file(
    struct page_sources_maker *m, const struct page_sources_file *file)
{
    size_t before = m->out->size, first = 0;
    while (m->order[first]->file != file->file)
        first++;
    struct page_sources_lines lines = {m->order + first, 0};
    while (first + lines.count < m->lines.count && lines.items[lines.count]->file == file->file)
        lines.count++;
    hf_out_string(m->out, m->written == 0 ? "[{\"file\":\"" : ",{\"file\":\"");
    hf_escape_json(m->out, hf_profile_text(m->options->by_line, file->file));
    hf_out_printf(m->out, "\",\"isNewer\":%s,", file->is_newer ? "true" : "false");
    put_pieces(m, file, lines);
    page_sources_put_held(m, lines);
    if (hf_file_map_is_whole(&file->map))
        m->written++;
    else
        m->out->size = before;
}

static void page_sources_put_all(struct page_sources_maker *m)
{
    hf_page_lines_sort(&m->lines, m->order);
    for (size_t i = 0; i < m->file_count && !m->is_full; i++) {
        if (m->files[i].chosen != 0)
            page_sources_put_file(m, &m->files[i]);
    }
    hf_out_string(m->out, m->written != 0 ? "]" : "");
    if (m->is_full)
        hf_notes_add(m->notes, HF_NOTE_INFO,
            "the page shows the first %u bytes of source (HF_LIMIT_SOURCE_BYTES) of the places "
            "that matter; ask for fewer with --source",
            HF_LIMIT_SOURCE_BYTES);
}

static void find_modules(struct page_sources_maker *m)
{
    const struct hf_profile *p = m->options->by_line;
    for (uint32_t i = 0; i < p->frames.count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(p, i);
        if (frame->module != HF_NO_MODULE)
            m->module_of[frame->file] = frame->module;
    }
}

static enum hf_status page_sources_make(struct page_sources_maker *m, struct hf_error *err)
{
    const struct hf_page_sources_options *o = m->options;
    size_t type = type_in_lines(m, o->type);
    enum hf_status status =
        hf_page_lines_init(&m->lines, o->by_line, type, o->trie, o->owners, err);
    if (status != HF_OK)
        return status;
    m->order = (const struct hf_page_line **)hf_budget_calloc(m->lines.count + 1, sizeof *m->order);
    m->is_chosen = hf_budget_calloc(m->lines.count + 1, sizeof *m->is_chosen);
    m->files = hf_budget_calloc(FILES_LOOKED_FOR, sizeof *m->files);
    m->module_of = hf_budget_calloc((size_t)o->by_line->strings.count + 1, sizeof *m->module_of);
    m->misses = hf_budget_calloc(o->by_line->module_count + 1, sizeof *m->misses);
    if (m->order == NULL || m->is_chosen == NULL || m->files == NULL || m->module_of == NULL ||
        m->misses == NULL)
        return hf_error_memory(err);
    find_modules(m);
    if (choose_places(m) != 0)
        page_sources_put_all(m);
    return HF_OK;
}

enum hf_status hf_page_sources(const struct hf_page_sources_options *options,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct page_sources_maker m = {.options = options, .notes = notes, .out = out};
    enum hf_status status =
        options->by_line != NULL && options->places != 0 ? page_sources_make(&m, err) : HF_OK;
    if (status == HF_OK && m.written == 0 && options->places != 0 &&
        options->places != HF_PAGE_SOURCES_UNASKED)
        hf_notes_add(notes, HF_NOTE_INFO,
            "no source was found: either frames have no lines, or their files are elsewhere; "
            "--source-dir says where");
    for (size_t i = 0; i < m.file_count; i++) {
        if (m.files[i].is_found)
            hf_file_map_close(&m.files[i].map);
    }
    hf_page_lines_done(&m.lines);
    hf_budget_free((void *)m.order);
    hf_budget_free(m.is_chosen);
    hf_budget_free(m.files);
    hf_budget_free(m.module_of);
    hf_budget_free(m.misses);
    return status;
}
