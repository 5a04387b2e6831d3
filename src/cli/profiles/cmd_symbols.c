/*
 * cmd_symbols.c: what names can come from: symbols info FILE; and looking them up before they are
 * needed: symbols warm FILE...
 */
#include "base/attr.h"
#include "base/budget.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"
#include "cli/command.h"
#include "compress/inflate.h"
#include "dwarf/unit.h"
#include "elf/go_table.h"
#include "symbol/cache/cache_folder.h"
#include "symbol/callsite.h"
#include "symbol/lookup/lookup.h"

#include <stdlib.h>
#include <string.h>

struct symbols_options {
    struct hf_common common;
    bool is_json;
    struct hf_name_list symdirs;
    double input_budget; /* base/budget.h; 0: not given */
};

#define AT(field) struct symbols_options, field

static const struct hf_option symbols_options[] = {
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {"symdir", 0, HF_OPT_LIST(AT(symdirs), "DIR"), "look for debug files in DIR, too"},
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for a file by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Options", symbols_options},
    {"Help", hf_common_options},
    {0},
};

#define NEWEST_DWARF 5

/* Units of the debug information by version; what is behind a damaged one is not counted. */
struct unit_counts {
    size_t by_version[NEWEST_DWARF + 1];
    size_t total;
    size_t split;           /* skeletons of split DWARF */
    struct hf_error damage; /* status HF_OK: none */
};

static enum hf_status count_units(
    const struct hf_dwarf_sections *sections, struct unit_counts *counts, struct hf_error *err)
{
    struct hf_units units = {0};
    *counts = (struct unit_counts){0};
    enum hf_status status = hf_units_scan(&units, sections, &counts->damage);
    struct hf_dwarf_effort effort;
    hf_dwarf_effort_init(&effort, sections);
    struct hf_dwarf_sections bounded = *sections;
    bounded.effort = &effort;
    if (status != HF_ERR_MEMORY)
        counts->total = units.count;
    for (size_t i = 0; i < counts->total; i++) {
        struct hf_unit *unit = &units.items[i];
        counts->by_version[unit->encoding.version]++;
        counts->split +=
            hf_unit_read_root(unit, &bounded, NULL) == HF_OK && unit->dwo_name.size != 0;
    }
    hf_units_done(&units);
    return status == HF_ERR_MEMORY ? hf_error_memory(err) : HF_OK;
}

static const char *place_word(enum hf_debug_verdict verdict)
{
    static const char *const words[] = {"missing", "another", "taken"};
    return words[verdict];
}

static const char *compression_word(uint32_t type)
{
    return type == HF_COMPRESSION_ZLIB ? "zlib" : type == HF_COMPRESSION_ZSTD ? "zstd" : "unknown";
}

/* The next section from *at on that is a table of symbols; false at the end. */
static bool next_table(const struct hf_elf *elf, size_t *at)
{
    while (*at < elf->section_count && elf->sections[*at].type != SHT_SYMTAB &&
           elf->sections[*at].type != SHT_DYNSYM)
        ++*at;
    return *at < elf->section_count;
}

static size_t symbol_count(const struct hf_elf *elf, const struct hf_elf_section *table)
{
    size_t count = hf_elf_section_bytes(elf, table).size / sizeof(Elf64_Sym);
    return count != 0 ? count - 1 : 0; /* the first is none (gABI, "Symbol Table") */
}

/* The next section from *at on that is compressed. */
static bool next_compressed(
    const struct hf_elf *elf, size_t *at, struct hf_elf_compression *compression)
{
    for (; *at < elf->section_count; ++*at) {
        if (hf_elf_compression(elf, &elf->sections[*at], compression, NULL) == HF_OK &&
            compression->type != 0)
            return true;
    }
    return false;
}

static void put_file(struct hf_out *out, const char *label, const struct hf_elf *elf)
{
    struct hf_elf_compression compression;
    hf_out_printf(out, "%s: ", label);
    hf_escape_terminal(out, hf_text_of(elf->name));
    hf_out_string(out, "\n  build-id: ");
    hf_out_hex_bytes(out, elf->build_id);
    hf_out_string(out, elf->build_id.size != 0 ? "\n" : "none\n");
    for (size_t i = 0; next_table(elf, &i); i++) {
        hf_out_string(out, "  ");
        hf_escape_terminal(out, elf->sections[i].name);
        size_t count = symbol_count(elf, &elf->sections[i]);
        hf_out_printf(out, ": %zu %s\n", count, hf_plural(count, "symbol", "symbols"));
    }
    for (size_t i = 0; next_compressed(elf, &i, &compression); i++) {
        hf_out_string(out, "  ");
        hf_escape_terminal(out, elf->sections[i].name);
        hf_out_printf(out, ": %s, %zu %s for %llu\n", compression_word(compression.type),
            compression.payload.size, hf_plural(compression.payload.size, "byte", "bytes"),
            (unsigned long long)compression.size);
    }
}

/* 0: the image has no table of Go's. */
static uint64_t go_function_count(const struct hf_elf *elf)
{
    struct hf_go_table table;
    return hf_go_table_read(&table, elf) ? table.count : 0;
}

static void symbols_put_text(
    struct hf_out *out, const struct hf_module_files *files, const struct unit_counts *units)
{
    put_file(out, "file", &files->image);
    if (files->debug.section_count != 0)
        put_file(out, files->debug_path != NULL ? "debug file" : "symbols in .gnu_debugdata of",
            &files->debug);
    uint64_t go_functions = go_function_count(&files->image);
    if (go_functions != 0)
        hf_out_printf(out, ".gopclntab: %llu %s of Go\n", (unsigned long long)go_functions,
            hf_plural(go_functions, "function", "functions"));
    if (units->total == 0)
        hf_out_string(out, "debug information: none\n");
    for (size_t version = 0; version <= NEWEST_DWARF; version++) {
        if (units->by_version[version] != 0)
            hf_out_printf(out, "debug information: DWARF %zu, %zu %s\n", version,
                units->by_version[version], hf_plural(units->by_version[version], "unit", "units"));
    }
    if (units->split != 0) {
        const char *package = files->split.package_file.path;
        hf_out_printf(out, "split units: %zu, package: ", units->split);
        hf_escape_terminal(out, hf_text_of(package != NULL ? package : "none"));
        hf_out_char(out, '\n');
    }
    if (files->tried_count != 0)
        hf_out_string(out, "searched for the debug file at:\n");
    for (size_t i = 0; i < files->tried_count; i++) {
        hf_out_string(out, "  ");
        hf_escape_terminal(out, hf_text_of(files->tried[i].path));
        hf_out_printf(out, ": %s\n", place_word(files->tried[i].verdict));
    }
    if (files->cache.entry.answer_count == 0) {
        hf_out_string(out, "cached from earlier runs: nothing\n");
        return;
    }
    hf_out_printf(out, "cached from earlier runs: %llu %s, %zu %s in ",
        (unsigned long long)files->cache.entry.answer_count,
        hf_plural(files->cache.entry.answer_count, "address", "addresses"), files->cache.map.size,
        hf_plural(files->cache.map.size, "byte", "bytes"));
    hf_escape_terminal(out, hf_text_of(files->cache.folder));
    hf_out_printf(out, "/%s\n", files->cache.name);
}

static void put_json_file(struct hf_out *out, const char *key, const struct hf_elf *elf)
{
    struct hf_elf_compression compression;
    bool is_first = true;
    hf_out_printf(out, ",\n  \"%s\": {", key);
    hf_json_member(out, "", "path", hf_text_of(elf->name));
    hf_out_string(out, ", \"build_id\": \"");
    hf_out_hex_bytes(out, elf->build_id);
    hf_out_string(out, "\", \"symbol_tables\": [");
    for (size_t i = 0; next_table(elf, &i); i++, is_first = false) {
        hf_json_member(out, is_first ? "{" : ", {", "section", elf->sections[i].name);
        hf_out_printf(out, ", \"symbols\": %zu}", symbol_count(elf, &elf->sections[i]));
    }
    hf_out_string(out, "], \"compressed\": [");
    is_first = true;
    for (size_t i = 0; next_compressed(elf, &i, &compression); i++, is_first = false) {
        hf_json_member(out, is_first ? "{" : ", {", "section", elf->sections[i].name);
        hf_out_printf(out, ", \"with\": \"%s\", \"size\": %zu, \"unpacked_size\": %llu}",
            compression_word(compression.type), compression.payload.size,
            (unsigned long long)compression.size);
    }
    hf_out_string(out, "]}");
}

static void symbols_put_json(
    struct hf_out *out, const struct hf_module_files *files, const struct unit_counts *units)
{
    bool is_first = true;
    hf_out_string(out, "{\"schema\": \"heapflame.symbols-info/1\"");
    put_json_file(out, "file", &files->image);
    if (files->debug.section_count != 0)
        put_json_file(
            out, files->debug_path != NULL ? "debug_file" : "gnu_debugdata", &files->debug);
    uint64_t go_functions = go_function_count(&files->image);
    if (go_functions != 0)
        hf_out_printf(out, ",\n  \"go\": {\"functions\": %llu}", (unsigned long long)go_functions);
    hf_out_string(out, ",\n  \"dwarf\": [");
    for (size_t version = 0; version <= NEWEST_DWARF; version++) {
        if (units->by_version[version] == 0)
            continue;
        hf_out_printf(out, "%s{\"version\": %zu, \"units\": %zu}", is_first ? "" : ", ", version,
            units->by_version[version]);
        is_first = false;
    }
    hf_out_printf(out, "],\n  \"split\": {\"units\": %zu", units->split);
    if (files->split.package_file.path != NULL) {
        hf_json_member(out, ", ", "package", hf_text_of(files->split.package_file.path));
    }
    hf_out_string(out, "},\n  \"looked_for\": [");
    for (size_t i = 0; i < files->tried_count; i++) {
        hf_json_member(
            out, i == 0 ? "\n    {" : ",\n    {", "path", hf_text_of(files->tried[i].path));
        hf_out_printf(out, ", \"found\": \"%s\"}", place_word(files->tried[i].verdict));
    }
    hf_out_printf(out, "],\n  \"kept\": {\"addresses\": %llu, \"size\": %zu}}\n",
        (unsigned long long)files->cache.entry.answer_count, files->cache.map.size);
}

static void find_package(struct hf_module_files *files, struct hf_notes *notes)
{
    struct hf_error fault;
    char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
    if (hf_split_files_find_package(&files->split, &fault) == HF_OK)
        return;
    hf_error_format(&fault, text, sizeof text);
    hf_notes_add(notes, HF_NOTE_INFO, "%s: %s", files->split.package_file.path, text);
}

static enum hf_status print_info(
    struct symbols_options *options, struct hf_module_files *files, struct hf_error *err)
{
    struct unit_counts units;
    struct hf_output output;
    struct hf_notes notes = {0};
    enum hf_status status = count_units(&files->sections, &units, err);
    if (status == HF_OK && units.split != 0)
        find_package(files, &notes);
    if (status == HF_OK)
        status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK) {
        hf_notes_done(&notes);
        return status;
    }
    struct hf_out shown = {0}; /* nothing is shown of a file that changes while it is read */
    if (options->is_json)
        symbols_put_json(&shown, files, &units);
    else
        symbols_put_text(&shown, files, &units);
    bool is_sound = hf_module_files_are_sound(files);
    if (is_sound && hf_out_finish(&shown, &output.out.error) == HF_OK)
        hf_out_text(&output.out, hf_out_view(&shown));
    else if (!is_sound)
        units.damage.status = HF_OK; /* it would be of what is not believed */
    hf_out_done(&shown);
    if (is_sound && files->why[0] != '\0')
        hf_notes_add(&notes, HF_NOTE_INFO, "%s: %s", files->path, files->why);
    if (units.damage.status != HF_OK) {
        char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX];
        hf_error_format(&units.damage, text, sizeof text);
        hf_notes_add(&notes, HF_NOTE_LOSS, "units after a damaged one are not counted: %s", text);
    }
    status = hf_output_close(&output, HF_OK, err);
    if (status == HF_OK && !is_sound)
        status = hf_error_set(err, HF_ERR_SYSTEM, "%s", files->why);
    hf_report_notes(&options->common, &notes);
    hf_notes_done(&notes);
    return status;
}

static enum hf_status info(struct symbols_options *options, const struct hf_symbol_options *symbols,
    const char *path, struct hf_error *err)
{
    struct hf_module_files files;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    enum hf_status status = hf_module_files_open_any(&files, path, err);
    if (status == HF_OK) {
        hf_module_files_find_debug(&files, symbols);
        hf_module_files_open_cache(&files, symbols);
        status = print_info(options, &files, err);
    }
    hf_module_files_close(&files);
    hf_budget_leave(before);
    return status;
}

#define CALLS_AT_ONCE ((size_t)16384) /* after so many, memory that is not needed is given back */

/* Looks up where each call of the file returns to, so that closing it keeps the answers. */
static enum hf_status look_up_calls(const char *path, const struct hf_symbol_options *symbols,
    struct hf_notes *notes, struct hf_error *err)
{
    struct hf_module_files files;
    struct hf_lookup lookup = {0};
    uint64_t *calls = NULL;
    size_t count = 0;
    enum hf_status status = hf_module_files_open_any(&files, path, err);
    if (status == HF_OK)
        status = hf_callsite_list(&files.image, &calls, &count, err);
    for (size_t done = 0, more; done < count && status == HF_OK; done += more) {
        more = count - done < CALLS_AT_ONCE ? count - done : CALLS_AT_ONCE;
        status = hf_lookup_run(&lookup, &files, symbols, calls + done, more, notes, err);
        if (status == HF_OK && lookup.is_void)
            status = hf_error_set(err, HF_ERR_SYSTEM, "%s", files.why);
        hf_lookup_done(&lookup);
        hf_file_map_trim(&files.image_map);
        hf_file_map_trim(&files.debug_map);
    }
    free(calls);
    hf_module_files_close(&files);
    return status;
}

/* Says what is kept now, as another run would find it. */
static enum hf_status put_kept(struct hf_out *out, const char *path,
    const struct hf_symbol_options *symbols, struct hf_error *err)
{
    struct hf_module_files files;
    enum hf_status status = hf_module_files_open_any(&files, path, err);
    if (status == HF_OK) {
        hf_module_files_open_cache(&files, symbols);
        if (files.cache.entry.answer_count == 0)
            status = hf_error_set(err, HF_ERR_SYSTEM,
                "%s: its names cannot be cached: the folder %s is not usable, the debug "
                "information is damaged, or a file was just changed",
                path, symbols->cache_folder != NULL ? symbols->cache_folder : "of the cache");
    }
    if (status == HF_OK) {
        hf_escape_terminal(out, hf_text_of(path));
        hf_out_printf(out, ": %llu %s, %zu %s\n",
            (unsigned long long)files.cache.entry.answer_count,
            hf_plural(files.cache.entry.answer_count, "address", "addresses"), files.cache.map.size,
            hf_plural(files.cache.map.size, "byte", "bytes"));
    }
    hf_module_files_close(&files);
    return status;
}

static enum hf_status warm(struct symbols_options *options, const struct hf_symbol_options *symbols,
    const char *const *paths, size_t count, struct hf_error *err)
{
    struct hf_output output;
    struct hf_notes notes = {0};
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        struct hf_budget budget = {0};
        struct hf_budget_scope before = hf_budget_enter(&budget);
        status = look_up_calls(paths[i], symbols, &notes, err);
        hf_budget_leave(before);
        if (status == HF_OK)
            status = put_kept(&output.out, paths[i], symbols, err);
    }
    status = hf_output_close(&output, status, err);
    hf_report_notes(&options->common, &notes);
    hf_notes_done(&notes);
    return status;
}

static enum hf_status symbols_run(void *o, struct hf_operands *operands, struct hf_error *err)
{
    struct symbols_options *options = o;
    char cache_folder[PATH_MAX];
    const struct hf_symbol_options symbols = {
        .symdirs = options->symdirs.items,
        .symdir_count = options->symdirs.count,
        .cache_folder = hf_cache_folder(false, cache_folder),
    };
    if (options->input_budget != 0)
        hf_budget_set_factor(options->input_budget);
    const char *what = operands->count > 1 ? operands->items[0] : "";
    if (strcmp(what, "info") == 0 && operands->count == 2)
        return info(options, &symbols, operands->items[1], err);
    if (strcmp(what, "warm") == 0)
        return warm(options, &symbols, operands->items + 1, operands->count - 1, err);
    return hf_error_set(
        err, HF_ERR_USAGE, "expected info or warm, and a file: heapflame symbols info ./server");
}

const struct hf_command hf_cmd_symbols = {
    .name = "symbols",
    .summary = "Report which names a program or library provides, or look them up in advance.",
    .operands = "info FILE | warm FILE...",
    .words = "info warm",
    .details =
        "symbols info prints a file's build-id, symbol tables, DWARF versions and compressed\n"
        "sections, where heapflame searches for its debug file, and what is cached.\n"
        "symbols warm looks up all calls in a file, so that later runs need not read it again.",
    .groups = groups,
    .options_size = sizeof(struct symbols_options),
    .is_reader = hf_command_is_reader,
    .run = symbols_run,
};
