/*
 * leak_alarm.h: tells of leaks in a process while it runs, each once, with a stated rate of false
 * alarms.
 *
 * A place is told when its verdict is leak (analysis/verdict_course.h) and its survivors are so
 * many that chance is no explanation (statistics/alarm.h): by the whole history of the process, or
 * by a window of its last hours (leak_windows.h), each at half of the rate. It is told again only
 * after the verdicts of both were others for HF_LEAK_QUIET_LOOKS looks that follow each other, and
 * as many as there are in HF_LEAK_QUIET_NS: who looks more often sees a verdict that wavers more
 * often. Looks of what a window told are its own.
 *
 * Points of a long history take many looks; it is judged HF_LEAK_JUDGED times in each.
 *
 * Example, at each look at the process:
 *
 *     struct hf_leak_alarm alarm = {.rules = {.false_a_month = 0.05, .look_ns = 60000000000}};
 *     struct hf_request request = {0};
 *     struct hf_leak_look look = {.read = NULL}; // how it is read
 *     struct hf_leak_told told;
 *     status = hf_leak_alarm_look(&alarm, &request, &look, &told, err);
 *     if (status == HF_OK && told.what[0] != '\0')
 *         hf_out_string(out, told.what);
 *     hf_leak_alarm_done(&alarm);
 */
#ifndef HF_ANSWER_HISTORY_LEAK_ALARM_H
#define HF_ANSWER_HISTORY_LEAK_ALARM_H

#include "answer/history/leak_windows.h"

#define HF_LEAK_TOLD_MAX 512
#define HF_LEAK_FALSE_A_MONTH 0.05
#define HF_LEAK_LEARN_NS (UINT64_C(7) * 24 * 3600 * 1000000000)
#define HF_LEAK_LEAST_RATE (65536.0 / 60) /* bytes a second */
#define HF_LEAK_QUIET_LOOKS 30
#define HF_LEAK_QUIET_NS (UINT64_C(1800) * 1000000000)
#define HF_LEAK_JUDGED 8

struct hf_leak_alarm_rules {
    double false_a_month; /* of one process */
    uint64_t learn_ns;    /* nothing is told of a process that is younger */
    uint64_t look_ns;     /* between two looks */
};

/* All zero but for the rules is one that has seen nothing. */
struct hf_leak_alarm {
    struct hf_leak_alarm_rules rules;
    /* Its own. */
    struct hf_process_history process;
    struct hf_leak_windows windows;
    struct hf_leak_place {
        uint64_t hash;     /* of its label */
        uint32_t quiet;    /* looks since it was a leak last */
        bool is_of_window; /* which told it */
    } told[HF_GROWTH_PLACES];
    size_t told_count;
};

struct hf_leak_told {
    char what[HF_LEAK_TOLD_MAX]; /* "open_session keeps 3.1 MiB/min (...), ..."; or "" */
    int64_t since_ms;            /* since 1970; 0: since the recording began, or before */
};

/* Reads the process, and adds the look; *out_told: the steepest of the leaks that are to be told
 * now. */
HF_MUST_CHECK enum hf_status hf_leak_alarm_look(struct hf_leak_alarm *alarm,
    const struct hf_request *request, const struct hf_leak_look *look,
    struct hf_leak_told *out_told, struct hf_error *err);

/* Likewise, of a process that the caller keeps, and has judged after its last profile: reads what
 * the windows need. */
HF_MUST_CHECK enum hf_status hf_leak_alarm_choose(struct hf_leak_alarm *alarm,
    const struct hf_process_history *process, const struct hf_request *request,
    const struct hf_leak_look *look, struct hf_leak_told *out_told, struct hf_error *err);

void hf_leak_alarm_done(struct hf_leak_alarm *alarm);

#endif
