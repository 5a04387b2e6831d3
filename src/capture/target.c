#include "capture/target.h"

#include "base/attr.h"
#include "base/mutant.h"
#include "elf/dynamic.h"
#include "elf/symtab.h"
#include "os/file.h"
#include "os/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_MAX 5 /* interpreters of interpreters; the kernel follows as many */

static bool is_executable(const char *path)
{
    struct stat info;
    return hf_path_stat(path, X_OK, &info) && S_ISREG(info.st_mode);
}

static enum hf_status find_command(
    const char *command, char out_path[PATH_MAX], struct hf_error *err)
{
    const char *folders = getenv("PATH");
    struct hf_text rest = hf_text_of(folders != NULL ? folders : "/bin:/usr/bin");
    if (strchr(command, '/') != NULL) {
        if (hf_path_format(out_path, "%s", command) && is_executable(out_path))
            return HF_OK;
        int why = hf_path_exists(command) ? EACCES : errno;
        return hf_error_system(err, why, "cannot run %s", command);
    }
    while (rest.size != 0) {
        struct hf_text folder = hf_text_first(rest, hf_text_find(rest, ':'));
        rest = hf_text_from(rest, folder.size + 1);
        if (hf_path_format(out_path, "%.*s%s%s", (int)folder.size, folder.data,
                folder.size != 0 ? "/" : "", command) &&
            is_executable(out_path))
            return HF_OK;
    }
    return hf_error_set(err, HF_ERR_SYSTEM, "cannot run %s: it is not in $PATH", command);
}

/* "#!/usr/bin/env python3": the interpreter, and for env what it looks for. */
static enum hf_status find_interpreter(
    struct hf_text bytes, char out_path[PATH_MAX], struct hf_error *err)
{
    char command[PATH_MAX];
    struct hf_text line = hf_text_first(bytes, hf_text_find(bytes, '\n'));
    line = hf_text_trim_start(hf_text_from(line, 2), " \t");
    struct hf_text name = hf_text_first(line, hf_text_find(line, ' '));
    struct hf_text argument = hf_text_trim_start(hf_text_from(line, name.size), " \t");
    if (hf_text_is(hf_text_basename(name), "env") && !hf_text_starts(argument, "-"))
        name = hf_text_first(argument, hf_text_find(argument, ' '));
    name = hf_text_trim_end(name, " \t\r");
    if (!hf_path_format(command, "%.*s", (int)name.size, name.data))
        return hf_error_set(err, HF_ERR_SYSTEM, "the name of its interpreter is too long");
    return find_command(command, out_path, err);
}

/* True if the kernel will run it with other rights than ours, and the linker preload nothing. */
static bool is_secure(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    bool sets_user = (info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid();
    bool sets_group =
        (info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0 && info.st_gid != getegid();
    bool has_capabilities = getxattr(path, "security.capability", NULL, 0) > 0;
    return sets_user || sets_group || (has_capabilities && geteuid() != 0);
}

/* The path in PT_INTERP, which ends in NUL; empty for a program linked statically. */
static struct hf_text linker_of(const struct hf_elf *elf)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *segment = &elf->segments[i];
        if (segment->type == PT_INTERP && segment->offset <= elf->bytes.size) {
            struct hf_text rest = hf_text_from(elf->bytes, (size_t)segment->offset);
            return hf_text_first(rest, hf_text_find(rest, '\0'));
        }
    }
    return HF_TEXT("");
}

/* What an image may define that matters; clang links a sanitizer into the program. */
enum definition { ASAN, LSAN, MSAN, TSAN, MALLOC, DEFINITIONS };

static void find_definitions(const struct hf_elf *elf, bool out_is_defined[DEFINITIONS])
{
    struct hf_symbol_query queries[DEFINITIONS] = {
        [ASAN].name = HF_TEXT("__asan_init"),
        [LSAN].name = HF_TEXT("__lsan_init"),
        [MSAN].name = HF_TEXT("__msan_init"),
        [TSAN].name = HF_TEXT("__tsan_init"),
        [MALLOC].name = HF_TEXT("malloc"),
    };
    enum hf_status status = hf_symtab_find(elf, queries, DEFINITIONS, NULL);
    for (size_t i = 0; i < DEFINITIONS; i++)
        out_is_defined[i] = status == HF_OK && queries[i].is_found;
}

/* gcc links it as a library, libasan.so.8. */
static bool needs(const struct hf_elf *elf, const char *library)
{
    struct hf_text needed;
    struct hf_dynamic_strings all = hf_dynamic_strings_of(elf, DT_NEEDED);
    while (hf_dynamic_string_next(&all, &needed)) {
        if (hf_text_starts(needed, "lib") && hf_text_has(needed, library))
            return true;
    }
    return false;
}

/* NULL: there is none. */
static const char *sanitizer_of(const struct hf_elf *elf, const bool is_defined[DEFINITIONS])
{
    static const struct {
        const char *library, *name;
    } sanitizers[] = {
        [ASAN] = {"asan", "AddressSanitizer"},
        [LSAN] = {"lsan", "LeakSanitizer"},
        [MSAN] = {"msan", "MemorySanitizer"},
        [TSAN] = {"tsan", "ThreadSanitizer"},
    };
    for (size_t i = 0; i < HF_COUNT(sanitizers); i++) {
        if (is_defined[i] || needs(elf, sanitizers[i].library))
            return sanitizers[i].name;
    }
    return NULL;
}

static enum hf_status check_image(
    const struct hf_elf *elf, struct hf_target *target, struct hf_error *err)
{
    const char *path = target->path;
    struct hf_text linker = linker_of(elf);
    bool is_defined[DEFINITIONS];
    find_definitions(elf, is_defined);
    const char *sanitizer = sanitizer_of(elf, is_defined);
    if (elf->machine != EM_X86_64)
        return hf_error_set(err, HF_ERR_USAGE,
            "%s is not built for x86-64, the only architecture that the agent supports", path);
    target->is_go = hf_elf_section(elf, ".go.buildinfo") != NULL;
    if (linker.size == 0 && target->is_go)
        return hf_error_set(err, HF_ERR_USAGE,
            "%s is a Go program, whose allocator is Go's own: heapflame top and flame read the "
            "heap profiles that Go writes (net/http/pprof, runtime/pprof), and heapflame attach "
            "--what fault PID shows what makes a running one grow",
            path);
    if (linker.size == 0 && !HF_MUTANT(STATIC))
        return hf_error_set(err, HF_ERR_USAGE,
            "%s is linked statically, so the agent cannot be preloaded: link it dynamically "
            "(without -static), or watch it while it runs (heapflame attach PID)",
            path);
    if (hf_text_has(linker, "musl") && !HF_MUTANT(MUSL))
        return hf_error_set(err, HF_ERR_USAGE,
            "%s uses musl (%.*s), but the agent needs glibc: build it for glibc, or link a "
            "jemalloc with profiling into it",
            path, (int)linker.size, linker.data);
    if (sanitizer != NULL && !HF_MUTANT(SANITIZER))
        return hf_error_set(err, HF_ERR_USAGE,
            "%s is built with %s, which replaces malloc itself: build it without -fsanitize, or "
            "read LeakSanitizer's report with heapflame top",
            path, sanitizer);
    target->has_own_malloc = is_defined[MALLOC];
    return HF_OK;
}

/* True if target->path is a script; then that becomes its interpreter. */
static enum hf_status follow_script(
    struct hf_target *target, bool *out_is_script, struct hf_error *err)
{
    struct hf_file_map map;
    enum hf_status status = hf_file_map_open(&map, target->path, err);
    if (status != HF_OK)
        return status;
    struct hf_text bytes = {(const char *)map.data, map.size};
    *out_is_script = hf_text_starts(bytes, "#!");
    char path[PATH_MAX];
    memcpy(path, target->path, sizeof path);
    if (*out_is_script)
        status = find_interpreter(bytes, target->path, err);
    status = hf_file_map_check(&map, path, status, err);
    hf_file_map_close(&map);
    return status;
}

enum hf_status hf_target_find(
    const char *command, struct hf_target *out_target, struct hf_error *err)
{
    bool is_script = true;
    *out_target = (struct hf_target){0};
    enum hf_status status = find_command(command, out_target->path, err);
    for (int i = 0; status == HF_OK && is_script && i < SCRIPTS_MAX; i++)
        status = follow_script(out_target, &is_script, err);
    return status;
}

enum hf_status hf_target_check_image(struct hf_target *target, struct hf_error *err)
{
    struct hf_file_map map;
    struct hf_elf elf;
    enum hf_status status = hf_file_map_open(&map, target->path, err);
    if (status != HF_OK)
        return status;
    struct hf_text bytes = {(const char *)map.data, map.size};
    status = hf_elf_open(&elf, bytes, target->path, err);
    if (status == HF_OK) {
        status = check_image(&elf, target, err);
        hf_elf_close(&elf);
    }
    status = hf_file_map_check(&map, target->path, status, err);
    hf_file_map_close(&map);
    return status;
}

enum hf_status hf_target_check_rights(const char *path, struct hf_error *err)
{
    if (!is_secure(path) || HF_MUTANT(RIGHTS))
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "%s runs with rights that you do not have (setuid, setgid or file capabilities), so the "
        "dynamic linker preloads nothing: run it as the user that it becomes",
        path);
}

enum hf_status hf_target_check(struct hf_target *target, struct hf_error *err)
{
    enum hf_status status = hf_target_check_image(target, err);
    return status == HF_OK ? hf_target_check_rights(target->path, err) : status;
}
