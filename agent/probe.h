/*
 * probe.h: static probes (USDT) at events that are recorded, for tracers beside heapflame:
 *
 *     otel_memory:alloc(ptr, size, weight)   size in bytes; weight: bytes that it stands for
 *     otel_memory:free(ptr)
 *
 * Each is one nop, and a note that says where its arguments are; docs/probes.md shows their use.
 * Built without systemtap's header (meson -Dusdt) there are none.
 */
#ifndef HF_AGENT_PROBE_H
#define HF_AGENT_PROBE_H

#include <stdint.h>

#ifdef HF_WITH_USDT
#include <sys/sdt.h>
#endif

static inline void hf_probe_alloc(uint64_t address, uint64_t size_bytes, uint64_t weight_bytes)
{
#ifdef STAP_PROBE3
    STAP_PROBE3(otel_memory, alloc, address, size_bytes, weight_bytes);
#else
    (void)address, (void)size_bytes, (void)weight_bytes;
#endif
}

static inline void hf_probe_free(uint64_t address)
{
#ifdef STAP_PROBE1
    STAP_PROBE1(otel_memory, free, address);
#else
    (void)address;
#endif
}

#endif
