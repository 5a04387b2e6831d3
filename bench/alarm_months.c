/*
 * alarm_months.c: how often the alarm of watch (answer/history/leak_alarm.h) is false, and how late
 * it is, in months of simulated time: a look a minute, ten places, the sampler's error drawn, no
 * files.
 *
 *     alarm-months MONTHS SEED LEARN_DAYS [LEAK_KIB FROM_DAY TO_DAY]
 *
 * Each process-month has ten places of other sizes, rates and laws (`laws`), all of them bounded or
 * following a load that goes up and down by the day. With LEAK_KIB, the first place leaks as much a
 * minute from a time between the two days on, and the delay of the alarm about it counts; the month
 * ends with it, or eight days later.
 *
 * Blocks of a place are of one size. Only those that the sampler picks are drawn: so many Poisson's
 * a minute, each with its birth and its end. The alarm is shown what a live table would tell of
 * them: a profile, and births.
 *
 * Prints "months N alarms N months_with N found N delay_median M delay_most M by_window N", and
 * false alarms by law.
 */
#include "answer/history/leak_alarm.h"
#include "base/attr.h"
#include "base/strings/num.h"
#include "statistics/alarm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MONTH (30u * 24 * 60)
#define DAY (24.0 * 60)
#define PLACES 10
#define PERIOD (512u << 10)
#define BLOCKS_MAX 50000
#define BEGAN_MS INT64_C(1790000000000)
#define MINUTE_NS UINT64_C(60000000000)
#define LEAK_DAYS 8 /* nobody waits for longer */

/* What there is to know of a place: sampled blocks by the minute of their birth. */
struct place {
    const struct law *law;
    double size;   /* of a block */
    double weight; /* bytes that a sample stands for */
    uint32_t now;  /* minutes */
    uint32_t in_use;
    uint64_t ever;                        /* samples */
    uint32_t alive[MONTH];                /* of those born then, how many are in use now */
    uint32_t epochs[HF_LIFETIMES_EPOCHS]; /* the same by epochs of the process */

    /* The rest is the law's. */
    double rate;  /* samples a minute at a load of 1 */
    double life;  /* minutes: mean, or all, or a time constant */
    double most;  /* samples in use, of what is bounded */
    double load;  /* that walks */
    double phase; /* of the day */
    double next;  /* when something happens */
    double leak;  /* samples a minute from leak_from on */
    uint32_t leak_from;
    uint32_t oldest;
    uint32_t due[MONTH + 1]; /* 1 + the first block that ends then */
    struct {
        uint32_t birth, next;
    } blocks[BLOCKS_MAX];
    uint32_t used, unused;
};

struct law {
    const char *name;
    void (*live)(struct place *place);
};

static uint64_t state = 1;

static double unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double between(double low, double high)
{
    return low + (high - low) * unit();
}

static double exponential(double mean)
{
    return -mean * log(unit());
}

/* Poisson's; above 50 by the normal distribution. */
static uint32_t poisson(double mean)
{
    if (mean > 50) {
        double normal = sqrt(-2 * log(unit())) * cos(2 * M_PI * unit());
        return (uint32_t)fmax(0, round(mean + sqrt(mean) * normal));
    }
    uint32_t count = 0;
    for (double product = unit(), least = exp(-mean); product > least; product *= unit())
        count++;
    return count;
}

static uint32_t epoch_shift; /* of all places */

static uint64_t epoch_of(uint32_t birth)
{
    return birth * MINUTE_NS >> epoch_shift;
}

static void end_one(struct place *place, uint32_t birth)
{
    place->alive[birth]--;
    place->epochs[epoch_of(birth)]--;
    place->in_use--;
}

static void begin_one(struct place *place)
{
    place->alive[place->now]++;
    place->epochs[epoch_of(place->now)]++;
    place->in_use++;
    place->ever++;
}

/* One that lives for so many minutes. */
static void begin_mortal(struct place *place, double life)
{
    double end = place->now + life;
    begin_one(place);
    if (end >= MONTH)
        return;
    uint32_t number = place->unused;
    if (number != 0)
        place->unused = place->blocks[number - 1].next;
    else if (place->used < BLOCKS_MAX)
        number = ++place->used;
    else
        abort();
    uint32_t at = (uint32_t)fmax(end, place->now + 1);
    if (at >= MONTH)
        return;
    place->blocks[number - 1].birth = place->now;
    place->blocks[number - 1].next = place->due[at];
    place->due[at] = number;
}

static void end_due(struct place *place)
{
    while (place->due[place->now] != 0) {
        uint32_t number = place->due[place->now];
        place->due[place->now] = place->blocks[number - 1].next;
        end_one(place, place->blocks[number - 1].birth);
        place->blocks[number - 1].next = place->unused;
        place->unused = number;
    }
}

static void end_oldest(struct place *place)
{
    while (place->alive[place->oldest] == 0)
        place->oldest++;
    end_one(place, place->oldest);
}

static void end_all(struct place *place)
{
    while (place->in_use != 0)
        end_oldest(place);
}

/* Of the day, and, less, of the week. */
static double load_of(const struct place *place)
{
    double day = sin(2 * M_PI * (place->now / DAY + place->phase));
    double week = sin(2 * M_PI * (place->now / (7 * DAY) + place->phase));
    return (1 + 0.6 * day) * (1 + 0.2 * week);
}

static void live_pool(struct place *place)
{
    for (uint32_t i = poisson(place->rate); i != 0; i--)
        begin_mortal(place, exponential(place->life));
}

static void live_lru(struct place *place)
{
    for (uint32_t i = poisson(place->rate * load_of(place)); i != 0; i--) {
        begin_one(place);
        if (place->in_use > place->most)
            end_oldest(place);
    }
}

static void live_ttl(struct place *place)
{
    for (uint32_t i = poisson(place->rate * load_of(place)); i != 0; i--)
        begin_mortal(place, place->life);
}

static void live_random(struct place *place)
{
    for (uint32_t i = poisson(place->rate * 0.2 * load_of(place)); i != 0; i--) {
        if (place->in_use > place->most) {
            uint32_t which = (uint32_t)(unit() * place->used);
            end_one(place, place->blocks[which].birth);
            place->blocks[which] = place->blocks[--place->used];
        }
        begin_one(place);
        place->blocks[place->used++].birth = place->now;
    }
}

/* Nothing is freed; ever less is new. */
static void live_memo(struct place *place)
{
    double constant = place->life * 10;
    for (uint32_t i = poisson(place->most / constant * exp(-place->now / constant)); i != 0; i--)
        begin_one(place);
}

static void live_queue(struct place *place)
{
    if (place->now % 10 == 0)
        place->load = fmin(3, fmax(0.2, place->load + between(-0.15, 0.15)));
    for (uint32_t i = poisson(place->rate * load_of(place) * place->load); i != 0; i--)
        begin_mortal(place, exponential(place->life / 4));
}

/* Two hours at night. */
static void live_batch(struct place *place)
{
    double hour = fmod(place->now / 60.0 + place->phase * 24, 24);
    for (uint32_t i = hour < 2 ? poisson(place->rate) : 0; i != 0; i--)
        begin_one(place);
    if (hour >= 2.2)
        end_all(place);
}

static void live_teeth(struct place *place)
{
    for (uint32_t i = poisson(place->rate * load_of(place)); i != 0; i--)
        begin_one(place);
    if (place->in_use > place->most)
        end_all(place);
}

/* Full, until somebody flushes it, every three days or so. */
static void live_flushed(struct place *place)
{
    if (place->now >= place->next) {
        end_all(place);
        place->next = place->now + exponential(3 * DAY);
    }
    live_lru(place);
}

/* Each stays for hours; a fifth more of them come by the end of the month. */
static void live_users(struct place *place)
{
    double more = 1 + 0.2 * place->now / MONTH;
    for (uint32_t i = poisson(place->rate * 0.3 * load_of(place) * more); i != 0; i--)
        begin_mortal(place, exponential(place->life * 4));
}

static const struct law laws[PLACES] = {
    {"pool", live_pool},
    {"lru", live_lru},
    {"ttl", live_ttl},
    {"random", live_random},
    {"memo", live_memo},
    {"queue", live_queue},
    {"batch", live_batch},
    {"teeth", live_teeth},
    {"flushed", live_flushed},
    {"users", live_users},
};

static void draw_place(struct place *place, const struct law *law)
{
    double size = exp2(between(8, 18)), part = 1 - exp(-size / PERIOD);
    memset(place, 0, sizeof *place);
    place->law = law;
    place->size = size;
    place->weight = size / part;
    place->rate = exp2(between(0, 5));  /* 0.5 to 16 MiB a minute */
    place->life = exp2(between(1, 7));  /* 2 minutes to 2 hours */
    place->most = exp2(between(6, 10)); /* 32 to 512 MiB */
    place->load = 1;
    place->phase = unit();
    place->next = exponential(3 * DAY);
}

static void live_minute(struct place *place, uint32_t now)
{
    place->now = now;
    end_due(place);
    place->law->live(place);
    for (uint32_t i = now >= place->leak_from ? poisson(place->leak) : 0; i != 0; i--)
        begin_one(place);
}

/* There is an epoch for this minute. */
static void make_epochs(struct place *places, uint32_t now)
{
    while (epoch_of(now) >= HF_LIFETIMES_EPOCHS) {
        epoch_shift++;
        for (size_t i = 0; i < PLACES; i++) {
            uint32_t *epochs = places[i].epochs;
            for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
                epochs[e] = 2 * e < HF_LIFETIMES_EPOCHS ? epochs[2 * e] + epochs[2 * e + 1] : 0;
        }
    }
}

static _Noreturn void fail(const struct hf_error *err)
{
    fprintf(stderr, "alarm-months: %s\n", err->text);
    exit(1);
}

static void must(enum hf_status status, const struct hf_error *err)
{
    if (status != HF_OK)
        fail(err);
}

static uint32_t child_of(struct hf_profile *profile, uint32_t node, const char *name)
{
    struct hf_error err;
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    uint32_t id, child;
    must(hf_profile_string(profile, hf_text_of(name), &frame.name, &err), &err);
    must(hf_profile_frame(profile, &frame, &id, &err), &err);
    must(hf_stacktree_child(&profile->stacks, node, id, &child, &err), &err);
    return child;
}

/* Since `from_ms`, as the reader of a live table has it; what is older is in the first epoch. */
static void put_births(
    const struct place *place, const struct hf_lifetimes *lifetimes, struct hf_births *births)
{
    uint32_t since = 0;
    births->squares = place->in_use * place->weight * place->weight;
    if (lifetimes->born_from_ms == 0) {
        for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
            births->epochs[e] = place->epochs[e] * place->weight;
        return;
    }
    int64_t from_ms = lifetimes->born_from_ms - BEGAN_MS;
    for (uint32_t birth = (uint32_t)(from_ms / 60000) + 1; birth <= place->now; birth++) {
        uint64_t born_ns = birth * MINUTE_NS - (uint64_t)from_ms * 1000000;
        births->epochs[born_ns >> lifetimes->epoch_shift] += place->alive[birth] * place->weight;
        since += place->alive[birth];
    }
    births->epochs[0] += (place->in_use - since) * place->weight;
}

/* As a live table is read. */
static enum hf_status read_places(void *context, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    static const char *const types[] = {
        "inuse_objects", "inuse_space", "alloc_objects", "alloc_space"};
    const struct place *places = context;
    struct hf_profile *profile;
    must(hf_profile_new(&profile, err), err);
    for (size_t i = 0; i < HF_COUNT(types); i++)
        must(hf_profile_add_type(profile, types[i], i % 2 == 0 ? "objects" : "bytes", err), err);
    profile->default_type = HF_INUSE_SPACE;
    profile->capture.period_bytes = PERIOD;
    profile->given_bytes = UINT64_C(1) << 20; /* as a table has */
    uint64_t after_ns = places[0].now * MINUTE_NS;
    lifetimes->began_ms = lifetimes->born_from_ms != 0 ? lifetimes->born_from_ms : BEGAN_MS;
    after_ns -= (uint64_t)(lifetimes->began_ms - BEGAN_MS) * 1000000;
    lifetimes->epoch_shift = lifetimes->born_from_ms != 0 ? HF_LIFETIMES_EPOCH_SHIFT : epoch_shift;
    while (after_ns >> lifetimes->epoch_shift >= HF_LIFETIMES_EPOCHS)
        lifetimes->epoch_shift++;
    lifetimes->is_known = true;
    lifetimes->births = calloc(PLACES, sizeof *lifetimes->births);
    lifetimes->birth_count = PLACES;
    if (lifetimes->births == NULL)
        abort();
    for (size_t i = 0; i < PLACES; i++) {
        const struct place *place = &places[i];
        double bytes = place->in_use * place->weight, ever = (double)place->ever * place->weight;
        const uint64_t values[] = {(uint64_t)(bytes / place->size), (uint64_t)bytes,
            (uint64_t)(ever / place->size), (uint64_t)ever};
        uint32_t node =
            child_of(profile, child_of(profile, HF_STACK_ROOT, "main"), place->law->name);
        lifetimes->births[i].node = node;
        put_births(place, lifetimes, &lifetimes->births[i]);
        must(hf_profile_add_sample(profile, node, HF_THREAD_ALL, values, err), err);
    }
    *out_profile = profile;
    return HF_OK;
}

static double learn_days = 7;

static struct sums {
    unsigned alarms, months_with, found, by_window;
    unsigned by_law[PLACES];
    double delays[10000];
} sums;

/* Of which place the alarm tells: "pool keeps 3 MiB/min". */
static size_t told_place(const struct hf_leak_told *told)
{
    for (size_t i = 0; i < PLACES; i++) {
        size_t size = strlen(laws[i].name);
        if (strncmp(told->what, laws[i].name, size) == 0 && told->what[size] == ' ')
            return i;
    }
    return PLACES - 1;
}

/* Another minute; false: what this month is about has happened. */
static bool live_on(
    struct place *places, uint32_t now, struct hf_leak_alarm *alarm, unsigned *wrong)
{
    struct hf_error err;
    struct hf_leak_told told;
    const struct hf_request request = {.names = {.linkage_names = true}};
    const struct hf_leak_look look = {
        .dated = {"a process", BEGAN_MS + now * INT64_C(60000)}, .read = read_places, places};
    struct hf_budget budget = {.given_bytes = UINT64_C(1) << 40}; /* of months, not of an input */
    struct hf_budget_scope before = hf_budget_enter(&budget);
    make_epochs(places, now);
    for (size_t i = 0; i < PLACES; i++)
        live_minute(&places[i], now);
    must(hf_leak_alarm_look(alarm, &request, &look, &told, &err), &err);
    hf_budget_leave(before);
    if (places[0].leak > 0 && now > places[0].leak_from + LEAK_DAYS * DAY)
        return false;
    if (told.what[0] == '\0')
        return true;
    size_t at = told_place(&told);
    bool is_true = at == 0 && places[0].leak > 0 && now >= places[0].leak_from;
    bool is_of_window = alarm->told[alarm->told_count - 1].is_of_window;
    sums.by_window += is_of_window;
    if (is_true && sums.found < HF_COUNT(sums.delays)) {
        sums.delays[sums.found++] = now - places[0].leak_from;
        return false;
    }
    sums.by_law[at]++;
    ++*wrong;
    fprintf(stderr, "day %.2f: %s%s\n", now / DAY, told.what, is_of_window ? " (window)" : "");
    return true;
}

static void live_month(double leak_bytes, double from_day, double to_day)
{
    static struct place places[PLACES];
    static struct hf_leak_alarm alarm;
    unsigned wrong = 0;
    epoch_shift = HF_LIFETIMES_EPOCH_SHIFT;
    alarm = (struct hf_leak_alarm){.rules = {.false_a_month = HF_LEAK_FALSE_A_MONTH,
                                       .learn_ns = (uint64_t)(learn_days * DAY) * MINUTE_NS,
                                       .look_ns = MINUTE_NS}};
    for (size_t i = 0; i < PLACES; i++)
        draw_place(&places[i], &laws[i]);
    places[0].leak = leak_bytes / places[0].weight;
    places[0].leak_from = (uint32_t)between(from_day * DAY, to_day * DAY);
    for (uint32_t now = 0; now < MONTH && live_on(places, now, &alarm, &wrong); now++)
        continue;
    sums.alarms += wrong;
    sums.months_with += wrong != 0;
    hf_leak_alarm_done(&alarm);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    uint64_t numbers[6] = {0}; /* as they are given */
    bool is_right = argc == 4 || argc == 7;
    for (int i = 1; i < argc && is_right; i++)
        is_right = hf_num_u64(hf_text_of(argv[i]), &numbers[i - 1]);
    if (!is_right) {
        fprintf(stderr, "usage: alarm-months MONTHS SEED LEARN_DAYS [LEAK_KIB FROM_DAY TO_DAY]\n");
        return 2;
    }
    learn_days = (double)numbers[2];
    state = (numbers[1] + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t month = 0; month < numbers[0]; month++)
        live_month((double)numbers[3] * 1024, (double)numbers[4], (double)numbers[5]);
    qsort(sums.delays, sums.found, sizeof *sums.delays, compare);
    printf("months %" PRIu64 " alarms %u months_with %u found %u", numbers[0], sums.alarms,
        sums.months_with, sums.found);
    printf(" delay_median %.0f delay_most %.0f by_window %u\n",
        sums.found != 0 ? sums.delays[sums.found / 2] : 0,
        sums.found != 0 ? sums.delays[sums.found - 1] : 0, sums.by_window);
    for (size_t i = 0; i < PLACES; i++)
        printf("%s %u\n", laws[i].name, sums.by_law[i]);
    return 0;
}
