/* A stand-in for gnuplot on Windows, to see whether the program finds and feeds it: the picture has the script in it.
 */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>

int main(void) {
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"><desc>", stdout);
    for (int c; (c = getchar()) != EOF;)
        if (c == '<' || c == '&')
            printf("&#%d;", c);
        else
            putchar(c);
    fputs("</desc></svg>\n", stdout);
    return 0;
}
