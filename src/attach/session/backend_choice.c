#include "attach/session/backend_choice.h"

#include "attach/session/pace.h"
#include "base/strings/units.h"

#include <inttypes.h>

/* Calls a second from which on blocks are sampled, by their bytes. */
#define OFTEN 20000u
#define OFTEN_PERIOD 65536u

const struct hf_cost_prices *hf_backend_choice_prices(const struct hf_session *session)
{
    return session->period_bytes > 1 ? &session->backend->sampled : &session->backend->exact;
}

/*
 * How much of the time births can be followed at the price that is allowed. HF_ERR_LIMIT: not even
 * what ends blocks.
 */
static enum hf_status choose_share(
    struct hf_session *session, const struct hf_backend *backend, struct hf_error *err)
{
    const struct hf_cost *cost = &session->cost;
    const struct hf_cost_prices *prices = hf_backend_choice_prices(session);
    const struct hf_session_options *options = &session->options;
    uint64_t part = hf_duty_per_mille(options->on_ns, options->on_period_ns);
    uint64_t most = options->most_per_mille, all = hf_cost_added(cost, prices, part);
    uint64_t ends = hf_cost_added(cost, prices, 0);
    char rate[HF_UNITS_MAX], speed[HF_COST_SPEED_MAX];
    session->added_per_mille = all;
    session->births_per_mille = part;
    if (all <= most || hf_cost_load(cost, prices, part) < HF_PACE_FREE_LOAD)
        return HF_OK;
    if (backend->follow_births != NULL && ends < most) {
        session->births_per_mille = (most - ends) * part / (all - ends);
        return HF_OK;
    }
    return hf_error_set(err, HF_ERR_LIMIT,
        "nothing was attached: if %s calls a second were followed by %s, the process would run at "
        "%s; "
        "this would add %" PRIu64 " %% to its processor time, and --max-overhead allows %" PRIu64
        " %%; to attach anyway, give --max-overhead %" PRIu64
        "%%, perhaps with a shorter time (-d 2s)",
        hf_units_grouped(hf_cost_calls(cost), rate), backend->name, hf_cost_speed(all, speed),
        all / 10, most / 10, all / 10 + 10);
}

enum hf_status hf_backend_choice_try(
    struct hf_session *session, const struct hf_backend *backend, struct hf_error *err)
{
    const struct hf_session_options *options = &session->options;
    bool is_often = hf_cost_calls(&session->cost) >= OFTEN && session->contexts == NULL;
    session->period_bytes = options->period_bytes;
    if (session->period_bytes == 0)
        session->period_bytes = is_often && backend->samples ? OFTEN_PERIOD : 1;
    session->backend = backend;
    if (options->on_period_ns != 0 && backend->follow_births == NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--duty: the %s backend follows allocations all of the time or not at all: use the bpf "
            "backend, or leave out --duty",
            backend->name);
    if (options->stack_bytes > backend->most_stack_bytes)
        return hf_error_set(err, HF_ERR_USAGE,
            "--stack: the %s backend copies at most %" PRIu32 " bytes of each stack", backend->name,
            backend->most_stack_bytes);
    enum hf_status status = backend->check(session->probes.items, session->probes.count,
        options->with_faults, session->period_bytes, err);
    if (status != HF_OK)
        return status;
    return choose_share(session, backend, err);
}

/*
 * bpf needs no tracefs, of which the count alone is made: it keeps to the price while it follows.
 * Else the sentence stays what the count said.
 */
static enum hf_status count_nothing(struct hf_session *session, struct hf_error *err)
{
    struct hf_error refused;
    if (hf_backend_choice_try(session, &hf_backend_bpf, &refused) != HF_OK)
        return HF_ERR_SYSTEM;
    hf_notes_add(&session->notes, HF_NOTE_INFO,
        "the cost cannot be measured in advance, so it is kept within --max-overhead while "
        "attached: %s",
        err->text);
    return HF_OK;
}

/* Those that know chains, or all, up to the first that does, or is too expensive. */
static enum hf_status try_any(struct hf_session *session, bool needs_chains, struct hf_error *err)
{
    enum hf_status status = HF_ERR_INPUT;
    for (size_t i = 0; hf_backends[i] != NULL; i++) {
        if (needs_chains && !hf_backends[i]->has_chains)
            continue;
        status = hf_backend_choice_try(session, hf_backends[i], err);
        if (status == HF_OK || status == HF_ERR_LIMIT)
            break;
    }
    return status;
}

enum hf_status hf_session_count(struct hf_session *session, struct hf_error *err)
{
    const struct hf_session_options *options = &session->options;
    enum hf_status status = HF_OK;
    if (options->is_late)
        hf_cost_of_machine(options->keeper, &session->cost);
    else
        status = hf_cost_count(options->keeper, options->pid, session->probes.items,
            session->probes.count, options->with_faults, HF_SESSION_COUNT_MS, &session->cost, err);
    session->is_counted = status == HF_OK && !options->is_late;
    if (status == HF_ERR_SYSTEM && options->backend != &hf_backend_perf && !options->with_faults)
        return count_nothing(session, err);
    if (status != HF_OK || options->backend != NULL)
        return status == HF_OK ? hf_backend_choice_try(session, options->backend, err) : status;
    /* Where C is called by Go, the others see C alone. */
    if (session->probes.has_go && try_any(session, true, err) == HF_OK)
        return HF_OK;
    return try_any(session, false, err);
}
