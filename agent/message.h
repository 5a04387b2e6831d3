/*
 * message.h: the agent's one way to tell people something: a sentence on standard error.
 */
#ifndef HF_AGENT_MESSAGE_H
#define HF_AGENT_MESSAGE_H

#include "base/text.h"

/* Writes "heapflame: ", the parts and a newline by one system call. Longer than 512 bytes is cut.
 */
void hf_message(const struct hf_text *parts, size_t count);

#define HF_MESSAGE(...)                                                                            \
    hf_message((const struct hf_text[]){__VA_ARGS__},                                              \
        sizeof((const struct hf_text[]){__VA_ARGS__}) / sizeof(struct hf_text))

#endif
