#include "os/broker_service.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void hf_broker_answer_error(
    struct hf_broker_answer *answer, enum hf_status status, const char *sentence)
{
    if (answer->fd >= 0)
        close(answer->fd);
    answer->fd = -1;
    answer->error = EPROTO;
    answer->flags = (uint32_t)status;
    answer->size = strlen(sentence);
    if (answer->size >= sizeof answer->text)
        answer->size = sizeof answer->text - 1;
    memcpy(answer->text, sentence, answer->size);
    answer->text[answer->size] = '\0';
}

enum hf_status hf_broker_ask_service(const struct hf_broker_question *question,
    struct hf_broker_answer *out_answer, const char *gone, struct hf_error *err)
{
    hf_broker_ask(question, out_answer);
    if (out_answer->error == 0)
        return HF_OK;
    enum hf_status status = (enum hf_status)out_answer->flags;
    if (out_answer->error != EPROTO || status == HF_OK || status > HF_ERR_NETWORK)
        return hf_error_system(err, out_answer->error, "%s", gone);
    return hf_error_set(err, status, "%s", out_answer->text);
}
