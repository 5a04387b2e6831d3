/*
 * interpreters.h: programs whose functions are not those of native code: of these a profile has the
 * functions of the interpreter, unless that says what it runs.
 */
#ifndef HF_ANSWER_INTERPRETERS_H
#define HF_ANSWER_INTERPRETERS_H

#include "profile/profile.h"

/*
 * Adds a note on a profile that has its names, if it is one of a language whose functions are not
 * in it: which they are, and what would name them or tell of their memory. Python's,
 * PHP's, Perl's, Ruby's, Lua's, those of Node.js and Java's are read, and where they are not, the
 * reader of the live table says why.
 */
void hf_note_interpreter(const struct hf_profile *profile, struct hf_notes *notes);

#endif
