/*
 * leak_options.h: the options of commands that report leaks while a program runs: run, watch and
 * top --live; and the line that they print (answer/history/leak_alarm.h).
 */
#ifndef HF_CLI_LEAK_OPTIONS_H
#define HF_CLI_LEAK_OPTIONS_H

#include "answer/history/leak_alarm.h"

struct hf_leak_options {
    bool is_on;
    const char *command;     /* NULL: none; else it is on */
    uint64_t false_every_ns; /* a false alarm in so long is accepted */
    uint64_t learn_ns;
};

void hf_leak_options_defaults(struct hf_leak_options *options);
bool hf_leak_options_are_on(const struct hf_leak_options *options);

/* HF_ERR_USAGE for options that need the alarm; `needed`: what turns it on, "--alarm". */
HF_MUST_CHECK enum hf_status hf_leak_options_check(
    const struct hf_leak_options *options, const char *needed, struct hf_error *err);

struct hf_leak_alarm_rules hf_leak_options_rules(
    const struct hf_leak_options *options, uint64_t look_ns);

/* "LEAK since 03:12: open_session keeps 3.1 MiB/min (...), ..." */
void hf_leak_options_line(const struct hf_leak_told *told, struct hf_out *out);

#endif
