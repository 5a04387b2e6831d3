/*
 * keeper_line.h: how who reads asks who keeps the probes (attach/keeper/keeper.h): a worker without
 * rights its broker (os/process/broker.h), everybody else the keeper itself.
 *
 * Questions (os/broker_line.h), both sides of which are this program:
 *
 *   WANT    first: path of a probe's file, second: struct hf_perf_wish
 *   OPEN    -> number: how many rings, fd: struct hf_perf_file, one after the other
 *   RING    number -> fd, number: bytes
 *   BEGIN   first: a filter
 *   END
 *   COUNT   number: of the kind -> number
 *   CLOSE
 *   LOAD    second: struct hf_bpf_wish -> number: processors
 *   LOADED  -> number: processors
 *   MAP     number: enum hf_bpf_map -> fd
 *   PLACE   first: path of a probe's file, number: offset; flags: 1 returns, 2 is a birth
 *   ATTACH
 *   DETACH
 *   PAUSE
 *   UNLOAD
 *   HURRY   flags: 1 urgent
 *   PRICE   -> number: hf_stop_price_ns()
 *   All     -> error, flags: enum hf_status, text: the sentence
 */
#ifndef HF_ATTACH_KEEPER_LINE_H
#define HF_ATTACH_KEEPER_LINE_H

#include "attach/keeper/keeper.h"
#include "os/broker_line.h"

enum {
    HF_KEEPER_WANT = HF_BROKER_SERVICES + 16, /* behind those of net/http_line.h */
    HF_KEEPER_OPEN,
    HF_KEEPER_RING,
    HF_KEEPER_BEGIN,
    HF_KEEPER_END,
    HF_KEEPER_COUNT,
    HF_KEEPER_CLOSE,
    HF_KEEPER_LOAD,
    HF_KEEPER_LOADED,
    HF_KEEPER_MAP,
    HF_KEEPER_PLACE,
    HF_KEEPER_ATTACH,
    HF_KEEPER_DETACH,
    HF_KEEPER_PAUSE,
    HF_KEEPER_UNLOAD,
    HF_KEEPER_HURRY,
    HF_KEEPER_PRICE,
    HF_KEEPER_QUESTIONS,
};

/* The broker's side: a hf_broker_service (os/process/broker.h) with a struct hf_keeper as its
 * context. */
void hf_keeper_serve(
    void *keeper, const struct hf_broker_question *question, struct hf_broker_answer *answer);

/*
 * The reader's side, each as the function of keeper.h that it is called after. `own` is NULL in a
 * worker, which has no keeper but its broker.
 */
HF_MUST_CHECK enum hf_status hf_keeper_line_want(
    struct hf_keeper *own, const struct hf_perf_wish *wish, const char *path, struct hf_error *err);

/* The array is the caller's to free; of its descriptors nothing is to be done. */
HF_MUST_CHECK enum hf_status hf_keeper_line_open(struct hf_keeper *own,
    struct hf_perf_file **out_files, size_t *out_count, size_t *out_ring_count,
    struct hf_error *err);

/* Maps a ring, for the caller to close. */
HF_MUST_CHECK enum hf_status hf_keeper_line_ring(
    struct hf_keeper *own, size_t number, struct hf_perf_ring *ring, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_keeper_line_begin(
    struct hf_keeper *own, const char *filter, struct hf_error *err);
void hf_keeper_line_end(struct hf_keeper *own);
uint64_t hf_keeper_line_count(struct hf_keeper *own, uint32_t kind);
void hf_keeper_line_close(struct hf_keeper *own);

/* Descriptors of the caller's own. */
HF_MUST_CHECK enum hf_status hf_keeper_line_load(struct hf_keeper *own,
    const struct hf_bpf_wish *wish, int out_maps[HF_BPF_MAPS], uint32_t *out_processors,
    struct hf_error *err);
/* The same of the program that another reader had loaded. HF_ERR_INPUT: there is none. */
HF_MUST_CHECK enum hf_status hf_keeper_line_maps(struct hf_keeper *own, int out_maps[HF_BPF_MAPS],
    uint32_t *out_processors, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_keeper_line_place(
    struct hf_keeper *own, const struct hf_bpf_place *place, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_keeper_line_attach(struct hf_keeper *own, struct hf_error *err);
void hf_keeper_line_detach(struct hf_keeper *own);
void hf_keeper_line_pause(struct hf_keeper *own);
void hf_keeper_line_unload(struct hf_keeper *own);

/* Of the caller itself. */
void hf_keeper_line_hurry(struct hf_keeper *own, bool is_urgent);

/* hf_stop_price_ns() of who has the rights. */
uint64_t hf_keeper_line_stop_ns(struct hf_keeper *own);

#endif
