/*
 * order.h: the one order in which stacks are written: siblings by the bytes of their labels.
 *
 * Node ids depend on the order of the input; this order does not, so equal profiles give equal
 * bytes.
 *
 * Example:
 *
 *     struct hf_profile *folded = NULL;
 *     struct hf_order order = {0};
 *     if (folded != NULL)
 *         status = hf_order_init(&order, folded, err);
 *     if (folded != NULL && status == HF_OK)
 *         hf_out_text(out, hf_order_label(&order, order.frames[0]));
 *     hf_order_done(&order);
 */
#ifndef HF_PROFILE_ORDER_H
#define HF_PROFILE_ORDER_H

#include "base/strings/out.h"
#include "profile/profile.h"

struct hf_order {
    struct hf_out labels;     /* all labels, one after the other */
    size_t *label_starts;     /* by frame id; one more at the end */
    uint32_t *frames;         /* all frame ids, by label */
    uint32_t *children;       /* node ids, grouped by parent, siblings in order */
    uint32_t *first_children; /* by node: index into children; one more at the end */
};

/* Orders the stacks of a folded profile. Free with hf_order_done, also after an error. */
HF_MUST_CHECK enum hf_status hf_order_init(
    struct hf_order *order, const struct hf_profile *folded, struct hf_error *err);
void hf_order_done(struct hf_order *order);

/* The label of a frame, raw. Borrowed until hf_order_done. */
struct hf_text hf_order_label(const struct hf_order *order, uint32_t frame);

#endif
