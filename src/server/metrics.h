/*
 * metrics.h: what the recorded processes have in use, for Prometheus and whoever reads its text
 * format (version 0.0.4): a HELP and a TYPE line, then a line for each process.
 */
#ifndef HF_SERVER_METRICS_H
#define HF_SERVER_METRICS_H

#include "base/strings/out.h"
#include "server/recorded_processes.h"

#define HF_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Errors of `out` latch there. */
void hf_metrics_write(struct hf_out *out, const struct hf_recorded_processes *processes);

#endif
