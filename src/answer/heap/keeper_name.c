#include "answer/heap/keeper_name.h"

/* In whose frame on a stack: ", in main" */
static void keeper_put_function(struct hf_text name, struct hf_out *out)
{
    hf_out_string(out, name.size != 0 ? ", in " : "");
    hf_out_text(out, name);
}

static void put_thread_variable(struct hf_text name, struct hf_out *out)
{
    hf_out_string(out, "thread-local variable ");
    hf_out_text(out, name);
    hf_out_string(out, " of ");
}

static void put_one_keeper(const struct hf_block_keeper *keeper, struct hf_out *out)
{
    static const char *const of_thread[HF_ROOT_KINDS] = {
        [HF_ROOT_THREAD_LOCAL] = "thread-local storage of thread",
        [HF_ROOT_STACK] = "stack of thread",
        [HF_ROOT_REGISTER] = "registers of thread",
    };
    struct hf_text path = hf_text_of(keeper->holder->path);
    struct hf_text name = keeper->where != NULL ? keeper->where->name : HF_TEXT("");
    if (keeper->kind == HF_ROOT_THREAD_LOCAL && name.size != 0) {
        put_thread_variable(name, out);
        hf_out_printf(out, "thread %d", (int)keeper->holder->thread);
    } else if (of_thread[keeper->kind] != NULL) {
        hf_out_printf(out, "%s %d", of_thread[keeper->kind], (int)keeper->holder->thread);
        keeper_put_function(name, out);
    } else if (keeper->kind == HF_ROOT_MAPPING) {
        hf_out_text(out, path.size != 0 ? path : HF_TEXT("anonymous memory"));
    } else if (name.size != 0) {
        hf_out_string(out, "global ");
        hf_out_text(out, name);
        hf_out_string(out, " (");
        hf_out_text(out, hf_text_basename(path));
        hf_out_char(out, ')');
    } else {
        hf_out_string(out, "data of ");
        hf_out_text(out, hf_text_basename(path));
    }
}

/* "three or more" of what can be told apart; of threads there may be fewer. */
static const char *many_of(enum hf_root_kind kind)
{
    static const char *const words[HF_ROOT_KINDS] = {
        [HF_ROOT_DATA] = "three or more globals, each of them",
        [HF_ROOT_THREAD_LOCAL] = "thread-local storage of several threads or variables",
        [HF_ROOT_STACK] = "stacks of several threads",
        [HF_ROOT_REGISTER] = "registers of several threads",
        [HF_ROOT_MAPPING] = "three or more mappings, each of them",
    };
    return words[kind];
}

void hf_keeper_name(
    const struct hf_keepers *keepers, uint32_t keeper, struct hf_text function, struct hf_out *out)
{
    const struct hf_block_keeper *k = &keepers->items[keeper];
    switch (k->form) {
    case HF_KEEPER_LOST: hf_out_string(out, "nothing: lost"); break;
    case HF_KEEPER_LOST_WITH: hf_out_string(out, "lost blocks only: lost with them"); break;
    case HF_KEEPER_MANY:
        if (k->kind == HF_ROOT_THREAD_LOCAL && function.size != 0) {
            put_thread_variable(function, out);
            hf_out_string(out, "several threads");
            break;
        }
        hf_out_string(out, many_of(k->kind));
        keeper_put_function(function, out);
        break;
    case HF_KEEPER_ONE: put_one_keeper(k, out); break;
    case HF_KEEPER_TWO:
        hf_out_string(out, "both ");
        put_one_keeper(&keepers->items[k->first], out);
        hf_out_string(out, " and ");
        put_one_keeper(&keepers->items[k->second], out);
        break;
    }
}
