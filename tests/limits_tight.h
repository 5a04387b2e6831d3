/*
 * limits_tight.h: the limits of base/limits.h as heapflame-tight has them: so small that an input
 * which hits one is quickly made, and so large that a plain little program is below all of them.
 * A limit that is reached as quickly with its true value is not here.
 */
#ifndef HF_TESTS_LIMITS_TIGHT_H
#define HF_TESTS_LIMITS_TIGHT_H

#undef HF_LIMIT_LINE_BYTES
#define HF_LIMIT_LINE_BYTES 20000u
#undef HF_LIMIT_STACK_FRAMES
#define HF_LIMIT_STACK_FRAMES 50u
#undef HF_LIMIT_STACK_NODES
#define HF_LIMIT_STACK_NODES 3000u
#undef HF_LIMIT_SAMPLES
#define HF_LIMIT_SAMPLES 1000u
#undef HF_LIMIT_MODULES
#define HF_LIMIT_MODULES 30u
#undef HF_LIMIT_MAPPINGS
#define HF_LIMIT_MAPPINGS 100u
#undef HF_LIMIT_THREADS
#define HF_LIMIT_THREADS 20u
#undef HF_LIMIT_UNPACKED
#define HF_LIMIT_UNPACKED 100000ull
#undef HF_LIMIT_UNPACK_WINDOW_LOG
#define HF_LIMIT_UNPACK_WINDOW_LOG 20
#undef HF_LIMIT_SECTIONS
#define HF_LIMIT_SECTIONS 64u
#undef HF_LIMIT_SEGMENTS
#define HF_LIMIT_SEGMENTS 20u
#undef HF_LIMIT_INFLATED
#define HF_LIMIT_INFLATED 200000ull
#undef HF_LIMIT_INFLATE_RATIO
#define HF_LIMIT_INFLATE_RATIO 64u
#undef HF_LIMIT_UNITS
#define HF_LIMIT_UNITS 30u
#undef HF_LIMIT_LIBRARIES
#define HF_LIMIT_LIBRARIES 9u
#undef HF_LIMIT_CONF_BYTES
#define HF_LIMIT_CONF_BYTES 1000u
#undef HF_LIMIT_HTTP_BODY
#define HF_LIMIT_HTTP_BODY 70000ull
#undef HF_LIMIT_HTTP_SECONDS
#define HF_LIMIT_HTTP_SECONDS 2L
#undef HF_LIMIT_HTTP_REDIRECTS
#define HF_LIMIT_HTTP_REDIRECTS 2L
#undef HF_LIMIT_HTTP_JSON_BYTES
#define HF_LIMIT_HTTP_JSON_BYTES 1000u
#undef HF_LIMIT_REGEX_MATCH
#define HF_LIMIT_REGEX_MATCH 2000u
#undef HF_LIMIT_PROCESSES
#define HF_LIMIT_PROCESSES 10u
#undef HF_LIMIT_JSON_BYTES
#define HF_LIMIT_JSON_BYTES 100000u

#endif
