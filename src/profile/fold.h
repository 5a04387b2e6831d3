/*
 * fold.h: turns a captured (and symbolized) profile into the profile that is shown.
 *
 * Folding replaces each address frame by its named frames, keeps of each only what the granularity
 * shows, cuts the allocator's frames, applies the user's filters, picks one thread or all, and adds
 * up the stacks that became equal. The result is a profile like any other, in which two frames
 * never read the same; reading folded text gives the same kind.
 *
 * Example:
 *
 *     struct hf_profile *profile, *folded;
 *     status = hf_profile_new(&profile, err); // read and named
 *     if (status != HF_OK)
 *         return status;
 *     status = hf_profile_fold(
 *         profile, &(struct hf_fold_options){.granularity = HF_BY_LINE}, &folded, err);
 *     if (status == HF_OK)
 *         hf_profile_free(folded);
 *     hf_profile_free(profile);
 */
#ifndef HF_PROFILE_FOLD_H
#define HF_PROFILE_FOLD_H

#include "base/strings/out.h"
#include "base/strings/regex.h"
#include "profile/profile.h"

enum hf_granularity {
    HF_BY_FUNCTION, /* {name} */
    HF_BY_LINE,     /* {name, file, line} */
    HF_BY_FILE,     /* {file}, or {module} where no source file is known */
    HF_BY_MODULE,   /* {module}, or {file} where none is known, as for interpreted code */
    HF_BY_ADDRESS,  /* {module, offset, name, file, line} of the innermost named frame */
    HF_BY_THREAD,   /* one for each stack: what its thread is called (profile/threads.h) */
};

/* What a frame's name ends with, as flamegraph.pl's palettes know it; the first that applies. */
enum hf_fold_mark {
    HF_MARK_INLINED = 1, /* "_[i]": into its caller */
    HF_MARK_KERNEL = 2,  /* "_[k]" */
    HF_MARK_JIT = 4,     /* "_[j]": code made at run time, named by a perf map or a jitdump */
};

struct hf_fold_options {
    enum hf_granularity granularity;
    bool keep_allocator;  /* do not cut the allocator's frames */
    bool keeps_threads;   /* of a process: also the values of each thread */
    bool keeps_modules;   /* a named frame has its module, too; of equal ones that of the first */
    bool keeps_addresses; /* stacks are of address frames, which are expanded to what they show */
    unsigned marks;       /* enum hf_fold_mark, ored; of named frames by function or line */
    const char *thread;   /* take the values of those (hf_threads_choose) instead of the process's;
                             NULL: do not */
    /* Regular expressions on names, labels and source files; NULL: not used. Borrowed. */
    struct hf_regex *focus;   /* keep stacks with a frame that matches */
    struct hf_regex *ignore;  /* drop stacks with a frame that matches */
    struct hf_regex *retain;  /* keep frames that match */
    struct hf_regex *exclude; /* drop frames that match */
    struct hf_regex *callers; /* keep stacks with a frame that matches, up to its caller */
};

/*
 * Makes the shown profile of `from`. A stack whose frames were all dropped keeps its values at the
 * root ("[no stack]"). HF_ERR_USAGE: the thread does not occur, or no
 * thread does that is to be shown.
 */
HF_MUST_CHECK enum hf_status hf_profile_fold(const struct hf_profile *from,
    const struct hf_fold_options *options, struct hf_profile **out_folded, struct hf_error *err);

/*
 * Writes the raw text of a frame: "name", "name file:line", "file", "lib.so+0x1f2e", "0x7f..." ...
 * Not escaped: pass it through the escaper of its destination.
 */
void hf_frame_label(
    const struct hf_profile *profile, const struct hf_frame *frame, struct hf_out *out);

/*
 * The name of a named frame, raw, with the mark of a function whose bytes are those of others:
 * "name [one of 3 equal functions]". Patterns and rules are about the name alone.
 */
void hf_frame_name(
    const struct hf_profile *profile, const struct hf_frame *frame, struct hf_out *out);

/* That mark of so many twins (HF_FRAME_TWINS), between two texts; nothing for 0. */
void hf_frame_put_twins(uint32_t twins, const char *before, const char *after, struct hf_out *out);

/* The text of a frame as a fold with this granularity shows it, raw. */
void hf_fold_label(const struct hf_profile *profile, const struct hf_frame *frame,
    enum hf_granularity granularity, struct hf_out *out);

/* Text used for a stack without frames wherever one is shown. */
#define HF_NO_STACK "[no stack]"

/* The label of all frames that have neither a source file nor a module: by file, by module. */
#define HF_NO_FILE "[no file]"
#define HF_NO_MODULE_LABEL "[no module]"

#endif
