/*
 * alarm_months.c: how often a method would cry "leak" at a process that does not leak, in months of
 * simulated time: a point a minute, ten places, the sampler's error drawn, no files.
 *
 *     alarm-months METHOD MONTHS SEED EVERY [LEAK_KIB [LEARN_DAYS]]
 *
 * METHOD is one of `methods` below, asked every EVERY minutes. Each process-month has ten places of
 * other sizes, rates and laws (`laws`), all of them bounded or following a load that goes up and
 * down by the day. With LEAK_KIB, the first place leaks as much a minute from a time in the second
 * week on, and the delay of the first alarm after that counts.
 *
 * Blocks of a place are of one size. Only those that the sampler picks are drawn: so many Poisson's
 * a minute, each with its birth and its end. A method is shown what a live table could tell of
 * them (struct place), and keeps what it likes.
 *
 * Prints "months N alarms N months_with N found N delay_median M", and alarms by law.
 */
#include "analysis/verdict_course.h"
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

/* What there is to know of a place: sampled blocks by the minute of their birth. */
struct place {
    const struct law *law;
    double weight; /* bytes that a sample stands for */
    double noise;  /* hf_trend_noise */
    uint32_t now;  /* minutes */
    uint32_t in_use;
    uint32_t born[MONTH], alive[MONTH]; /* of those born then, how many are in use now */

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

static void end_one(struct place *place, uint32_t birth)
{
    place->alive[birth]--;
    place->in_use--;
}

static void begin_one(struct place *place)
{
    place->born[place->now]++;
    place->alive[place->now]++;
    place->in_use++;
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
    place->weight = size / part;
    place->noise = hf_trend_noise(PERIOD, size);
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

/* A method keeps of each place what it needs, and says whether it calls it a leak. */
struct method {
    const char *name;
    void *(*begin)(void);
    void (*add)(void *kept, const struct place *place); /* each minute */
    bool (*is_leak)(void *kept, const struct place *place);
};

/* The method of series without births: 64 points, of which two become one when there is no room. */
struct history {
    double times_s[HF_TREND_POINTS_MAX], values[HF_TREND_POINTS_MAX];
    double time_s, value; /* sums of the point that is not whole */
    uint32_t of_point, profiles_per_point;
    size_t count;
};

static void *history_begin(void)
{
    struct history *history = calloc(1, sizeof *history);
    if (history == NULL)
        abort();
    history->profiles_per_point = 1;
    return history;
}

static void history_halve(struct history *history)
{
    for (size_t i = 0; i < HF_TREND_POINTS_MAX / 2; i++) {
        history->times_s[i] = (history->times_s[2 * i] + history->times_s[2 * i + 1]) / 2;
        history->values[i] = (history->values[2 * i] + history->values[2 * i + 1]) / 2;
    }
    history->count = HF_TREND_POINTS_MAX / 2;
    history->profiles_per_point *= 2;
}

static void history_add(void *kept, const struct place *place)
{
    struct history *history = kept;
    history->time_s += place->now * 60.0;
    history->value += place->in_use * place->weight;
    if (++history->of_point < history->profiles_per_point)
        return;
    if (history->count == HF_TREND_POINTS_MAX) {
        history_halve(history);
        return; /* half of a point: the next one completes it */
    }
    history->times_s[history->count] = history->time_s / history->of_point;
    history->values[history->count++] = history->value / history->of_point;
    history->time_s = history->value = history->of_point = 0;
}

static bool history_is_leak(void *kept, const struct place *place)
{
    const struct history *history = kept;
    if (history->count < HF_TREND_POINTS_MIN)
        return false;
    struct hf_trend trend = hf_trend_of(&(struct hf_trend_points){.times_s = history->times_s,
        .values = history->values,
        .count = history->count,
        .noise = place->noise});
    return hf_verdict_of(&(struct hf_verdict_facts){.trend = &trend,
                             .times_s = history->times_s,
                             .values = history->values,
                             .count = history->count,
                             .share = 1,
                             .old_freed = NAN,
                             .is_bytes = true})
               .kind == HF_VERDICT_LEAK;
}

/*
 * The alarm: by who survives (statistics/survival.h) and how many (statistics/alarm.h). A look is
 * what is in use by epoch of birth; of 64 looks every second goes when there is no room, and epochs
 * become longer, so that they are as long as the time between looks.
 */
struct watch {
    struct hf_survival_table table;
    struct hf_survival_look looks[HF_SURVIVAL_LOOKS]; /* what each said */
    uint32_t between, epoch;                          /* minutes */
    struct hf_survival leak;                          /* the last that showed one */
    bool is_told;
};

static double false_a_month = 0.05, least_kib = 64, learn_days = 7;

static void *watch_begin(void)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        abort();
    watch->between = watch->epoch = 1;
    return watch;
}

static void watch_halve(struct watch *watch)
{
    struct hf_survival_table *table = &watch->table;
    for (size_t i = 0; i < HF_SURVIVAL_LOOKS / 2; i++) {
        table->looks_s[i] = table->looks_s[2 * i + 1];
        watch->looks[i] = watch->looks[2 * i + 1];
        for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++)
            table->in_use[i][e] =
                2 * e < HF_SURVIVAL_EPOCHS
                    ? table->in_use[2 * i + 1][2 * e] + table->in_use[2 * i + 1][2 * e + 1]
                    : 0;
    }
    table->look_count = HF_SURVIVAL_LOOKS / 2;
    watch->between *= 2;
    watch->epoch *= 2;
}

static bool is_against(const struct hf_survival_look *look)
{
    return (look->kind == HF_SURVIVAL_RENEWED && !look->may_stay) ||
           (look->kind == HF_SURVIVAL_ENDED && look->fall >= HF_SURVIVAL_FALL);
}

/* As analysis/verdict_course.h has it, of survivors alone. */
static void watch_tell(struct watch *watch)
{
    size_t n = watch->table.look_count;
    const struct hf_survival_look *last = &watch->looks[n - 1], *before = &watch->looks[n - 2];
    if (last->kind == HF_SURVIVAL_LEAK && before->kind == HF_SURVIVAL_LEAK)
        watch->is_told = true;
    else if ((is_against(last) && is_against(before)) || (last->is_doubted && before->is_doubted))
        watch->is_told = false;
}

static void watch_add(void *kept, const struct place *place)
{
    struct watch *watch = kept;
    struct hf_survival_table *table = &watch->table;
    if ((place->now + 1) % watch->between != 0)
        return;
    if (table->look_count == HF_SURVIVAL_LOOKS) {
        watch_halve(watch);
        return; /* half of the time: the next one completes it */
    }
    double *in_use = table->in_use[table->look_count];
    memset(in_use, 0, sizeof table->in_use[0]);
    for (uint32_t minute = 0; minute <= place->now; minute++)
        in_use[minute / watch->epoch] += place->alive[minute];
    table->sample = place->weight;
    table->epoch_s = watch->epoch * 60.0;
    table->looks_s[table->look_count++] = (place->now + 1) * 60.0;
    struct hf_survival survival = hf_survival_of(table);
    struct hf_survival_look *look = &watch->looks[table->look_count - 1];
    *look = (struct hf_survival_look){.kind = survival.kind, .fall = survival.fall};
    if (survival.kind == HF_SURVIVAL_LEAK)
        watch->leak = survival;
    else if (survival.kind == HF_SURVIVAL_UNDECIDED)
        look->is_doubted = hf_survival_doubts(table, &survival, &watch->leak);
    else if (survival.kind == HF_SURVIVAL_RENEWED && watch->is_told)
        look->may_stay = hf_survival_may_stay(table);
    if (table->look_count >= HF_SURVIVAL_LOOKS_MIN)
        watch_tell(watch);
}

static bool watch_is_leak(void *kept, const struct place *place)
{
    const struct watch *watch = kept;
    (void)place;
    const struct hf_alarm_rules rules = {.false_a_month = false_a_month,
        .places = PLACES,
        .least_rate = least_kib * 1024 / 60,
        .learn_s = learn_days * DAY * 60,
        .look_s = 60};
    const struct hf_survival_table *table = &watch->table;
    return watch->is_told && hf_alarm_rings(&rules, &watch->leak, table->sample,
                                 table->looks_s[table->look_count - 1]);
}

static const struct method methods[] = {
    {"totals", history_begin, history_add, history_is_leak},
    {"survivors", watch_begin, watch_add, watch_is_leak},
};

static struct sums {
    unsigned alarms, months_with, found;
    unsigned by_law[PLACES];
    double delays[10000];
} sums;

static void live_month(const struct method *method, uint32_t every, double leak_bytes)
{
    static struct place places[PLACES];
    void *kept[PLACES];
    bool is_leak[PLACES] = {false};
    unsigned alarms = 0;
    double delay = -1;
    for (size_t i = 0; i < PLACES; i++) {
        draw_place(&places[i], &laws[i]);
        kept[i] = method->begin();
    }
    places[0].leak = leak_bytes / places[0].weight;
    places[0].leak_from = (uint32_t)between(7 * DAY, 14 * DAY);
    for (uint32_t now = 0; now < MONTH; now++) {
        for (size_t i = 0; i < PLACES; i++) {
            live_minute(&places[i], now);
            method->add(kept[i], &places[i]);
            if (now % every != 0)
                continue;
            bool was = is_leak[i];
            is_leak[i] = method->is_leak(kept[i], &places[i]);
            bool is_true = places[i].leak != 0 && now >= places[i].leak_from;
            if (is_true && is_leak[i] && delay < 0)
                delay = now - places[i].leak_from;
            sums.by_law[i] += is_leak[i] && !was && !is_true;
            alarms += is_leak[i] && !was && !is_true;
        }
    }
    sums.alarms += alarms;
    sums.months_with += alarms != 0;
    if (delay >= 0 && sums.found < HF_COUNT(sums.delays))
        sums.delays[sums.found++] = delay;
    for (size_t i = 0; i < PLACES; i++)
        free(kept[i]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    uint64_t months, every, leak_kib = 0, learn = 7;
    const struct method *method = NULL;
    for (size_t i = 0; argc > 1 && i < HF_COUNT(methods); i++) {
        if (strcmp(methods[i].name, argv[1]) == 0)
            method = &methods[i];
    }
    if (argc < 5 || argc > 7 || method == NULL || !hf_num_u64(hf_text_of(argv[2]), &months) ||
        !hf_num_u64(hf_text_of(argv[3]), &state) || !hf_num_u64(hf_text_of(argv[4]), &every) ||
        (argc >= 6 && !hf_num_u64(hf_text_of(argv[5]), &leak_kib)) ||
        (argc == 7 && !hf_num_u64(hf_text_of(argv[6]), &learn)) || every == 0) {
        fprintf(stderr,
            "usage: alarm-months totals|survivors MONTHS SEED EVERY [LEAK_KIB [LEARN_DAYS]]\n");
        return 2;
    }
    learn_days = (double)learn;
    state = (state + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t month = 0; month < months; month++)
        live_month(method, (uint32_t)every, (double)leak_kib * 1024);
    qsort(sums.delays, sums.found, sizeof *sums.delays, compare);
    printf("months %" PRIu64 " alarms %u months_with %u found %u", months, sums.alarms,
        sums.months_with, sums.found);
    printf(" delay_median %.0f\n", sums.found != 0 ? sums.delays[sums.found / 2] : 0);
    for (size_t i = 0; i < PLACES; i++)
        printf("%s %u\n", laws[i].name, sums.by_law[i]);
    return 0;
}
