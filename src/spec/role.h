/*
 * role.h: what a call that is traced does to memory, whoever traces it.
 */
#ifndef HF_SPEC_ROLE_H
#define HF_SPEC_ROLE_H

enum hf_role {
    HF_ROLE_ALLOC,   /* returns a new block */
    HF_ROLE_FREE,    /* frees a block */
    HF_ROLE_REALLOC, /* returns a block for an old one, perhaps at the same address */
    HF_ROLE_RESET,   /* frees all blocks of a memory context */
    HF_ROLE_DELETE,  /* the same, and the context with them */
    HF_ROLE_CTXNEW,  /* makes a memory context */
    HF_ROLE_MAP,     /* maps pages, or makes them present: a range of addresses */
    HF_ROLE_UNMAP,   /* gives such a range back, or part of it */
};
#define HF_ROLES 8

#endif
