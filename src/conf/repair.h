/*
 * repair.h: guesses what was meant by a value that jemalloc does not accept.
 */
#ifndef HF_CONF_REPAIR_H
#define HF_CONF_REPAIR_H

#include "conf/parse.h"

#define HF_CONF_VALUE_MAX 32 /* bytes of a repaired value, NUL included */

/*
 * The value that jemalloc takes instead: "yes" is true, 512KiB of an lg_ option is 19, a number out
 * of range the nearest in range. Either a part of `value` or written to `room`. Size 0: no idea.
 */
struct hf_text hf_conf_repair_value(
    const struct hf_conf_option *option, struct hf_text value, char room[HF_CONF_VALUE_MAX]);

/* The option that `key` is a misspelling of, or NULL. */
const struct hf_conf_option *hf_conf_repair_key(struct hf_text key);

/*
 * Where in a value another pair begins because it was not separated by a comma: "true;prof:true" is
 * 5, and *out_end the end of what comes before, 4. value.size if there is none.
 */
size_t hf_conf_hidden_pair(struct hf_text value, size_t *out_end);

#endif
