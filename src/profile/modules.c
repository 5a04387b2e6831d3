#include "profile/modules.h"

enum hf_status hf_modules_set_build_id(
    struct hf_profile *profile, uint32_t module, struct hf_text build_id, struct hf_error *err)
{
    struct hf_module *m = &profile->modules[module];
    if (m->build_id != HF_NO_STRING || build_id.size == 0)
        return HF_OK;
    enum hf_status status = hf_profile_string(profile, build_id, &m->build_id, err);
    uint64_t key = (uint64_t)m->path << 32 | m->build_id;
    /* Found by either from now on; another module that has this build-id keeps its place. */
    if (status == HF_OK && hf_map_put(&profile->module_index, key, module, NULL) == NULL)
        status = hf_error_memory(err);
    return status;
}

uint32_t hf_modules_program(const struct hf_profile *profile)
{
    for (uint32_t i = 1; i < profile->module_count; i++) {
        struct hf_text path = hf_profile_text(profile, profile->modules[i].path);
        struct hf_text name = hf_text_basename(path);
        bool is_library = name.size != 0 && memmem(name.data, name.size, ".so", 3) != NULL;
        if (hf_text_starts(path, "/") && !is_library)
            return i;
    }
    return HF_NO_MODULE;
}

bool hf_modules_is_kernel(struct hf_text path)
{
    static const char *const mapped[] = {"[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon"};
    struct hf_text name = hf_text_basename(path);
    for (size_t i = 0; i < HF_COUNT(mapped); i++) {
        if (hf_text_starts(path, mapped[i]))
            return false;
    }
    return hf_text_starts(path, "[") || hf_text_starts(name, "vmlinux") || hf_text_has(name, ".ko");
}

bool hf_modules_is_jit(struct hf_text path)
{
    struct hf_text name = hf_text_basename(path);
    return (hf_text_starts(name, "perf-") && hf_text_ends(name, ".map")) ||
           (hf_text_starts(name, "jitted-") && hf_text_ends(name, ".so"));
}

struct hf_text hf_modules_folder(struct hf_text program)
{
    static const char *const shared[] = {"", "/", "/usr", "/usr/local"};
    struct hf_text folder = hf_text_first(program, hf_text_find_last(program, '/'));
    struct hf_text last = hf_text_basename(folder);
    if (program.size == folder.size)
        return (struct hf_text){NULL, 0};
    if (hf_text_is(last, "bin") || hf_text_is(last, "sbin"))
        folder = hf_text_first(folder, hf_text_find_last(folder, '/'));
    for (size_t i = 0; i < HF_COUNT(shared); i++)
        if (hf_text_is(folder, shared[i]))
            return (struct hf_text){NULL, 0};
    return folder;
}

bool hf_modules_belong(struct hf_text program, struct hf_text folder, struct hf_text module)
{
    struct hf_text rest = hf_text_from(module, folder.size);
    return hf_text_equal(module, program) ||
           (folder.size != 0 && hf_text_starts(rest, "/") &&
               hf_text_equal(hf_text_first(module, folder.size), folder));
}
