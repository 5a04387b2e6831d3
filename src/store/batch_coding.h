/*
 * batch_coding.h: a batch (batch.h) as bytes, for who hands one to another process: a worker
 * without rights to its broker.
 *
 *     bytes = text{4} count stack{count} text       name, service, build, node; the profiles
 *     stack = halves text{2}                        of its fingerprint, 16 bytes; place, frames
 *     text  = size byte{size}                       sizes and counts: 4 bytes, little-endian
 *
 * The bytes may come from a worker that was taken over: a count is checked against the bytes that
 * are left, and nothing but sizes and times is believed. The profiles in it are read as in batch.h.
 *
 * Example:
 *
 *     const struct hf_batch batch = {.instance.name = HF_TEXT("shop-1")};
 *     struct hf_batch_coding copy = {0};
 *     status = hf_batch_write(&batch, out, err);
 *     if (status == HF_OK)
 *         status = hf_batch_read(&copy, hf_out_view(out), err);
 *     hf_batch_coding_done(&copy);
 */
#ifndef HF_STORE_BATCH_CODING_H
#define HF_STORE_BATCH_CODING_H

#include "store/batch.h"

/* HF_ERR_LIMIT: it is larger than HF_LIMIT_BATCH_BYTES. */
HF_MUST_CHECK enum hf_status hf_batch_write(
    const struct hf_batch *batch, struct hf_out *out, struct hf_error *err);

/* A batch that was read; its texts are borrowed from the bytes. Free with done. */
struct hf_batch_coding {
    struct hf_batch batch;
    struct hf_batch_stack *stacks;
};

/* HF_ERR_INPUT: it is cut, or something follows it. Call done in either case. */
HF_MUST_CHECK enum hf_status hf_batch_read(
    struct hf_batch_coding *coding, struct hf_text bytes, struct hf_error *err);
void hf_batch_coding_done(struct hf_batch_coding *coding);

#endif
