/*
 * attr.h: the GNU attributes that this code base uses, named by their purpose.
 *
 * Nothing else of GNU C is used outside this header, except statement-free builtins
 * (__builtin_*_overflow in checked.h).
 *
 * Example:
 *
 *     static const char *const names[] = {"bytes", "objects"};
 *     for (size_t i = 0; i < HF_COUNT(names); i++)
 *         hf_out_string(out, names[i]);
 */
#ifndef HF_BASE_ATTR_H
#define HF_BASE_ATTR_H

/* The result says whether the call worked: dropping it is a mistake of ours. */
#define HF_MUST_CHECK __attribute__((warn_unused_result))

/* Argument `fmt` is a printf format, its values start at argument `first`. */
#define HF_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Branch hints for the few loops where a profile showed that they matter. */
#define HF_LIKELY(x) __builtin_expect(!!(x), 1)
#define HF_UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * On the fast paths of the agent, where nothing can be undefined: not checked for that, which would
 * cost as much as the rest, and part of its caller.
 */
#define HF_UNCHECKED __attribute__((no_sanitize("undefined")))
#define HF_FAST HF_UNCHECKED __attribute__((always_inline)) inline

/* A variable of the agent's own: said where it is declared, it is reached without the GOT. */
#define HF_HIDDEN __attribute__((visibility("hidden")))

/* Into the loop that calls it, whatever the compiler thinks of its size: a profile showed it. */
#define HF_ALWAYS_INLINE __attribute__((always_inline)) inline

/* Never part of its caller: what is rare takes no registers from what is not. */
#define HF_APART __attribute__((noinline))

/* In a header of the tests: not every file that includes it uses it. */
#define HF_UNUSED __attribute__((unused))

/* 1 where the compiler puts in AddressSanitizer, which needs rights and has a malloc of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define HF_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HF_SANITIZED 1
#endif
#endif
#ifndef HF_SANITIZED
#define HF_SANITIZED 0
#endif

/* Number of elements of a true array (not of a pointer). */
#define HF_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
