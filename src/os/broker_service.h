/*
 * broker_service.h: how a service of the broker (HF_BROKER_SERVICES and above) says no to its
 * worker: with the status and the sentence of an error, which the worker has as its own then.
 *
 * Example:
 *
 *     static const char gone[] = "the process that has the store has ended";
 *     const struct hf_broker_question question = {.kind = HF_BROKER_SERVICES, .fd = -1};
 *     struct hf_broker_answer answer;
 *     status = hf_broker_ask_service(&question, &answer, gone, err);
 */
#ifndef HF_OS_BROKER_SERVICE_H
#define HF_OS_BROKER_SERVICE_H

#include "base/error.h"
#include "os/broker_line.h"

/* The side of the service. Closes the descriptor of the answer. */
void hf_broker_answer_error(
    struct hf_broker_answer *answer, enum hf_status status, const char *sentence);

/* As hf_broker_ask. `gone` is said if nobody answers (HF_ERR_SYSTEM). */
HF_MUST_CHECK enum hf_status hf_broker_ask_service(const struct hf_broker_question *question,
    struct hf_broker_answer *out_answer, const char *gone, struct hf_error *err);

#endif
