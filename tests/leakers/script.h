/*
 * script.h: what the scripts of leakers.h are made of: blocks in the order in which they came,
 * blocks with a life of their own, rates, chance.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "leakers.h"

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
#define HOUR 3600u
#define BLOCKS_MAX 40000
#define SECONDS_MAX (72 * HOUR)

#define SERVED(...) PATH({run_server}, {serve}, __VA_ARGS__)

/* Functions that all scripts have. */
void run_server(const struct step *path, struct request *request);
void serve(const struct step *path, struct request *request);

/* The script's own chance: not the sampler's. */
void chance_begin(uint64_t number);
uint64_t chance(uint64_t below);
double chance_between(double low, double high);
double chance_exponential(double mean);
size_t any_size(void); /* 256 bytes to 512 KiB, small ones more often */
size_t size_between(size_t low, size_t high);
size_t size_with_tail(size_t low, size_t high); /* Pareto's, with 1.1: few make most of the bytes */
unsigned arrivals(double rate);                 /* in a second, of `rate` on average: Poisson's */

/* The load at this second: `night` at the start of each day, 1 at its middle. */
double load_by_day(unsigned second, unsigned day_s, double night);

/* Blocks in the order in which they came. All-zero is empty. */
struct queue {
    struct block blocks[BLOCKS_MAX];
    size_t first, end; /* [first, end), modulo BLOCKS_MAX */
    size_t size_bytes;
};
void push(struct queue *q, const struct step *path, size_t size);
void pop(struct queue *q, const struct step *path);
size_t count_of(const struct queue *q);
void empty(struct queue *q, const struct step *path);

/* Makes room for it first: at most `limit` bytes. */
void push_bounded(
    struct queue *q, const struct step *in, const struct step *out, size_t size, size_t limit);

/* Gives back the block at `index` of the queue, which was never longer than BLOCKS_MAX in all; the
 * newest takes its place. */
void give_any(struct queue *q, size_t index, const struct step *path);

/* Blocks that each live for a time. All-zero is empty. */
struct crowd {
    struct mortal {
        struct block block;
        uint32_t next;
    } blocks[BLOCKS_MAX]; /* from 1 on */
    uint32_t used, unused;
    uint32_t due[SECONDS_MAX + 1]; /* the first that ends in this second */
    size_t count, size_bytes;
};
void crowd_add(
    struct crowd *crowd, unsigned second, const struct step *path, size_t size, double life_s);
void crowd_bury(struct crowd *crowd, unsigned second, const struct step *path);

/* Two of each, for whoever needs no more. */
extern struct queue queues[2];
extern struct crowd crowds[2];

/* True while a block is taken that will never be given back, by forget or with such a life. */
#define FOR_EVER 1e9
extern bool is_for_ever;

/* Takes a block of which nobody will ever know again. */
void forget(const struct step *path, size_t size);

/* A block of crowds[0] that lives so long, and a second, or for ever. */
void keep_or_not(unsigned second, const struct step *path, size_t size, double life_s);

/* How many events there are now, if there have been `total` until now. All-zero is none yet. */
struct tally {
    uint64_t done;
};
unsigned due(struct tally *tally, double total);

/* Forgets as many blocks until now as `total` says. */
void forget_until(double total, const struct step *path, size_t size);

/* What every server has beside: something loaded, and what a request needs for a moment. */
void live_anyhow(unsigned second);

#endif
