/*
 * java_frame.h: names that perf-map-agent and its kin give to Java's code, and what they stand for.
 *
 *     name   = method { "->" method }                   the last is inlined into those before
 *     method = "L" class ";" ( "::" | "." ) rest        "Ljava/lang/Thread;::run"
 *
 * A method becomes "java/lang/Thread:::run", as the collapse scripts have it and flamegraph.pl's
 * palette "java" expects.
 */
#ifndef HF_FORMATS_JAVA_FRAME_H
#define HF_FORMATS_JAVA_FRAME_H

#include "base/strings/out.h"
#include "formats/reports/text_frame.h"

/* Pushes a frame, and of Java those inlined into it, which come first. `scratch` is the caller's.
 */
HF_MUST_CHECK enum hf_status hf_java_frame_push(struct hf_text_stack *stack,
    struct hf_profile *profile, const struct hf_text_frame *from, struct hf_out *scratch,
    struct hf_error *err);

#endif
