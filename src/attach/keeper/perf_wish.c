#include "attach/keeper/perf_wish.h"

#include "base/attr.h"
#include "base/strings/num.h"
#include "spec/spec.h"
#include "spec/system_call.h"

#include <time.h>

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* By the registers of arguments, as tracefs calls them. */
static const char *const fields[] = {"", "context=%di:u64", "context=%si:u64", "context=%dx:u64",
    "context=%cx:u64", "context=%r8:u64", "context=%r9:u64"};

enum hf_status hf_perf_wish_check(const struct hf_perf_wish *wish, struct hf_error *err)
{
    bool is_sound = wish->what <= HF_PERF_CALL_RETURN && wish->is_recorded <= 1 &&
                    wish->has_chain <= 1 && wish->period != 0 &&
                    wish->stack_bytes <= HF_PERF_STACK_BYTES_MOST && wish->stack_bytes % 8 == 0 &&
                    wish->filtered_argument < HF_COUNT(fields) &&
                    (wish->registers & ~HF_PERF_REGISTERS) == 0;
    if (hf_perf_wish_is_call(wish))
        is_sound = is_sound && hf_system_call_name(wish->offset) != NULL;
    return is_sound ? HF_OK
                    : hf_error_set(err, HF_ERR_INPUT, "attach does not watch events of this kind");
}

static void want_records(
    struct perf_event_attr *a, const struct hf_perf_wish *wish, uint32_t wakeup_bytes)
{
    a->sample_period = wish->period;
    a->sample_type = SAMPLE_TYPE;
    a->sample_id_all = 1;
    a->use_clockid = 1;
    a->clockid = CLOCK_MONOTONIC;
    a->watermark = 1;
    a->wakeup_watermark = wakeup_bytes;
    if (wish->what == HF_PERF_TASK)
        a->task = a->comm = a->comm_exec = a->mmap = a->mmap2 = 1;
    if (wish->what == HF_PERF_FAULT)
        a->sample_type |= PERF_SAMPLE_ADDR;
    if (wish->has_chain != 0) {
        a->sample_type |= PERF_SAMPLE_CALLCHAIN;
        a->exclude_callchain_kernel = 1;
    }
    if (wish->registers != 0) {
        a->sample_type |= PERF_SAMPLE_REGS_USER;
        a->sample_regs_user = wish->registers;
    }
    if (wish->stack_bytes != 0) {
        a->sample_type |= PERF_SAMPLE_STACK_USER;
        a->sample_stack_user = wish->stack_bytes;
    }
}

struct perf_event_attr hf_perf_wish_attributes(
    const struct hf_perf_wish *wish, uint64_t event, uint32_t wakeup_bytes)
{
    bool is_probe =
        wish->what == HF_PERF_ENTRY || wish->what == HF_PERF_RETURN || hf_perf_wish_is_call(wish);
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = is_probe ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
        .config = is_probe                      ? event
                  : wish->what == HF_PERF_FAULT ? PERF_COUNT_SW_PAGE_FAULTS
                                                : PERF_COUNT_SW_DUMMY,
        .inherit = 1,
        .disabled = 1, /* until its records have a place */
    };
    if (wish->is_recorded != 0)
        want_records(&a, wish, wakeup_bytes);
    return a;
}

const char *hf_perf_wish_fields(const struct hf_perf_wish *wish)
{
    return wish->what == HF_PERF_ENTRY ? fields[wish->filtered_argument] : "";
}

bool hf_perf_filter_is_sound(const char *filter)
{
    struct hf_text rest = hf_text_of(filter);
    uint64_t address;
    do {
        if (!hf_text_take(&rest, "context==0x"))
            return false;
        struct hf_text number = hf_text_first(rest, hf_text_find(rest, '|'));
        if (!hf_num_hex(number, &address))
            return false;
        rest = hf_text_from(rest, number.size);
    } while (hf_text_take(&rest, "||"));
    return rest.size == 0;
}
