/*
 * process_identity.h: whether two profiles are of the same process, as far as they contain that.
 *
 * A profile may know the number of its process and when that started, how it was called, and where
 * its files were mapped. What it does not know speaks for nothing. Two profiles are of different
 * processes if the numbers or the starts differ, if the programs do (the file or its build-id; the
 * command, where a number is missing), or if most files that both have lie elsewhere: they move
 * when a program starts again, and hardly while it runs.
 *
 * A *build* of a program has a version, if its path contains one (/opt/server-2.4.1/bin/server), or
 * else the begin of its build-id. A version at the end of a name (server-2.4.1) is not of the name.
 */
#ifndef HF_ANALYSIS_PROCESS_IDENTITY_H
#define HF_ANALYSIS_PROCESS_IDENTITY_H

#include "profile/profile.h"

#define HF_PROGRAM_MAX 64
#define HF_BUILD_ID_KEPT 32
#define HF_VERSION_MAX 32

struct hf_process_identity {
    uint32_t pid;                 /* 0: unknown */
    uint64_t start;               /* clock ticks since the machine started; 0: unknown */
    char command[HF_PROGRAM_MAX]; /* without its folder and arguments; "": unknown */
    char file[HF_PROGRAM_MAX];    /* of the program, without its folder; "": unknown */
    char build_id[HF_BUILD_ID_KEPT];
    size_t build_id_size;         /* 0: unknown */
    char version[HF_VERSION_MAX]; /* "2.4.1"; "": unknown */
    struct hf_module_place {
        uint64_t path; /* a hash of it */
        uint64_t start;
    } * places; /* sorted by path */
    size_t place_count;
};

/* Free with hf_process_identity_done, also after an error. */
HF_MUST_CHECK enum hf_status hf_process_identity_of(
    const struct hf_profile *profile, struct hf_process_identity *out, struct hf_error *err);
void hf_process_identity_done(struct hf_process_identity *identity);

/* False if the two are surely of different processes. */
bool hf_process_identity_fits(
    const struct hf_process_identity *a, const struct hf_process_identity *b);

/* `known` is of the same process as `later`: takes what that says, and frees it. */
void hf_process_identity_learn(
    struct hf_process_identity *known, struct hf_process_identity *later);

/* What the program is called; "": unknown. */
const char *hf_process_identity_program(const struct hf_process_identity *identity);

/* Which build of it: its version, or the first digits of its build-id; "": unknown. */
#define HF_BUILD_NAME_MAX HF_VERSION_MAX
void hf_process_identity_build(
    const struct hf_process_identity *identity, char out_name[HF_BUILD_NAME_MAX]);
bool hf_process_identity_same_build(
    const struct hf_process_identity *a, const struct hf_process_identity *b);

#endif
