#include "store/store_line.h"

#include "base/limits.h"
#include "os/broker_service.h"
#include "store/batch_coding.h"
#include "store/sqlite_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GONE "the process that has the store has ended"

enum { IS_THERE = 1, IS_NEW = 1 };

void hf_store_host_done(struct hf_store_host *host)
{
    hf_sqlite_store_close(host->store);
    host->store = NULL;
}

static enum hf_status need_store(struct hf_store_host *host, struct hf_error *err)
{
    return host->store != NULL ? HF_OK : hf_sqlite_store_open(host->path, true, &host->store, err);
}

static enum hf_status host_find_last(
    struct hf_store_host *host, struct hf_text instance, int64_t *out_ms, struct hf_error *err)
{
    enum hf_status status = need_store(host, err);
    return status == HF_OK ? hf_sqlite_store_find_last(host->store, instance, out_ms, err) : status;
}

static enum hf_status host_add(struct hf_store_host *host, const struct hf_batch *batch,
    bool *out_is_new, struct hf_error *err)
{
    enum hf_status status = need_store(host, err);
    return status == HF_OK ? hf_sqlite_store_add(host->store, batch, out_is_new, err) : status;
}

/* ---- The broker's side. */

/* All of it is copied: who sent it can write to it, or cut it, while it is looked at. */
static enum hf_status read_sent(int fd, struct hf_text *out_bytes, struct hf_error *err)
{
    struct stat info = {0};
    if (fd < 0 || fstat(fd, &info) != 0 || info.st_size < 0 ||
        (uint64_t)info.st_size > HF_LIMIT_BATCH_BYTES + 4096u)
        return hf_error_set(err, HF_ERR_INPUT, "the store received a damaged request");
    size_t size = (size_t)info.st_size, got = 0;
    char *bytes = malloc(size + 1);
    if (bytes == NULL)
        return hf_error_memory(err);
    for (ssize_t more = 1; more > 0 && got<size; got += more> 0 ? (size_t)more : 0)
        more = pread(fd, bytes + got, size - got, (off_t)got);
    *out_bytes = (struct hf_text){bytes, got};
    return HF_OK;
}

static enum hf_status serve_add(struct hf_store_host *host,
    const struct hf_broker_question *question, struct hf_broker_answer *answer,
    struct hf_error *err)
{
    struct hf_text bytes = {NULL, 0};
    struct hf_batch_coding coding = {0};
    bool is_new = false;
    enum hf_status status = read_sent(question->fd, &bytes, err);
    if (status == HF_OK)
        status = hf_batch_read(&coding, bytes, err);
    if (status == HF_OK)
        status = host_add(host, &coding.batch, &is_new, err);
    hf_batch_coding_done(&coding);
    free((char *)bytes.data);
    answer->flags = is_new ? IS_NEW : 0;
    return status;
}

static enum hf_status serve_last(struct hf_store_host *host,
    const struct hf_broker_question *question, struct hf_broker_answer *answer,
    struct hf_error *err)
{
    int64_t last_ms = 0;
    enum hf_status status = host_find_last(host, question->first, &last_ms, err);
    answer->number = (uint64_t)last_ms;
    answer->flags = last_ms != INT64_MIN ? IS_THERE : 0;
    return status;
}

void hf_store_line_serve(
    void *host, const struct hf_broker_question *question, struct hf_broker_answer *answer)
{
    struct hf_error error = {0};
    enum hf_status status =
        question->kind == HF_STORE_LINE_LAST ? serve_last(host, question, answer, &error)
        : question->kind == HF_STORE_LINE_ADD
            ? serve_add(host, question, answer, &error)
            : hf_error_set(&error, HF_ERR_INPUT, "the store received an unknown request");
    if (status != HF_OK)
        hf_broker_answer_error(answer, status, error.text);
}

/* ---- The other side. */

enum hf_status hf_store_line_find_last(
    struct hf_store_host *own, struct hf_text instance, int64_t *out_ms, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_STORE_LINE_LAST, .first = instance, .second = HF_TEXT(""), .fd = -1};
    if (own != NULL)
        return host_find_last(own, instance, out_ms, err);
    enum hf_status status = hf_broker_ask_service(&question, &answer, GONE, err);
    if (status == HF_OK)
        *out_ms = (answer.flags & IS_THERE) != 0 ? (int64_t)answer.number : INT64_MIN;
    return status;
}

static enum hf_status send_batch(struct hf_text bytes, int *out_fd, struct hf_error *err)
{
    *out_fd = memfd_create("batch", MFD_CLOEXEC);
    for (; *out_fd >= 0 && bytes.size != 0;) {
        ssize_t written = write(*out_fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR)
            return hf_error_system(err, errno, "cannot write a batch of profiles to memory");
        bytes = hf_text_from(bytes, written > 0 ? (size_t)written : 0);
    }
    return *out_fd >= 0 ? HF_OK : hf_error_system(err, errno, "cannot create a file in memory");
}

enum hf_status hf_store_line_add(
    struct hf_store_host *own, const struct hf_batch *batch, bool *out_is_new, struct hf_error *err)
{
    struct hf_broker_answer answer;
    struct hf_out bytes = {0};
    struct hf_broker_question question = {
        .kind = HF_STORE_LINE_ADD, .first = HF_TEXT(""), .second = HF_TEXT(""), .fd = -1};
    enum hf_status status = hf_batch_write(batch, &bytes, err);
    if (status == HF_OK && own != NULL)
        status = host_add(own, batch, out_is_new, err);
    if (status == HF_OK && own == NULL)
        status = send_batch(hf_out_view(&bytes), &question.fd, err);
    if (status == HF_OK && own == NULL) {
        status = hf_broker_ask_service(&question, &answer, GONE, err);
        *out_is_new = status == HF_OK && (answer.flags & IS_NEW) != 0;
    }
    if (question.fd >= 0)
        close(question.fd);
    hf_out_done(&bytes);
    return status;
}
