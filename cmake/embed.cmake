# Writes a C file that defines a text file as an array of characters with a 0 at its end. Where the text is a page that
# links to a style sheet beside it, the style sheet is put into the page.
#
#   cmake -D TEXT=page.html -D NAME=page_html -D SOURCE=page_html.c -P embed.cmake
file(READ "${TEXT}" text)
get_filename_component(directory "${TEXT}" DIRECTORY)
if(text MATCHES "<link rel=\"stylesheet\" href=\"([a-z-]+\\.css)\">")
  set(link "${CMAKE_MATCH_0}")
  file(READ "${directory}/${CMAKE_MATCH_1}" style)
  string(REPLACE "${link}" "<style>\n${style}</style>" text "${text}")
endif()

file(WRITE "${SOURCE}.txt" "${text}")
file(READ "${SOURCE}.txt" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPEAT "....." 20 twenty)
string(REGEX REPLACE "(${twenty})" "\\1\n" bytes "${bytes}")
file(WRITE "${SOURCE}" "extern const unsigned char ${NAME}[];\nconst unsigned char ${NAME}[] = {\n${bytes}0};\n")
