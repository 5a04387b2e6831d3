/*
 * modules.h: what is asked about the mapped files of a profile beyond making them (profile.h).
 *
 * Example:
 *
 *     struct hf_profile *profile = NULL; // one that was read
 *     uint32_t program = profile != NULL ? hf_modules_program(profile) : HF_NO_MODULE;
 *     if (program != HF_NO_MODULE)
 *         hf_out_text(out, hf_profile_text(profile, profile->modules[program].path));
 */
#ifndef HF_PROFILE_MODULES_H
#define HF_PROFILE_MODULES_H

#include "profile/profile.h"

/* The path of executable memory without a file, where offsets are addresses. */
#define HF_ANONYMOUS "[anon]"
#define HF_JIT "[jit]" /* code that was made at run time; offsets are addresses */

/* How hf_module.why_unnamed begins if what is missing is the file's debug information. */
#define HF_WHY_NO_DEBUG "it has no debug information"
/* How it ends, but for what a server of debug files said. */
#define HF_WHY_INSTALL "debug symbols or give their folder with --symdir"

/* The program itself: the first mapped file that is no library; HF_NO_MODULE if there is none. */
uint32_t hf_modules_program(const struct hf_profile *profile);

/* The folder that holds what belongs to a program; empty if that is all the system's. Borrowed. */
struct hf_text hf_modules_folder(struct hf_text program);

/* True if a module, by its path, is the program or lies in its folder. */
bool hf_modules_belong(struct hf_text program, struct hf_text folder, struct hf_text module);

/* By its path: the kernel or a part of it, but not what it maps into programs, as [vdso]. */
bool hf_modules_is_kernel(struct hf_text path);

/* By its path: names or code that a run-time compiler left for perf. */
bool hf_modules_is_jit(struct hf_text path);

/* Gives a module whose build-id is not known the one of its file. */
HF_MUST_CHECK enum hf_status hf_modules_set_build_id(
    struct hf_profile *profile, uint32_t module, struct hf_text build_id, struct hf_error *err);

#endif
