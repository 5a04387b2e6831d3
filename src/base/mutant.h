/*
 * mutant.h: rules that can be switched off, so that tests can show that they would miss them.
 *
 * HF_MUTANT(NAME) is 0, and costs nothing. A file that is compiled with -DHF_MUTANT_NAME has 1
 * there: a mutant of the agent, which tests/e2e/agent_mutants.py builds and expects to fail.
 * docs/compat/agent.md lists them.
 *
 * Example:
 *
 *     unsigned count = 0;
 *     if (!HF_MUTANT(COUNTS_NOTHING))
 *         count++;
 *     hf_out_u64(out, count);
 */
#ifndef HF_BASE_MUTANT_H
#define HF_BASE_MUTANT_H

/* A name that is defined is replaced by 1, which makes HF_MUTANT_IS_1: two arguments, not one. */
#define HF_MUTANT(name) HF_MUTANT_REPLACED(HF_MUTANT_##name)
#define HF_MUTANT_REPLACED(value) HF_MUTANT_PASTED(value)
#define HF_MUTANT_PASTED(value) HF_MUTANT_SECOND(HF_MUTANT_IS_##value 1, 0)
#define HF_MUTANT_IS_1 0,
#define HF_MUTANT_SECOND(...) HF_MUTANT_SECOND_OF(__VA_ARGS__, )
#define HF_MUTANT_SECOND_OF(first, second, ...) second

#endif
