/*
 * spec_match.h: the files of a process that a spec names.
 *
 * A file is one of the spec's objects (the program, a library by its name, the owner of malloc) and
 * has all that one of its `detect` lines asks for. With `prefix`, it counts once for each text that
 * the "*" of the pattern stands for in its symbols. A spec without such a file does not fit.
 */
#ifndef HF_ATTACH_SPEC_MATCH_H
#define HF_ATTACH_SPEC_MATCH_H

#include "attach/images.h"
#include "spec/spec.h"

/* A file in which functions are looked for, and what "%" is in it. */
struct hf_spec_match_object {
    uint32_t image;
    struct hf_text prefix;
};

struct hf_spec_match {
    const struct hf_images *images;
    uint32_t program, malloc_owner;     /* HF_NO_IMAGE (malloc_owner.h): not to be seen, or none */
    struct hf_spec_match_object *items; /* of the spec that was asked for last */
    size_t count, capacity;
};

/* For a process whose images outlive it. Free with done. */
struct hf_spec_match hf_spec_match_of(const struct hf_images *images);
void hf_spec_match_done(struct hf_spec_match *fit);

/* Finds the files of a spec; none: it does not fit. */
HF_MUST_CHECK enum hf_status hf_spec_match_find(
    struct hf_spec_match *fit, const struct hf_spec *spec, struct hf_error *err);

/* HF_ERR_INPUT: says what none of the specs fits, as the last one has it. */
HF_MUST_CHECK enum hf_status hf_spec_match_refuse(
    const struct hf_spec_match *fit, const struct hf_specs *specs, struct hf_error *err);

#endif
