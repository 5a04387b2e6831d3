/*
 * say.h: what a command says to people, on standard error: messages, notes, progress.
 *
 * The only way there (script/lint holds it), and what takes it is escaped as a whole: nothing but
 * the literals of say.c moves a cursor or starts an escape sequence, whatever name of a file, a
 * process or a function stands in a message. Standard output is hf_output's, in command.h.
 */
#ifndef HF_CLI_SAY_H
#define HF_CLI_SAY_H

#include "base/attr.h"
#include "base/text.h"

/* "heapflame: " and one line, which stays one. */
void hf_say(const char *format, ...) HF_PRINTF(1, 2);

/* Lines that were made for people: their ends and tabs stay. */
void hf_say_lines(struct hf_text lines);

/*
 * A line for terminals that has no end, over the one before it, of which it must not be shorter
 * than it was: "reading x: 1.0 MiB". Ended by hf_say_status_end.
 */
void hf_say_status(struct hf_text line);
void hf_say_status_end(void);

/* The terminal that standard output is, cleared. */
void hf_say_clear(void);

#endif
