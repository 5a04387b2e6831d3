/*
 * heaviest.h: who holds most of a profile, in a sentence.
 */
#ifndef HF_ANSWER_HEAVIEST_H
#define HF_ANSWER_HEAVIEST_H

#include "profile/profile.h"

#define HF_HEAVIEST_MAX 1024

/*
 * "leak (leak.c:41) holds 47.7 MiB of 50.9 MiB in use", of the function that holds most itself, in
 * a profile that has its names. "": nothing is in use, or it could not be found out. The names in
 * it are escaped for a terminal.
 */
void hf_heaviest_describe(const struct hf_profile *profile, char out_text[HF_HEAVIEST_MAX]);

#endif
