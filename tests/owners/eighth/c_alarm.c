/* The alarm part of a plant's control: tags are scanned, limits raise alarms, operators acknowledge them. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_TAGS 8000
#define N_SCANS 130
#define HISTORY 64

typedef enum { SEV_INFO, SEV_WARNING, SEV_HIGH, SEV_TRIP } Severity;

typedef struct Alarm {
    struct Alarm *next;
    uint32_t tag, scan, cleared_at;
    Severity severity;
    double value;
    char *message;
    char *action;
    int is_acknowledged;
} Alarm;

typedef struct {
    char name[40];
    char *description;
    double low, high, deadband;
    float history[HISTORY];
    Alarm *active;
} Tag;

typedef struct {
    Tag *tags;
    Alarm *journal;
    Alarm **journal_end;
    unsigned long raised, cleared, acknowledged;
} Plant;

static void fatal(const char *what)
{
    fprintf(stderr, "plant: %s\n", what);
    exit(1);
}

static char *format_text(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        fatal("no memory for a text");
    va_end(args);
    return text;
}

static void *new_object(size_t size)
{
    void *object = calloc(1, size);
    if (object == NULL)
        fatal("no memory");
    return object;
}

static void configure(Plant *plant)
{
    static const char *const kinds[] = {"TEMP", "PRES", "FLOW", "LEVEL", "VIBR"};
    plant->tags = new_object(N_TAGS * sizeof(Tag));
    plant->journal_end = &plant->journal;
    for (int i = 0; i < N_TAGS; i++) {
        Tag *tag = &plant->tags[i];
        snprintf(tag->name, sizeof tag->name, "U%02d.%s.%04d", i % 24, kinds[i % 5], i);
        tag->description = format_text("Unit %d, %s transmitter no. %d, loop %d, cabinet %d, terminal %d, calibrated in week %d", i % 24,
                                       kinds[i % 5], i, i / 4, i / 64, i % 64, i % 52);
        tag->low = 10;
        tag->high = 90;
        tag->deadband = i % 8 == 0 ? 0 : 2;
    }
}

static double read_tag(int number, uint32_t scan)
{
    double slow = 40 * sin(scan / 9.0 + number);
    double noise = (double)((number * 7919u + scan * 104729u) % 200) / 10 - 10;
    return 50 + slow + noise;
}

static Alarm *raise_alarm(Plant *plant, uint32_t number, Severity severity, double value, uint32_t scan)
{
    Tag *tag = &plant->tags[number];
    Alarm *alarm = new_object(sizeof *alarm);
    alarm->tag = number;
    alarm->scan = scan;
    alarm->severity = severity;
    alarm->value = value;
    alarm->message = format_text("%s: value %.2f outside of %.1f to %.1f in scan %u (%s)", /* guilty */
                                 tag->name, value, tag->low, tag->high, scan, tag->description);
    alarm->action = format_text("call operator of unit %u, then technician on duty; see procedure %u-%d", number % 24, number, severity);
    *plant->journal_end = alarm;
    plant->journal_end = &alarm->next;
    tag->active = alarm;
    plant->raised++;
    return alarm;
}

static void clear_alarm(Plant *plant, Tag *tag, uint32_t scan)
{
    tag->active->cleared_at = scan;
    tag->active = NULL;
    plant->cleared++;
}

static void check_limits(Plant *plant, uint32_t number, double value, uint32_t scan)
{
    Tag *tag = &plant->tags[number];
    int is_out = value < tag->low || value > tag->high;
    if (is_out && tag->active == NULL) {
        Severity severity = value > tag->high + 8 ? SEV_TRIP : value > tag->high ? SEV_HIGH : SEV_WARNING;
        Alarm *alarm = raise_alarm(plant, number, severity, value, scan);
        if (severity == SEV_TRIP)
            alarm->is_acknowledged = 0;
    } else if (!is_out && tag->active != NULL && value > tag->low + tag->deadband && value < tag->high - tag->deadband) {
        clear_alarm(plant, tag, scan);
    }
}

static void acknowledge(Plant *plant, uint32_t scan)
{
    for (int i = (int)scan % 7; i < N_TAGS; i += 7) {
        Alarm *alarm = plant->tags[i].active;
        if (alarm != NULL && !alarm->is_acknowledged) {
            alarm->is_acknowledged = 1;
            plant->acknowledged++;
        }
    }
}

static char *shift_report(const Plant *plant, uint32_t scan)
{
    char *report = format_text("Shift until scan %u\n", scan);
    int lines = 0;
    for (int i = 0; i < N_TAGS && lines < 20; i++) {
        if (plant->tags[i].active == NULL)
            continue;
        char *longer = format_text("%s%s\n", report, plant->tags[i].active->message);
        free(report);
        report = longer;
        lines++;
    }
    return report;
}

int main(void)
{
    static Plant plant;
    size_t reported = 0;
    configure(&plant);
    for (uint32_t scan = 0; scan < N_SCANS; scan++) {
        for (uint32_t i = 0; i < N_TAGS; i++) {
            double value = read_tag((int)i, scan);
            plant.tags[i].history[scan % HISTORY] = (float)value;
            check_limits(&plant, i, value, scan);
        }
        acknowledge(&plant, scan);
        if (scan % 30 == 29) {
            char *report = shift_report(&plant, scan);
            reported += strlen(report);
            free(report);
        }
    }
    printf("%lu raised, %lu cleared, %lu acknowledged, %zu bytes of reports\n", plant.raised, plant.cleared, plant.acknowledged, reported);
    return 0;
}
