#include "base/containers/hash.h"

#include <sys/auxv.h>
#include <sys/random.h>

struct hf_hash_key hf_hash_key;

/*
 * Before main, so that no look-up has to ask whether there is a key. Where a filter allows no
 * getrandom, the 16 random bytes that the kernel gives each process make one.
 */
__attribute__((constructor)) static void draw_key(void)
{
    struct hf_hash_key *key = &hf_hash_key;
    if (getrandom(key, sizeof *key, GRND_NONBLOCK) == (ssize_t)sizeof *key)
        return;
    uint64_t given[2] = {1, 2};
    const void *random = (const void *)getauxval(AT_RANDOM); // NOLINT
    if (random != NULL)
        memcpy(given, random, sizeof given);
    for (size_t i = 0; i < sizeof key->words / sizeof key->words[0]; i++)
        key->words[i] = hf_mix(given[0] ^ UINT64_C(0x9e3779b97f4a7c15) * (i + 1),
            given[1] ^ UINT64_C(0xd6e8feb86659fd93));
}
