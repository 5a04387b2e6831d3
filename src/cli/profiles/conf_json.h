/*
 * conf_json.h: what `conf` says, as JSON.
 *
 * conf check:
 *   {"schema": "heapflame.conf/1", "ok": false, "complains": true,
 *    "findings": [{"kind": "wrong" or "warning", "column": 48, "text": "..."}, ...],
 *    "fixed": "prof:true,...", "profiling": true, "settings": {"prof": "true", ...},
 *    "jemalloc": {"found": "inside", "library" or "nowhere", "path": "...", "version":
 * "5.3.0-0-g...", "profiling": true, "variable": "MALLOC_CONF", "built_in": "...",
 *      "linked": "...", "missing":
 * "libx.so"}}
 *
 * "complains": jemalloc itself prints a complaint. "column" is there where a finding is about one
 * place; "fixed" is the line as it should be, and "settings" what is set in the end; "jemalloc" is
 * there if a program was looked at, and its members where they are known. conf explain:
 * {"schema": "heapflame.conf-explain/1", "options": [{"key", "takes", "default", "since",
 * "until", "build_flag", "meaning", "trap"}, ...]}. Readers skip members that they do not know.
 */
#ifndef HF_CLI_CONF_JSON_H
#define HF_CLI_CONF_JSON_H

#include "conf/check.h"
#include "symbol/jemalloc_build.h"

void hf_conf_json_check(struct hf_out *out, const struct hf_conf_check *check, struct hf_text line,
    const struct hf_jemalloc_build *build);
void hf_conf_json_option(struct hf_out *out, const struct hf_conf_option *option, bool is_first);

#endif
