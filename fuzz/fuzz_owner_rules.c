/* Rules of owners: what is read can be asked. */
#include "fuzz.h"
#include "spec/owner_rules.h"
#include "tell.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_owner_rules rules = {0};
    struct hf_error err;
    static const char *const classes[] = {[HF_OWNER_WRAPPER] = "wrapper",
        [HF_OWNER_LIBRARY] = "library",
        [HF_OWNER_HELPER] = "helper",
        [HF_OWNER_ENTRY] = "entry",
        [HF_OWNER_INIT] = "init",
        [HF_OWNER_RESERVE] = "reserve",
        [HF_OWNER_POOL] = "pool",
        [HF_OWNER_OWN] = "own"};
    static const char *const names[] = {"std::map::at", "xmalloc", "/usr/lib/libz.so.1"};
    enum hf_status status =
        hf_owner_rules_parse(&rules, (struct hf_text){(const char *)data, size}, "fuzz", &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        for (size_t i = 0; i < HF_COUNT(names) * 3; i++) {
            enum hf_owner_subject subject = (enum hf_owner_subject)(i / HF_COUNT(names));
            const struct hf_owner_rule *rule =
                hf_owner_rules_find(&rules, subject, hf_text_of(names[i % 3]));
            if (rule != NULL &&
                (rule->subject != subject || rule->class > HF_OWNER_OWN || rule->glob.size == 0))
                abort();
            if (rule != NULL) {
                fuzz_tell("%s, subject %d, %s, ", names[i % 3], (int)subject, classes[rule->class]);
                fuzz_tell_named("glob", rule->glob);
            }
        }
    }
    hf_owner_rules_done(&rules);
    return 0;
}
