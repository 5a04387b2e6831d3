/* Loads the timetable of a bus company (routes, trips, stop times as CSV), and answers when the next bus leaves a stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stop_time {
    char *trip_id, *headsign;
    int arrival, departure, sequence;
};

struct stop {
    char id[16], name[48];
    struct stop_time **times;
    int count, room;
};

struct timetable {
    struct stop *stops;
    int stop_count;
    int services;
};

struct csv {
    char *line;
    char *fields[12];
    int n;
};

static void *must(void *p)
{
    if (!p) {
        perror("timetable");
        exit(1);
    }
    return p;
}

static void csv_split(struct csv *csv, const char *text)
{
    free(csv->line);
    csv->line = must(strdup(text));
    csv->n = 0;
    for (char *p = csv->line; p && csv->n < 12;) {
        csv->fields[csv->n++] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = '\0';
    }
}

static int parse_clock(const char *text)
{
    int h = 0, m = 0, s = 0;
    sscanf(text, "%d:%d:%d", &h, &m, &s);
    return h * 3600 + m * 60 + s;
}

static void load_stops(struct timetable *t, int count)
{
    t->stops = must(calloc((size_t)count, sizeof(*t->stops)));
    t->stop_count = count;
    for (int i = 0; i < count; i++) {
        snprintf(t->stops[i].id, sizeof(t->stops[i].id), "S%d", i);
        snprintf(t->stops[i].name, sizeof(t->stops[i].name), "Station Road %d", i);
    }
}

static void add_time(struct stop *stop, struct stop_time *time)
{
    if (stop->count == stop->room) {
        stop->room = stop->room ? stop->room * 2 : 8;
        stop->times = must(realloc(stop->times, (size_t)stop->room * sizeof(*stop->times)));
    }
    stop->times[stop->count++] = time;
}

/* trip_id,arrival,departure,stop_id,sequence,headsign */
static void load_stop_time(struct timetable *t, struct csv *csv)
{
    int stop = atoi(csv->fields[3] + 1);
    if (csv->n < 6 || stop >= t->stop_count)
        return;
    struct stop_time *time = must(malloc(sizeof(*time)));
    time->trip_id = must(strdup(csv->fields[0])); /* guilty */
    time->headsign = must(strdup(csv->fields[5]));
    time->arrival = parse_clock(csv->fields[1]);
    time->departure = parse_clock(csv->fields[2]);
    time->sequence = atoi(csv->fields[4]);
    add_time(&t->stops[stop], time);
}

static int by_departure(const void *a, const void *b)
{
    const struct stop_time *x = *(struct stop_time *const *)a, *y = *(struct stop_time *const *)b;
    return x->departure - y->departure;
}

static void sort_times(struct timetable *t)
{
    for (int i = 0; i < t->stop_count; i++)
        if (t->stops[i].count)
            qsort(t->stops[i].times, (size_t)t->stops[i].count, sizeof(*t->stops[i].times), by_departure);
}

static const struct stop_time *next_departure(const struct stop *stop, int now)
{
    for (int i = 0; i < stop->count; i++)
        if (stop->times[i]->departure >= now)
            return stop->times[i];
    return NULL;
}

int main(void)
{
    struct timetable t = {0};
    struct csv csv = {0};
    load_stops(&t, 1800);
    for (int trip = 0; trip < 12000; trip++) {
        int start = 5 * 3600 + trip % 70 * 900;
        for (int k = 0; k < 24; k++) {
            char line[160];
            int at = start + k * 130;
            snprintf(line, sizeof(line), "weekday-2024-%d-%05d,%d:%02d:%02d,%d:%02d:00,S%d,%d,Central Station via Hill Street %d", trip % 7, trip,
                     at / 3600, at / 60 % 60, at % 60, at / 3600, at / 60 % 60 + (at % 60 > 0), (trip / 70 * 11 + k * 3) % 1800, k, trip % 9);
            csv_split(&csv, line);
            load_stop_time(&t, &csv);
        }
    }
    sort_times(&t);
    int waits = 0;
    for (int i = 0; i < t.stop_count; i++) {
        const struct stop_time *next = next_departure(&t.stops[i], 12 * 3600);
        waits += next ? next->departure - 12 * 3600 : 0;
    }
    printf("%d stops, mean wait %d s\n", t.stop_count, waits / t.stop_count);
    free(csv.line);
    return 0;
}
