/*
 * room.h: how much address space the agent may take, where the program has not all that it wants.
 *
 * Under RLIMIT_AS what the agent maps is missing to the program, also where it takes no memory. So
 * of what is left at the start the table takes HF_ROOM_SHARE, and the shadow none, for its pieces
 * are large: blocks are found by the shards. When the program limits itself on its way (guard.h),
 * as much is given up: the table ends behind what is in use and its share, and the shadow's blocks
 * move into the shards, if no other thread can be using it; else it grows no more.
 */
#ifndef HF_AGENT_ROOM_H
#define HF_AGENT_ROOM_H

#include <stdint.h>

#define HF_ROOM_SHARE 32
#define HF_ROOM_FOR_SHADOW (UINT64_C(4) << 30) /* with less it is not made */
#define HF_ROOM_UNLIMITED UINT64_MAX

/* Bytes of address space that this process has; 0 if nobody can say. */
uint64_t hf_room_mapped(void);

/* Bytes that it may still get, or HF_ROOM_UNLIMITED. */
uint64_t hf_room_left(void);

/* Before the limit becomes so many bytes, or HF_ROOM_UNLIMITED. */
void hf_room_give_way(uint64_t limit_bytes);

#endif
