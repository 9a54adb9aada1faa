/* What Podium's own settings would refuse: GNU's C17, and a conversion that -Wconversion warns about. */
#if __STDC_VERSION__ != 201710L || defined __STRICT_ANSI__
#error "not compiled as GNU's C17"
#endif
#if defined PODIUM_WITH_OPENSSL || defined _FORTIFY_SOURCE
#error "compiled with Podium's own options"
#endif

int narrow(long number);

int narrow(long number) {
    typeof(number) copy = number;
    return copy;
}
