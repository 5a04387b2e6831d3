/*
 * notes.h: the notes that the linker left in an image. No allocation: part of the agent, too.
 *
 * Source: gABI, "Note Section", with an alignment of 4 bytes.
 */
#ifndef HF_ELF_NOTES_H
#define HF_ELF_NOTES_H

#include "base/text.h"

/* The build-id among the notes of a section or segment, borrowed: raw bytes; empty if none. */
struct hf_text hf_elf_note_build_id(struct hf_text notes);

#endif
