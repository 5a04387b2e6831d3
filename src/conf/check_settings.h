/*
 * check_settings.h: what the settings of a MALLOC_CONF lead to, taken together.
 */
#ifndef HF_CONF_CHECK_SETTINGS_H
#define HF_CONF_CHECK_SETTINGS_H

#include "conf/findings.h"

/* Looks at the settings as a whole, and adds what they lack. */
void hf_conf_check_settings(struct hf_conf_check *check);

#endif
