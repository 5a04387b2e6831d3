/* Follows the vans of a fleet by their receivers: sentences with checksums, positions, speed, stops, and who drives too fast. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VANS 60
#define WINDOW 30

typedef struct fix {
    double latitude, longitude;
    float speed, course;
    int second, satellites;
    char sentence[80];
} Fix;

typedef struct stop {
    struct stop *next;
    double latitude, longitude;
    int from, seconds;
} Stop;

typedef struct van {
    char plate[12];
    Fix *fixes;
    size_t count, room;
    Stop *stops;
    int standing_since, warnings;
    double kilometres;
} Van;

typedef struct fleet {
    Van vans[VANS];
    long sentences, bad;
} Fleet;

static unsigned seed = 2;

static unsigned rnd(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 10) % below;
}

static unsigned checksum(const char *text)
{
    unsigned sum = 0;
    while (*text && *text != '*')
        sum ^= (unsigned char)*text++;
    return sum;
}

static double degrees(double value)
{
    double whole = floor(value / 100.0);
    return whole + (value - whole * 100.0) / 60.0;
}

static int parse(const char *sentence, Fix *fix)
{
    double latitude, longitude;
    char north, east;
    const char *star = strchr(sentence, '*');
    if (sentence[0] != '$' || !star || strtoul(star + 1, NULL, 16) != checksum(sentence + 1))
        return 0;
    if (sscanf(sentence, "$GPRMC,%d,A,%lf,%c,%lf,%c,%f,%f,%d", &fix->second, &latitude, &north, &longitude, &east, &fix->speed, &fix->course, &fix->satellites) != 8)
        return 0;
    snprintf(fix->sentence, sizeof(fix->sentence), "%.*s", (int)(star - sentence), sentence);
    fix->latitude = degrees(latitude) * (north == 'S' ? -1 : 1);
    fix->longitude = degrees(longitude) * (east == 'W' ? -1 : 1);
    return 1;
}

static double distance(const Fix *a, const Fix *b)
{
    double y = (b->latitude - a->latitude) * 111.2;
    double x = (b->longitude - a->longitude) * 111.2 * cos(a->latitude * 0.0174533);
    return hypot(x, y);
}

static void add_fix(Van *v, const Fix *fix)
{
    if (v->count)
        v->kilometres += distance(&v->fixes[v->count - 1], fix);
    if (v->count == v->room) {
        v->room = v->room ? v->room + v->room / 2 : 64;
        Fix *more = realloc(v->fixes, v->room * sizeof(Fix)); /* guilty */
        if (!more)
            exit(1);
        v->fixes = more;
    }
    v->fixes[v->count++] = *fix;
}

static float recent_speed(const Van *v)
{
    size_t n = v->count < WINDOW ? v->count : WINDOW;
    float sum = 0;
    for (size_t i = v->count - n; i < v->count; i++)
        sum += v->fixes[i].speed;
    return n ? sum / (float)n : 0;
}

static void note_stop(Van *v, const Fix *fix)
{
    if (fix->speed < 1.0f) {
        if (!v->standing_since)
            v->standing_since = fix->second;
        return;
    }
    if (v->standing_since && fix->second - v->standing_since > 60) {
        Stop *s = malloc(sizeof(*s));
        if (!s)
            exit(1);
        *s = (Stop){v->stops, fix->latitude, fix->longitude, v->standing_since, fix->second - v->standing_since};
        v->stops = s;
    }
    v->standing_since = 0;
}

static void receive(Fleet *f, int number, const char *sentence)
{
    Van *v = &f->vans[number];
    Fix fix;
    f->sentences++;
    if (!parse(sentence, &fix)) {
        f->bad++;
        return;
    }
    add_fix(v, &fix);
    note_stop(v, &fix);
    if (fix.second % 30 == 0 && recent_speed(v) > 62.0f)
        v->warnings++;
}

static void drive(char *sentence, size_t room, int van, int second)
{
    int phase = (second + van * 37) % 900;
    double speed = phase < 150 ? 0.0 : 30.0 + 35.0 * sin(phase / 90.0) + rnd(5);
    double along = second * 0.004 + van;
    int n = snprintf(sentence, room, "$GPRMC,%d,A,%.4f,N,%.4f,E,%.1f,%.1f,%u", second, 5230.0 + fmod(along, 20.0), 1320.0 + fmod(along * 1.7, 30.0), speed < 0 ? 0.0 : speed, fmod(along * 10, 360.0), 5 + rnd(7));
    snprintf(sentence + n, room - (size_t)n, "*%02X", rnd(500) ? checksum(sentence + 1) : 0u);
}

static void report(const Fleet *f)
{
    for (int i = 0; i < VANS; i += 20) {
        const Van *v = &f->vans[i];
        int stops = 0, longest = 0;
        for (const Stop *s = v->stops; s; s = s->next, stops++)
            longest = s->seconds > longest ? s->seconds : longest;
        printf("%s: %.1f km, %d stops up to %d s, %d warnings, %.1f now\n", v->plate, v->kilometres, stops, longest, v->warnings, recent_speed(v));
    }
    printf("%ld sentences, %ld bad\n", f->sentences, f->bad);
}

int main(void)
{
    Fleet *f = calloc(1, sizeof(*f));
    if (!f)
        return 1;
    for (int i = 0; i < VANS; i++)
        snprintf(f->vans[i].plate, sizeof(f->vans[i].plate), "B-VN %d", 100 + i);
    char sentence[128];
    for (int second = 1; second < 4500; second++)
        for (int van = 0; van < VANS; van++) {
            drive(sentence, sizeof(sentence), van, second);
            receive(f, van, sentence);
        }
    report(f);
    return 0;
}
