#include "script.h"

#include "base/strings/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLACE_FOR_ALL(run_server)
PLACE_FOR_ALL(serve)
PLACE(load_config)
PLACE(scratch)

struct queue queues[2];
struct crowd crowds[2];
bool is_for_ever;

static uint64_t chance_state = 88172645463325252u;

void chance_begin(uint64_t number)
{
    chance_state = (number + 1) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 16; i++)
        (void)chance(2);
}

uint64_t chance(uint64_t below)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (chance_state >> 11) % below;
}

double chance_between(double low, double high)
{
    return low + (high - low) * ((double)chance(1u << 30) + 0.5) / (1u << 30);
}

double chance_exponential(double mean)
{
    return -mean * log(chance_between(0, 1));
}

size_t any_size(void)
{
    size_t size = 256;
    while (size < 256 * KIB && chance(10) < 7)
        size *= 2;
    return size + chance(size);
}

size_t size_between(size_t low, size_t high)
{
    return low + (size_t)chance(high - low + 1);
}

size_t size_with_tail(size_t low, size_t high)
{
    double size = (double)low * pow(chance_between(0, 1), -1 / 1.1);
    return size < (double)high ? (size_t)size : high;
}

unsigned arrivals(double rate)
{
    unsigned count = 0;
    for (double at = chance_exponential(1); at < rate; at += chance_exponential(1))
        count++;
    return count;
}

double load_by_day(unsigned second, unsigned day_s, double night)
{
    const double pi = 3.14159265358979323846;
    return night + (1 - night) * (1 - cos(2 * pi * second / day_s)) / 2;
}

static void too_many(void)
{
    fprintf(stderr, "leakers: the script has too many blocks\n");
    exit(1);
}

void push(struct queue *q, const struct step *path, size_t size)
{
    if (q->end - q->first == BLOCKS_MAX)
        too_many();
    struct block *block = &q->blocks[q->end++ % BLOCKS_MAX];
    take(path, block, size);
    q->size_bytes += size;
}

void pop(struct queue *q, const struct step *path)
{
    struct block *block = &q->blocks[q->first++ % BLOCKS_MAX];
    q->size_bytes -= block->size;
    give(path, block);
}

size_t count_of(const struct queue *q)
{
    return q->end - q->first;
}

void push_bounded(
    struct queue *q, const struct step *in, const struct step *out, size_t size, size_t limit)
{
    while (count_of(q) != 0 && q->size_bytes + size > limit)
        pop(q, out);
    push(q, in, size);
}

void empty(struct queue *q, const struct step *path)
{
    while (count_of(q) != 0)
        pop(q, path);
}

void give_any(struct queue *q, size_t index, const struct step *path)
{
    struct block *block = &q->blocks[(q->first + index) % BLOCKS_MAX];
    q->size_bytes -= block->size;
    give(path, block);
    *block = q->blocks[--q->end % BLOCKS_MAX];
}

void crowd_add(
    struct crowd *crowd, unsigned second, const struct step *path, size_t size, double life_s)
{
    uint32_t number = crowd->unused;
    if (number != 0)
        crowd->unused = crowd->blocks[number].next;
    else if (crowd->used + 1 < BLOCKS_MAX)
        number = ++crowd->used;
    else
        too_many();
    double end_s = second + life_s;
    unsigned end = end_s < SECONDS_MAX ? (unsigned)end_s : SECONDS_MAX;
    struct mortal *mortal = &crowd->blocks[number];
    is_for_ever = life_s >= FOR_EVER;
    take(path, &mortal->block, size);
    is_for_ever = false;
    mortal->next = crowd->due[end];
    crowd->due[end] = number;
    crowd->count++;
    crowd->size_bytes += size;
}

void crowd_bury(struct crowd *crowd, unsigned second, const struct step *path)
{
    while (crowd->due[second] != 0) {
        uint32_t number = crowd->due[second];
        struct mortal *mortal = &crowd->blocks[number];
        crowd->due[second] = mortal->next;
        crowd->count--;
        crowd->size_bytes -= mortal->block.size;
        give(path, &mortal->block);
        mortal->next = crowd->unused;
        crowd->unused = number;
    }
}

void forget(const struct step *path, size_t size)
{
    struct block block;
    is_for_ever = true;
    take(path, &block, size);
    is_for_ever = false;
}

void keep_or_not(unsigned second, const struct step *path, size_t size, double life_s)
{
    if (life_s >= FOR_EVER)
        forget(path, size);
    else
        crowd_add(&crowds[0], second, path, size, 1 + life_s);
}

unsigned due(struct tally *tally, double total)
{
    uint64_t until = total > 0 ? (uint64_t)total : 0;
    unsigned count = until > tally->done ? (unsigned)(until - tally->done) : 0;
    tally->done += count;
    return count;
}

void forget_until(double total, const struct step *path, size_t size)
{
    static struct tally forgotten;
    for (unsigned i = due(&forgotten, total); i != 0; i--)
        forget(path, size);
}

void live_anyhow(unsigned second)
{
    struct block brief[20];
    for (int i = 0; second == 0 && i < 64; i++)
        forget(PATH({run_server}, {load_config}), 256 * KIB);
    for (int i = 0; i < 20; i++)
        take(SERVED({scratch}), &brief[i], 16 * KIB);
    for (int i = 0; i < 20; i++)
        give(SERVED({scratch}), &brief[i]);
}

const struct leaker *leaker_find(const char *name)
{
    const struct leaker *const sets[] = {leakers, set4_leaks, set4_caches, set4_others, set5_leaks,
        set5_incidents, set5_bounded, set6_leaks, set6_incidents, set6_bounded, set7_leaks,
        set7_incidents, set7_bounded, set8_leaks, set8_incidents, set8_bounded, set9_leaks,
        set9_incidents, set9_bounded, drawn};
    const char *colon = strchr(name, ':');
    size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);
    uint64_t number = 0;
    if (colon != NULL && !hf_num_u64(hf_text_of(colon + 1), &number))
        return NULL;
    if (colon != NULL)
        chance_begin(number);
    for (size_t set = 0; set < sizeof sets / sizeof sets[0]; set++) {
        for (const struct leaker *leaker = sets[set]; leaker->name != NULL; leaker++) {
            if (strlen(leaker->name) == length && strncmp(leaker->name, name, length) == 0)
                return leaker;
        }
    }
    return NULL;
}
