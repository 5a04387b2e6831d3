#include "attach/keeper/keeper_line.h"

#include "attach/keeper/stop_price.h"
#include "os/broker_service.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_RETURNS = 1, PLACE_IS_BIRTH = 2 };

/* ---- The broker's side. */

static bool is_wish(const struct hf_broker_question *question)
{
    return question->second.size == sizeof(struct hf_perf_wish) &&
           strlen(question->first.data) == question->first.size;
}

static enum hf_status serve_want(
    struct hf_keeper *keeper, const struct hf_broker_question *question, struct hf_error *err)
{
    struct hf_perf_wish wish;
    if (!is_wish(question))
        return hf_error_set(err, HF_ERR_INPUT, "the keeper received a damaged request");
    memcpy(&wish, question->second.data, sizeof wish);
    return hf_keeper_want(keeper, &wish, question->first.data, err);
}

static enum hf_status write_files(
    int fd, const struct hf_keeper_opened *opened, struct hf_error *err)
{
    const char *from = (const char *)opened->files;
    size_t left = opened->count * sizeof *opened->files;
    while (left != 0) {
        ssize_t written = write(fd, from, left);
        if (written <= 0)
            return hf_error_memory(err);
        from += written;
        left -= (size_t)written;
    }
    return HF_OK;
}

static enum hf_status serve_open(
    struct hf_keeper *keeper, struct hf_broker_answer *answer, struct hf_error *err)
{
    enum hf_status status = hf_keeper_open(keeper, err);
    if (status != HF_OK)
        return status;
    struct hf_keeper_opened opened = hf_keeper_opened(keeper);
    answer->number = opened.ring_count;
    answer->fd = memfd_create("events", MFD_CLOEXEC);
    return answer->fd >= 0 ? write_files(answer->fd, &opened, err) : hf_error_memory(err);
}

static enum hf_status copy_descriptor(int fd, int *out_copy, struct hf_error *err)
{
    *out_copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return *out_copy >= 0 ? HF_OK : hf_error_system(err, errno, "cannot copy a descriptor");
}

static enum hf_status copy_ring(const struct hf_keeper *keeper, uint64_t number, int *out_fd,
    uint64_t *out_bytes, struct hf_error *err)
{
    struct hf_keeper_opened opened = hf_keeper_opened(keeper);
    if (number >= opened.ring_count)
        return hf_error_set(err, HF_ERR_INPUT, "there is no such ring buffer");
    *out_bytes = opened.rings[number].data_bytes;
    return copy_descriptor(opened.rings[number].fd, out_fd, err);
}

static enum hf_status copy_map(
    const struct hf_keeper *keeper, uint64_t number, int *out_fd, struct hf_error *err)
{
    const struct hf_bpf_program *program = hf_keeper_program(keeper);
    if (program == NULL || number >= HF_BPF_MAPS)
        return hf_error_set(err, HF_ERR_INPUT, "there is no BPF map with number %" PRIu64, number);
    return copy_descriptor(hf_bpf_program_map(program, (enum hf_bpf_map)number), out_fd, err);
}

static enum hf_status serve_loaded(
    const struct hf_keeper *keeper, struct hf_broker_answer *answer, struct hf_error *err)
{
    const struct hf_bpf_program *program = hf_keeper_program(keeper);
    if (program == NULL)
        return hf_error_set(err, HF_ERR_INPUT, "no program is loaded");
    answer->number = hf_bpf_program_processors(program);
    return HF_OK;
}

static enum hf_status serve_load(struct hf_keeper *keeper,
    const struct hf_broker_question *question, struct hf_broker_answer *answer,
    struct hf_error *err)
{
    struct hf_bpf_wish wish;
    if (question->second.size != sizeof wish)
        return hf_error_set(err, HF_ERR_INPUT, "the keeper received a damaged request");
    memcpy(&wish, question->second.data, sizeof wish);
    enum hf_status status = hf_keeper_load(keeper, &wish, err);
    return status == HF_OK ? serve_loaded(keeper, answer, err) : status;
}

static enum hf_status serve_place(
    struct hf_keeper *keeper, const struct hf_broker_question *question, struct hf_error *err)
{
    const struct hf_bpf_place place = {question->first.data, question->number,
        (question->flags & PLACE_RETURNS) != 0, (question->flags & PLACE_IS_BIRTH) != 0};
    return hf_keeper_place(keeper, &place, err);
}

static enum hf_status keeper_line_serve(struct hf_keeper *keeper,
    const struct hf_broker_question *question, struct hf_broker_answer *answer,
    struct hf_error *err)
{
    switch (question->kind) {
    case HF_KEEPER_WANT: return serve_want(keeper, question, err);
    case HF_KEEPER_OPEN: return serve_open(keeper, answer, err);
    case HF_KEEPER_RING:
        return copy_ring(keeper, question->number, &answer->fd, &answer->number, err);
    case HF_KEEPER_BEGIN: return hf_keeper_begin(keeper, question->first.data, err);
    case HF_KEEPER_END: hf_keeper_end(keeper); return HF_OK;
    case HF_KEEPER_COUNT:
        answer->number =
            question->number < UINT32_MAX ? hf_keeper_count(keeper, (uint32_t)question->number) : 0;
        return HF_OK;
    case HF_KEEPER_CLOSE: hf_keeper_close(keeper); return HF_OK;
    case HF_KEEPER_LOAD: return serve_load(keeper, question, answer, err);
    case HF_KEEPER_LOADED: return serve_loaded(keeper, answer, err);
    case HF_KEEPER_MAP: return copy_map(keeper, question->number, &answer->fd, err);
    case HF_KEEPER_PLACE: return serve_place(keeper, question, err);
    case HF_KEEPER_ATTACH: return hf_keeper_attach(keeper, err);
    case HF_KEEPER_DETACH: hf_keeper_detach(keeper); return HF_OK;
    case HF_KEEPER_PAUSE: hf_keeper_pause(keeper); return HF_OK;
    case HF_KEEPER_UNLOAD: hf_keeper_unload(keeper); return HF_OK;
    case HF_KEEPER_HURRY:
        hf_keeper_hurry(keeper, question->asker, question->flags != 0);
        return HF_OK;
    case HF_KEEPER_PRICE: answer->number = hf_stop_price_ns(); return HF_OK;
    default: return hf_error_set(err, HF_ERR_INPUT, "the keeper received an unknown request");
    }
}

void hf_keeper_serve(
    void *keeper, const struct hf_broker_question *question, struct hf_broker_answer *answer)
{
    struct hf_error error = {0};
    enum hf_status status = keeper_line_serve(keeper, question, answer, &error);
    if (status != HF_OK)
        hf_broker_answer_error(answer, status, error.text);
}

/* ---- The reader's side. */

static enum hf_status keeper_line_ask(const struct hf_broker_question *question,
    struct hf_broker_answer *out_answer, struct hf_error *err)
{
    return hf_broker_ask_service(
        question, out_answer, "the process that keeps the probes has ended", err);
}

static struct hf_broker_question question_of(uint32_t kind)
{
    return (struct hf_broker_question){
        .kind = kind, .first = HF_TEXT(""), .second = HF_TEXT(""), .fd = -1};
}

static enum hf_status ask_plainly(uint32_t kind, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = question_of(kind);
    return keeper_line_ask(&question, &answer, err);
}

/* *io_number: of what is asked for; then what is said of it. */
static enum hf_status ask_descriptor(
    uint32_t kind, uint64_t *io_number, int *out_fd, struct hf_error *err)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(kind);
    question.number = *io_number;
    enum hf_status status = keeper_line_ask(&question, &answer, err);
    if (status == HF_OK && answer.fd < 0)
        status = hf_error_set(err, HF_ERR_SYSTEM, "no more files can be opened");
    if (status != HF_OK)
        return status;
    *out_fd = answer.fd;
    *io_number = answer.number;
    return HF_OK;
}

enum hf_status hf_keeper_line_want(
    struct hf_keeper *own, const struct hf_perf_wish *wish, const char *path, struct hf_error *err)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(HF_KEEPER_WANT);
    if (own != NULL)
        return hf_keeper_want(own, wish, path, err);
    question.first = hf_text_of(path);
    question.second = (struct hf_text){(const char *)wish, sizeof *wish};
    return keeper_line_ask(&question, &answer, err);
}

/* All that a file has, which is a multiple of what is asked for. */
static enum hf_status read_files(
    int fd, struct hf_perf_file **out_files, size_t *out_count, struct hf_error *err)
{
    struct stat info = {0};
    if (fstat(fd, &info) != 0)
        return hf_error_system(err, errno, "cannot look at the list of events");
    size_t size = (size_t)info.st_size, got = 0;
    struct hf_perf_file *files = malloc(size + 1);
    ssize_t more = 1;
    while (files != NULL && got < size && more > 0) {
        more = pread(fd, (char *)files + got, size - got, (off_t)got);
        got += more > 0 ? (size_t)more : 0;
    }
    if (got != size || files == NULL) {
        free(files);
        return hf_error_memory(err);
    }
    *out_files = files;
    *out_count = size / sizeof *files;
    return HF_OK;
}

static enum hf_status ask_open(struct hf_perf_file **out_files, size_t *out_count,
    size_t *out_ring_count, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = question_of(HF_KEEPER_OPEN);
    enum hf_status status = keeper_line_ask(&question, &answer, err);
    if (status != HF_OK)
        return status;
    *out_ring_count = answer.number;
    status = read_files(answer.fd, out_files, out_count, err);
    close(answer.fd);
    return status;
}

enum hf_status hf_keeper_line_open(struct hf_keeper *own, struct hf_perf_file **out_files,
    size_t *out_count, size_t *out_ring_count, struct hf_error *err)
{
    if (own == NULL)
        return ask_open(out_files, out_count, out_ring_count, err);
    enum hf_status status = hf_keeper_open(own, err);
    if (status != HF_OK)
        return status;
    struct hf_keeper_opened opened = hf_keeper_opened(own);
    struct hf_perf_file *files = calloc(opened.count + 1, sizeof *files);
    if (files == NULL)
        return hf_error_memory(err);
    if (opened.count != 0)
        memcpy(files, opened.files, opened.count * sizeof *files);
    *out_files = files;
    *out_count = opened.count;
    *out_ring_count = opened.ring_count;
    return HF_OK;
}

enum hf_status hf_keeper_line_ring(
    struct hf_keeper *own, size_t number, struct hf_perf_ring *ring, struct hf_error *err)
{
    int fd;
    uint64_t bytes = number;
    enum hf_status status = own != NULL ? copy_ring(own, number, &fd, &bytes, err)
                                        : ask_descriptor(HF_KEEPER_RING, &bytes, &fd, err);
    return status == HF_OK ? hf_perf_ring_open(ring, fd, bytes, err) : status;
}

enum hf_status hf_keeper_line_begin(struct hf_keeper *own, const char *filter, struct hf_error *err)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(HF_KEEPER_BEGIN);
    if (own != NULL)
        return hf_keeper_begin(own, filter, err);
    question.first = hf_text_of(filter);
    return keeper_line_ask(&question, &answer, err);
}

void hf_keeper_line_end(struct hf_keeper *own)
{
    if (own != NULL)
        hf_keeper_end(own);
    else
        (void)!ask_plainly(HF_KEEPER_END, NULL);
}

uint64_t hf_keeper_line_count(struct hf_keeper *own, uint32_t kind)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(HF_KEEPER_COUNT);
    if (own != NULL)
        return hf_keeper_count(own, kind);
    question.number = kind;
    return keeper_line_ask(&question, &answer, NULL) == HF_OK ? answer.number : 0;
}

void hf_keeper_line_close(struct hf_keeper *own)
{
    if (own != NULL)
        hf_keeper_close(own);
    else
        (void)!ask_plainly(HF_KEEPER_CLOSE, NULL);
}

/* The program is loaded, and its maps are asked for, or copied. */
static enum hf_status take_maps(
    const struct hf_keeper *own, int out_maps[HF_BPF_MAPS], struct hf_error *err)
{
    enum hf_status status = HF_OK;
    int map = 0;
    for (; map < HF_BPF_MAPS && status == HF_OK; map++) {
        uint64_t number = (uint64_t)map;
        status = own != NULL ? copy_map(own, number, &out_maps[map], err)
                             : ask_descriptor(HF_KEEPER_MAP, &number, &out_maps[map], err);
    }
    for (map--; status != HF_OK && map > 0; map--)
        close(out_maps[map - 1]);
    return status;
}

enum hf_status hf_keeper_line_load(struct hf_keeper *own, const struct hf_bpf_wish *wish,
    int out_maps[HF_BPF_MAPS], uint32_t *out_processors, struct hf_error *err)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(HF_KEEPER_LOAD);
    question.second = (struct hf_text){(const char *)wish, sizeof *wish};
    enum hf_status status =
        own != NULL ? hf_keeper_load(own, wish, err) : keeper_line_ask(&question, &answer, err);
    if (status != HF_OK)
        return status;
    *out_processors =
        own != NULL ? hf_bpf_program_processors(hf_keeper_program(own)) : (uint32_t)answer.number;
    return take_maps(own, out_maps, err);
}

enum hf_status hf_keeper_line_maps(struct hf_keeper *own, int out_maps[HF_BPF_MAPS],
    uint32_t *out_processors, struct hf_error *err)
{
    struct hf_broker_answer answer = {0};
    const struct hf_broker_question question = question_of(HF_KEEPER_LOADED);
    enum hf_status status =
        own != NULL ? serve_loaded(own, &answer, err) : keeper_line_ask(&question, &answer, err);
    if (status != HF_OK)
        return status;
    *out_processors = (uint32_t)answer.number;
    return take_maps(own, out_maps, err);
}

enum hf_status hf_keeper_line_place(
    struct hf_keeper *own, const struct hf_bpf_place *place, struct hf_error *err)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(HF_KEEPER_PLACE);
    if (own != NULL)
        return hf_keeper_place(own, place, err);
    question.first = hf_text_of(place->path);
    question.number = place->offset;
    question.flags =
        (place->returns ? PLACE_RETURNS : 0u) | (place->is_birth ? PLACE_IS_BIRTH : 0u);
    return keeper_line_ask(&question, &answer, err);
}

enum hf_status hf_keeper_line_attach(struct hf_keeper *own, struct hf_error *err)
{
    return own != NULL ? hf_keeper_attach(own, err) : ask_plainly(HF_KEEPER_ATTACH, err);
}

void hf_keeper_line_detach(struct hf_keeper *own)
{
    if (own != NULL)
        hf_keeper_detach(own);
    else
        (void)!ask_plainly(HF_KEEPER_DETACH, NULL);
}

void hf_keeper_line_pause(struct hf_keeper *own)
{
    if (own != NULL)
        hf_keeper_pause(own);
    else
        (void)!ask_plainly(HF_KEEPER_PAUSE, NULL);
}

void hf_keeper_line_unload(struct hf_keeper *own)
{
    if (own != NULL)
        hf_keeper_unload(own);
    else
        (void)!ask_plainly(HF_KEEPER_UNLOAD, NULL);
}

void hf_keeper_line_hurry(struct hf_keeper *own, bool is_urgent)
{
    struct hf_broker_answer answer;
    struct hf_broker_question question = question_of(HF_KEEPER_HURRY);
    question.flags = is_urgent;
    if (own != NULL)
        hf_keeper_hurry(own, 0, is_urgent);
    else
        (void)!keeper_line_ask(&question, &answer, NULL);
}

uint64_t hf_keeper_line_stop_ns(struct hf_keeper *own)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = question_of(HF_KEEPER_PRICE);
    if (own != NULL)
        return hf_stop_price_ns();
    return keeper_line_ask(&question, &answer, NULL) == HF_OK ? answer.number : 0;
}
