/*
 * answer.h: recognizes what a server sends instead of a profile, from the bytes of its answer.
 *
 * Servers say it in JSON, {"error":"..."} and its relatives, or as one line of text. Both are
 * hostile input: JSON is read by jansson (which bounds nesting) up to HF_LIMIT_HTTP_JSON_BYTES;
 * what comes out may hold any bytes but NUL and is escaped where it is printed.
 *
 * Safety: any thread, not in a signal handler.
 */
#ifndef HF_NET_ANSWER_H
#define HF_NET_ANSWER_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>

#define HF_ANSWER_TEXT_MAX 200 /* bytes of a server's sentence that are kept, NUL included */

/*
 * The sentence in {"error":"S"}, {"error":{"message":"S"}} or {"message":"S"}; false, and "" in
 * `out`, if there is none.
 */
HF_MUST_CHECK bool hf_answer_json_error(struct hf_text body, char out[HF_ANSWER_TEXT_MAX]);

/* The first line of a text; false if it is empty or looks like markup. */
HF_MUST_CHECK bool hf_answer_line(struct hf_text body, char out[HF_ANSWER_TEXT_MAX]);

/* The value in {"active": true}; false (output untouched) if there is none. */
HF_MUST_CHECK bool hf_answer_active(struct hf_text body, bool *out_is_active);

/* Why a server hands out no profile, as far as its sentence tells. */
enum hf_answer_problem {
    HF_ANSWER_UNKNOWN = 0,
    HF_ANSWER_NOT_BUILT,  /* profiling was left out when it was compiled */
    HF_ANSWER_NOT_ARMED,  /* it was started without prof:true */
    HF_ANSWER_NOT_ACTIVE, /* sampling is switched off for now */
};

enum hf_answer_problem hf_answer_problem(const char *sentence);

/* What to do about it: completes "the server says '...': ". NULL for HF_ANSWER_UNKNOWN. */
const char *hf_answer_remedy(enum hf_answer_problem problem);

#endif
