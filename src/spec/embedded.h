/*
 * embedded.h: the files of presets/, as tools/embed.c made them C arrays at build time.
 */
#ifndef HF_SPEC_EMBEDDED_H
#define HF_SPEC_EMBEDDED_H

#include <stddef.h>

/*
 * Every preset, in the order of their names; src/spec/meson.build reads the list. `script/lint
 * complete` holds what belongs to each: `script/new preset NAME` makes it.
 */
#define HF_PRESETS(USE)                                                                            \
    USE(brk)                                                                                       \
    USE(greenplum)                                                                                 \
    USE(jemalloc)                                                                                  \
    USE(libc)                                                                                      \
    USE(libstdcxx)                                                                                 \
    USE(mimalloc)                                                                                  \
    USE(mmap)                                                                                      \
    USE(postgres)                                                                                  \
    USE(tcmalloc)

#define HF_PRESET_ARRAY(name)                                                                      \
    extern const char hf_preset_##name[];                                                          \
    extern const size_t hf_preset_##name##_size; /* bytes */
HF_PRESETS(HF_PRESET_ARRAY)
#undef HF_PRESET_ARRAY

/* Every file of presets/owners/ (spec/owner_rules.h), in the order in which they are asked. */
#define HF_OWNER_PRESETS(USE)                                                                      \
    USE(std)                                                                                       \
    USE(boost)                                                                                     \
    USE(absl)                                                                                      \
    USE(folly)                                                                                     \
    USE(qt)                                                                                        \
    USE(rust)                                                                                      \
    USE(go)                                                                                        \
    USE(glib)                                                                                      \
    USE(cpython)                                                                                   \
    USE(perl)                                                                                      \
    USE(ruby)                                                                                      \
    USE(lua)                                                                                       \
    USE(php)                                                                                       \
    USE(v8)                                                                                        \
    USE(jvm)                                                                                       \
    USE(c)                                                                                         \
    USE(libc)

#define HF_OWNER_PRESET_ARRAY(name)                                                                \
    extern const char hf_owner_preset_##name[];                                                    \
    extern const size_t hf_owner_preset_##name##_size; /* bytes */
HF_OWNER_PRESETS(HF_OWNER_PRESET_ARRAY)
#undef HF_OWNER_PRESET_ARRAY

#endif
