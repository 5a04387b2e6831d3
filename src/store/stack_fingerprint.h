/*
 * stack_fingerprint.h: what a stack is called in a store: the same on every node, after every start
 * and at every address that a module is loaded at.
 *
 * It is the fingerprint (base/containers/fingerprint.h, with a fixed key) of the frames from the
 * leaf to the root, each in the first of these forms that it has:
 *
 *     build-id of its module, offset in it     the file may lie elsewhere on another node
 *     path of its module, offset
 *     symbol, distance from it
 *     name, source file, line                  of frames that came with names only
 *     address                                  in no module: another one after each start
 *
 * So it is known before anything has a name, and it changes when the build of a module does: what
 * compares builds compares names. The size of a text stands before it, so that no two lists of
 * frames are written alike.
 *
 * It has 122 bits: among 1,000 services of 5,000 stacks each, two have the same one by chance with
 * a probability of 2e-24; of 64 bits it would be 7e-7. The key is public, so a service that is
 * after it can make two stacks of its own look like one; it must know those of another to harm it.
 *
 * The value is kept in stores: another definition is another version of theirs (schema.h).
 */
#ifndef HF_STORE_STACK_FINGERPRINT_H
#define HF_STORE_STACK_FINGERPRINT_H

#include "base/containers/fingerprint.h"
#include "base/strings/out.h"
#include "profile/profile.h"

struct hf_stack_printer {
    struct hf_fingerprint_key key;
    struct hf_out frames; /* of one stack; used again */
};

void hf_stack_printer_init(struct hf_stack_printer *printer);
void hf_stack_printer_done(struct hf_stack_printer *printer);

/* That of the stack which ends at `node`. */
HF_MUST_CHECK enum hf_status hf_stack_fingerprint_of(struct hf_stack_printer *printer,
    const struct hf_profile *profile, uint32_t node, struct hf_fingerprint *out_print,
    struct hf_error *err);

#endif
