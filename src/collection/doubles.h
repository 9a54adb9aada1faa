/*
 * Makes the compiler compute doubles as IEEE 754 says, so that they are the same on every machine: no multiplication is
 * fused with an addition, and nothing is computed with more digits than a double has. It holds for the functions after
 * this header, whatever flags a build uses, and internal.h includes it first.
 */
#ifndef PODIUM_DOUBLES_H
#define PODIUM_DOUBLES_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off") /* gcc ignores the standard pragma */
/* Where a processor has vectors that multiply and add, gcc's vectoriser fuses in spite of that: on x86 one lane's a b +
   c with the next lane's a b - c (seen in gcc 12), and on RISC-V whatever it can, as others report. */
#if defined(__FMA__) || defined(__FMA4__)
#pragma GCC optimize("no-tree-slp-vectorize")
#elif defined(__riscv_vector)
#pragma GCC optimize("no-tree-vectorize")
#endif
#else
#pragma STDC FP_CONTRACT OFF
#endif

/*
 * The x87 unit of 32-bit x86 computes with 64 digits and a wider exponent. Rounding to a double afterwards rounds
 * twice, so that no flag makes its results those of other machines. SSE2, which Intel's processors have since 2001 and
 * AMD's since 2003, computes doubles. FLT_EVAL_METHOD keeps its value of 2 after the pragma, so it is not asked then.
 */
#if defined(__i386__) && !defined(__SSE2_MATH__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("sse2,fpmath=sse")
#else
#include <float.h>
/* FLT_EVAL_METHOD is 1 on s390x under -std=c11. Then only floats are computed as doubles, and there are no floats
   here. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
               "this needs doubles that are doubles: on 32-bit x86, -msse2 -mfpmath=sse");
#endif

#endif
