/*
 * keeper_name.h: what keeps a block, in words: "global sessions (server)", "stack of thread 4711,
 * in main", "nothing: lost".
 *
 * Example:
 *
 *     struct hf_keepers keepers = {0};
 *     hf_keeper_name(&keepers, HF_KEEPER_IS_LOST, HF_TEXT(""), out);
 */
#ifndef HF_ANSWER_KEEPER_NAME_H
#define HF_ANSWER_KEEPER_NAME_H

#include "base/strings/out.h"
#include "heap/graph/keepers.h"

/* `keeper`: a number of `keepers`. `function`: of the frames that it is, if it is several stacks;
 * empty: none is known. Names of the process are not escaped. */
void hf_keeper_name(
    const struct hf_keepers *keepers, uint32_t keeper, struct hf_text function, struct hf_out *out);

#endif
