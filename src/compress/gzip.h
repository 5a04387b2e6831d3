/*
 * gzip.h: a writer that compresses with gzip (RFC 1952), for the formats that are always
 * compressed.
 *
 * The header holds no time and no name, so equal bytes give equal bytes.
 *
 * Example:
 *
 *     struct hf_gzip *gzip;
 *     status = hf_gzip_open(&gzip, out, err);
 *     if (status != HF_OK)
 *         return status;
 *     hf_out_string(hf_gzip_out(gzip), "main;work 7\n");
 *     status = hf_gzip_finish(gzip, err);
 *     hf_gzip_close(gzip);
 */
#ifndef HF_COMPRESS_GZIP_H
#define HF_COMPRESS_GZIP_H

#include "base/strings/out.h"

struct hf_gzip;

/* What is written to hf_gzip_out goes compressed to `to`, which outlives it. */
HF_MUST_CHECK enum hf_status hf_gzip_open(
    struct hf_gzip **out_gzip, struct hf_out *to, struct hf_error *err);
/* Before anything is written: a third of the work, for some more bytes. */
void hf_gzip_hurry(struct hf_gzip *gzip);

struct hf_out *hf_gzip_out(struct hf_gzip *gzip);

/* Writes what is left and the end of the file. */
HF_MUST_CHECK enum hf_status hf_gzip_finish(struct hf_gzip *gzip, struct hf_error *err);
void hf_gzip_close(struct hf_gzip *gzip);

#endif
