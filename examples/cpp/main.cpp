// The device's half behind C++: podium.h is a C++ header too, and podium.c is compiled as C.
//
//     cc -O2 -c podium.c && c++ main.cpp podium.o -lm
#include "podium.h"

#include <cstdio>
#include <cstring>
#include <vector>

int main() {
    const char *question = "minimax epsilon=1 range=1:120";
    const double ages[] = {23, 45, 67, 34, 51, 18, 72, 40};
    const std::size_t n = sizeof ages / sizeof *ages;

    podium_collection collection;
    std::vector<uint32_t> cells(n);
    podium_status status = podium_collection_parse(&collection, nullptr, 0, nullptr, question, std::strlen(question));
    if (status == PODIUM_OK)
        status = podium_privatize_cells(&collection, nullptr, cells.data(), ages, n);
    std::vector<unsigned char> codes(4 * n); // a code has at most 4 bytes
    if (status == PODIUM_OK)
        status = podium_codes_encode(&collection, codes.data(), codes.size(), cells.data(), n);
    if (status != PODIUM_OK) {
        std::fprintf(stderr, "podium: %s\n", podium_status_message(status));
        return 1;
    }
    codes.resize(n * podium_code_bytes(&collection)); // what leaves the device
    for (unsigned char byte : codes)
        std::printf("%02x", byte);
    std::printf("\n");
    return 0;
}
