/* For code that must compute the same doubles on every machine. A file includes this before its first function, and
   is then compiled without fused or extended arithmetic. */
#ifndef PODIUM_DOUBLES_H
#define PODIUM_DOUBLES_H

#include <float.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off") /* gcc ignores the standard pragma */
#else
#pragma STDC FP_CONTRACT OFF
#endif

/* FLT_EVAL_METHOD is 1 on s390x under -std=c11. Then only floats are computed as doubles, and there are no floats
   here. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
               "this needs doubles that are doubles: on 32-bit x86, -msse2 -mfpmath=sse");

#endif
