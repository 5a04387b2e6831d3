/*
 * backend_choice.h: which backend follows a session, and how much of it: what the probes cost the
 * process decides, and what the user allows. hf_session_count (session.h) is made of it.
 */
#ifndef HF_ATTACH_BACKEND_CHOICE_H
#define HF_ATTACH_BACKEND_CHOICE_H

#include "attach/session/session.h"

/* What a stop costs by the backend and with the period that were chosen. */
const struct hf_cost_prices *hf_backend_choice_prices(const struct hf_session *session);

/*
 * Makes `backend` that of the session, with the period and the share of births that go with it.
 * Fails if it cannot follow the probes; HF_ERR_LIMIT: at no price that is allowed.
 */
HF_MUST_CHECK enum hf_status hf_backend_choice_try(
    struct hf_session *session, const struct hf_backend *backend, struct hf_error *err);

#endif
