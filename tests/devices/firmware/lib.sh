# What tests/devices/firmware.sh and bench/firmware.sh share. They set: source, podium, work, cpu, compiler.
firmware=$source/examples/firmware
here=$source/tests/devices/firmware

# The collections, all for values from -400 to 600 in units of 0.1. Tuned Podium is left out, because only its numbers
# differ from those of Podium.
range=-40:60 unit=0.1
mechanisms="podium podium-approximate laplace staircase duchi piecewise hybrid minimax square-wave"

make_collections() {
    : >"$work/collections.h"
    for mechanism in $mechanisms; do
        name=of_$(echo "$mechanism" | tr - _)
        "$podium" design --range $range --epsilon 1 --mechanism "$mechanism" --name "$name" --format c --unit $unit \
            -o "$work/$name.c"
        echo "COLLECTION($name)" >>"$work/collections.h"
    done
}

case $cpu in
cortex-m0plus) board=microbit ;; # which has a Cortex-M0: the same instructions
cortex-m3) board=mps2-an385 ;;
cortex-m4) board=mps2-an386 ;;
esac

flags="-mcpu=$cpu -mthumb -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffunction-sections
    -fdata-sections -I$work -I$firmware -I$source/include -I$source/src -nostartfiles --specs=nosys.specs -T$firmware/link.ld
    -Wl,--gc-sections -Wl,-z,noexecstack"
device="$source/src/device/firmware.c $source/src/device/random.c $source/src/device/random_none.c
    $source/src/device/wipe_volatile.c"

# build OUTPUT LEVEL FILE-OR-FLAG...: a program for the device. clang compiles only Podium, because it has no libraries.
build() {
    output=$1 level=$2
    shift
    # shellcheck disable=SC2086
    if [ "$compiler" = clang ]; then
        (cd "$work" && clang --target=arm-none-eabi -mcpu=$cpu -mthumb -std=c11 $level -ffreestanding -fshort-enums -ffunction-sections \
            -fdata-sections -Wall -Wextra -Werror -isystem /usr/include/newlib -I"$source/include" -I"$source/src" -c $device)
        arm-none-eabi-gcc $flags "$@" "$work"/firmware.o "$work"/random.o "$work"/random_none.o "$work"/wipe_volatile.o \
            -o "$work/$output"
    else
        arm-none-eabi-gcc $flags "$@" $device -o "$work/$output"
    fi
}

# build_board OUTPUT LEVEL FILE-OR-FLAG...: the same with the board
build_board() {
    build "$@" "$firmware/startup.c" "$firmware/emulator.c"
}

# emulate PROGRAM QEMU-OPTION...: what the program prints
emulate() {
    program=$1
    shift
    timeout 120 qemu-system-arm -M $board -display none -monitor none -serial none -chardev stdio,id=out \
        -semihosting-config enable=on,target=native,chardev=out -kernel "$work/$program" "$@" </dev/null
}

# flash NAME [FLAG...]: bytes of code and constants of Podium alone, with the collection of that name and what it needs of
# the compiler's libraries. The numbers are text and data, because data are in flash too.
flash() {
    name=$1
    shift
    build size.elf -Os "$@" "$work/$name.c" -Wl,-e,podium_firmware_codes -Wl,-u,"$name"
    arm-none-eabi-size "$work/size.elf" | awk 'NR == 2 { print $1 + $2 }'
}

# trace PROGRAM: for each pair of marks the number of instructions between them that are not the random source's, and all
# their addresses
trace() {
    mkfifo "$work/log"
    emulate "$1" -singlestep -d exec,nochain -D "$work/log" &
    arm-none-eabi-nm -S "$work/$1" | awk '
        function hex(text, number, i) {
            for (i = 1; i <= length(text); i++)
                number = 16 * number + index("0123456789abcdef", substr(text, i, 1)) - 1
            return number
        }
        FNR == NR { if ($4 == "mark") mark = $1; if ($4 == "extreme_fill") { fill = hex($1) - hex($1) % 2; size = hex($2) } next }
        FNR == 1 { sub(/.$/, sprintf("%x", hex(substr(mark, length(mark))) - hex(substr(mark, length(mark))) % 2), mark) }
        /^Trace/ {
            split($0, at, "/")
            if (at[2] == mark) {
                if (++marks % 2 == 0)
                    print count, path
                count = 0
                path = ""
            } else if (marks % 2 == 1) {
                path = path at[2]
                if (hex(at[2]) < fill || hex(at[2]) >= fill + size)
                    count++
            }
        }' - "$work/log"
    rm "$work/log"
    wait
}
