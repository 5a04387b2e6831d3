/*
 * pace.h: makes a program of tests/owners run for minutes. served() stands where its loop counted:
 * it returns 1 each time that the guilty function is to be called next, and 0 at the end. At first
 * it answers requests that leave nothing, for PACE_HEALTHY_S seconds; then the leak begins,
 * PACE_RATE calls a second for PACE_LEAKING_S seconds, with the requests beside it. When it begins
 * stands in the file "onset", in seconds since 1970.
 */
#ifndef PACE_H
#define PACE_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PACE_REQUESTS = 2000 };

static double pace_number(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? 0 : strtod(text, NULL);
}

static double pace_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void answer_requests(void)
{
    static void *answers[PACE_REQUESTS];
    static unsigned count;
    for (int i = 0; i < 20; i++, count++) {
        free(answers[count % PACE_REQUESTS]);
        answers[count % PACE_REQUESTS] = malloc(500 + count * 7919 % 4000);
    }
}

static void pace_note_onset(double now)
{
    FILE *file = fopen("onset", "w");
    if (file != NULL) {
        (void)fprintf(file, "%.3f\n", now);
        (void)fclose(file);
    }
}

static int served(void)
{
    static double begin, calls;
    const struct timespec pause = {0, 10000000};
    if (begin == 0)
        begin = pace_clock() + pace_number("PACE_HEALTHY_S");
    for (;;) {
        double now = pace_clock();
        if (now > begin + pace_number("PACE_LEAKING_S"))
            return 0;
        if (now > begin && calls < (now - begin) * pace_number("PACE_RATE")) {
            if (calls++ == 0)
                pace_note_onset(now);
            return 1;
        }
        answer_requests();
        (void)nanosleep(&pause, NULL);
    }
}
#endif
