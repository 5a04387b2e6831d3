/*
 * process_page.h: the page that lists the recorded processes, as HTML without a script.
 */
#ifndef HF_SERVER_PROCESS_PAGE_H
#define HF_SERVER_PROCESS_PAGE_H

#include "base/strings/out.h"
#include "server/recorded_processes.h"

/* What a browser may do with it: nothing but its own style. */
#define HF_PROCESS_PAGE_POLICY                                                                     \
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "         \
    "frame-ancestors 'none'"

/* Errors of `out` latch there. */
void hf_process_page_write(struct hf_out *out, const struct hf_recorded_processes *processes);

#endif
