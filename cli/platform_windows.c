/* Windows. All paths go through the functions for wide characters, because those for bytes know only the characters of
   the code page that the machine is set to. */
#include "platform.h"
#include "cli.h"

#include <windows.h>

#include <aclapi.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <sddl.h>
#include <shellapi.h>
#include <stdlib.h>
#include <string.h>

/* ---- UTF-8 ---- */

/* These return memory, or NULL with errno. */
static wchar_t *wide_of(const char *text) {
    const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = n == 0 ? NULL : malloc((size_t)n * sizeof *wide);
    if (n == 0)
        errno = EILSEQ;
    if (wide != NULL)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, n);
    return wide;
}

static char *utf8_of(const wchar_t *wide) {
    const int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = n == 0 ? NULL : malloc((size_t)n);
    if (text != NULL)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, n, NULL, NULL);
    return text;
}

/* ---- The program ---- */

/* Windows calls this in a thread of its own, while the others go on. The lock is never released: nothing may create or
   rename a file any more. The status is that of programs that do not handle Ctrl-C. */
static CRITICAL_SECTION committing;

static BOOL WINAPI interrupted(DWORD event) {
    (void)event;
    EnterCriticalSection(&committing);
    output_abandon();
    say_before_leaving();
    TerminateProcess(GetCurrentProcess(), (UINT)STATUS_CONTROL_C_EXIT);
    return TRUE;
}

/* As with POSIX, a closed stream becomes one that fails, so that no file gets its descriptor. */
static void open_closed(void) {
    static const int flags[] = {_O_WRONLY, _O_RDONLY, _O_WRONLY};
    for (int i = 0; i <= 2; i++) {
        if (_get_osfhandle(i) >= 0)
            continue;
        const int file = _open("NUL", flags[i]);
        if (file < 0 || (file != i && _dup2(file, i) != 0))
            _exit(BAD_IO);
    }
}

static void read_arguments(int *count, char ***arguments) {
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), count);
    if (wide == NULL)
        fail(BAD_IO, "cannot read the command line");
    *arguments = allocate(((size_t)*count + 1) * sizeof **arguments);
    for (int i = 0; i < *count; i++)
        if (((*arguments)[i] = utf8_of(wide[i])) == NULL)
            fail(BAD_IO, "out of memory");
    (*arguments)[*count] = NULL;
    LocalFree(wide);
}

void platform_begin(int *count, char ***arguments) {
    open_closed();
    for (int i = 0; i <= 2; i++)
        _setmode(i, _O_BINARY);
    setvbuf(stderr, NULL, _IOFBF, BUFSIZ); /* a message at a time, not a character */
    InitializeCriticalSection(&committing);
    SetConsoleCtrlHandler(interrupted, TRUE);
    read_arguments(count, arguments);
}

void signals_block(void) {
    EnterCriticalSection(&committing);
}

void signals_restore(void) {
    LeaveCriticalSection(&committing);
}

/* Windows' C library has no number for some errors of a pipe. */
bool is_broken_pipe(int error) {
    return error == EPIPE || error == EINVAL;
}

void end_for_broken_pipe(void) {
    _exit(BAD_IO);
}

unsigned processor_count(void) {
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : count;
}

/* A console moves its cursor as told once it is asked to; those before Windows 10 refuse. */
bool terminal(void) {
    HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;
    return GetConsoleMode(error, &mode) && SetConsoleMode(error, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool console_reads_utf8(void) {
    return GetConsoleOutputCP() == CP_UTF8;
}

/* ---- Files ---- */

static int errno_of(DWORD error) {
    static const struct {
        DWORD error;
        int number;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_DIRECTORY, ENOTDIR},
    };
    for (size_t i = 0; i < LENGTH(known); i++)
        if (known[i].error == error)
            return known[i].number;
    return EIO;
}

static bool succeeded(BOOL result) {
    if (!result)
        errno = errno_of(GetLastError());
    return result != FALSE;
}

/* Opens a file so that it can be renamed and removed meanwhile, as everywhere else. */
static HANDLE open_wide(const wchar_t *path, DWORD access, DWORD creation, SECURITY_ATTRIBUTES *security) {
    HANDLE file = CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, security, creation,
                              FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);
    succeeded(file != INVALID_HANDLE_VALUE);
    return file;
}

static HANDLE open_handle(const char *path, DWORD access, DWORD creation) {
    wchar_t *wide = wide_of(path);
    HANDLE file = wide == NULL ? INVALID_HANDLE_VALUE : open_wide(wide, access, creation, NULL);
    free(wide);
    return file;
}

static file_kind kind_of(HANDLE file, BY_HANDLE_FILE_INFORMATION *about) {
    if (GetFileType(file) != FILE_TYPE_DISK || !GetFileInformationByHandle(file, about))
        return FILE_OTHER;
    return about->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FILE_DIRECTORY : FILE_REGULAR;
}

/* Opens a file as a descriptor; directories are refused. */
static int open_descriptor(const char *path, DWORD access, DWORD creation) {
    BY_HANDLE_FILE_INFORMATION about;
    HANDLE file = open_handle(path, access, creation);
    if (file == INVALID_HANDLE_VALUE) {
        if (file_look(path).kind == FILE_DIRECTORY)
            errno = EISDIR;
        return -1;
    }
    if (kind_of(file, &about) == FILE_DIRECTORY) {
        CloseHandle(file);
        errno = EISDIR;
        return -1;
    }
    return _open_osfhandle((intptr_t)file, _O_BINARY | (access & GENERIC_WRITE ? _O_RDWR : _O_RDONLY));
}

/* Windows counts in 100 nanoseconds from 1601. */
static time_t time_of(FILETIME time) {
    const uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (time_t)(ticks / 10000000) - (time_t)11644473600;
}

file_status file_look(const char *path) {
    BY_HANDLE_FILE_INFORMATION about = {0};
    HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE)
        return (file_status){.kind = FILE_MISSING};
    const file_kind kind = kind_of(file, &about);
    CloseHandle(file);
    return (file_status){.kind = kind,
                         .size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow,
                         .changed = time_of(about.ftLastWriteTime)};
}

int file_open(const char *path) {
    return open_descriptor(path, GENERIC_READ, OPEN_EXISTING);
}

int file_open_to_write(const char *path) {
    return open_descriptor(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING);
}

ptrdiff_t file_read(int file, void *buffer, size_t n) {
    return _read(file, buffer, n < INT_MAX ? (unsigned)n : INT_MAX);
}

void file_close(int file) {
    _close(file);
}

bool file_sync(int file) {
    return _commit(file) == 0;
}

/* The journal of NTFS has the name. */
bool file_sync_name(const char *path) {
    (void)path;
    return true;
}

int file_of(FILE *stream) {
    return _fileno(stream);
}

FILE *file_stream(const char *path, const char *mode) {
    const bool reads = *mode == 'r', is_new = strchr(mode, 'x') != NULL, both = strchr(mode, '+') != NULL;
    const int file = open_descriptor(path,
                                     both    ? GENERIC_READ | GENERIC_WRITE
                                     : reads ? GENERIC_READ
                                             : GENERIC_WRITE,
                                     reads    ? OPEN_EXISTING
                                     : is_new ? CREATE_NEW
                                              : CREATE_ALWAYS);
    return file < 0 ? NULL : _fdopen(file, both ? "r+b" : reads ? "rb" : "wb");
}

bool file_lock(int file) {
    enum { BEYOND = 0x40000000 }; /* a byte that no file has, because others could not read what is locked */
    return LockFile((HANDLE)_get_osfhandle(file), 0, BEYOND, 1, 0);
}

void write_message(const char *text) {
    _write(2, text, (unsigned)strlen(text));
}

/* ---- Paths ---- */

static bool is_separator(char character) {
    return character == '/' || character == '\\';
}

const char *path_name(const char *path) {
    const char *name = path;
    for (const char *at = path; *at != '\0'; at++)
        if (is_separator(*at) || (at == path + 1 && *at == ':'))
            name = at + 1;
    return name;
}

size_t path_length(const char *path) {
    size_t n = strlen(path);
    while (n > 1 && is_separator(path[n - 1]))
        n--;
    return n;
}

bool path_same(const char *a, const char *b) {
    wchar_t *wide_a = wide_of(a), *wide_b = wide_of(b);
    const bool same =
        wide_a != NULL && wide_b != NULL && CompareStringOrdinal(wide_a, -1, wide_b, -1, TRUE) == CSTR_EQUAL;
    free(wide_a);
    free(wide_b);
    return same;
}

/* Returns the path of an open file or directory without links, or NULL. */
static char *final_path(HANDLE file) {
    const DWORD n = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *wide = n == 0 ? NULL : malloc(n * sizeof *wide);
    char *text = NULL;
    if (wide != NULL && GetFinalPathNameByHandleW(file, wide, n, FILE_NAME_NORMALIZED) < n)
        text = utf8_of(wide);
    free(wide);
    return text;
}

static char *existing_path(const char *path) {
    HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    char *text = final_path(file);
    CloseHandle(file);
    return text;
}

/* As with POSIX: the target of a path that does not exist yet. */
static char *in_directory(const char *path) {
    const char *name = path_name(path);
    char *parent = name == path ? strdup(".") : strdup(path), *whole = NULL;
    if (parent == NULL)
        return NULL;
    if (name != path)
        parent[name - path] = '\0';
    char *directory = existing_path(parent);
    free(parent);
    if (directory == NULL)
        return strdup(path);
    const size_t n = strlen(directory) + strlen(name) + 2;
    if ((whole = malloc(n)) != NULL)
        snprintf(whole, n, "%s\\%s", directory, name);
    free(directory);
    return whole;
}

static bool is_link(const char *path) {
    wchar_t *wide = wide_of(path);
    const DWORD attributes = wide == NULL ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

char *file_target(const char *path) {
    char *target = existing_path(path);
    if (target == NULL && is_link(path))
        fail(BAD_IO, "%s: this symbolic link points nowhere (%s)", path, strerror(ENOENT));
    return target == NULL ? in_directory(path) : target;
}

/* Such as NUL, CON and \\.\pipe\name, in any directory and in any case */
bool path_is_device(const char *path) {
    wchar_t *wide = wide_of(path), whole[8] = L"";
    const DWORD n = wide == NULL ? 0 : GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *full = n == 0 ? NULL : malloc(n * sizeof *full);
    if (full != NULL && GetFullPathNameW(wide, n, full, NULL) < n)
        wcsncpy(whole, full, LENGTH(whole) - 1);
    free(full);
    free(wide);
    return wcsncmp(whole, L"\\\\.\\", 4) == 0;
}

/* ---- Replacing files ---- */

/* Replaces the six X by others each time. The name need not be secret, because a file that exists is never opened. */
static void fill_template(char *x) {
    static uint64_t state;
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    state = (state + (uint64_t)now.QuadPart + GetCurrentProcessId()) * 0x9e3779b97f4a7c15 + 1;
    for (int i = 0; i < 6; i++)
        x[i] = "abcdefghijklmnopqrstuvwxyz012345"[state >> (34 + 5 * i) & 31];
}

enum { ATTEMPTS = 100 };

/* Returns the permissions of the target, those of the directory (NULL) if there is none, or those of the owner alone if
   they cannot be read. Sets *failed if memory is short. The caller frees the result by LocalFree. */
static PSECURITY_DESCRIPTOR permissions_of(const wchar_t *target, bool *failed) {
    PSECURITY_DESCRIPTOR descriptor = NULL;
    DWORD error =
        GetNamedSecurityInfoW(target, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, NULL, NULL, &descriptor);
    *failed = false;
    if (error == ERROR_SUCCESS || error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
        return error == ERROR_SUCCESS ? descriptor : NULL;
    *failed =
        !ConvertStringSecurityDescriptorToSecurityDescriptorW(L"D:P(A;;FA;;;OW)", SDDL_REVISION_1, &descriptor, NULL);
    return descriptor;
}

static HANDLE create_like(const char *path, PSECURITY_DESCRIPTOR permissions) {
    SECURITY_ATTRIBUTES security = {.nLength = sizeof security, .lpSecurityDescriptor = permissions};
    wchar_t *wide = wide_of(path);
    HANDLE file = wide == NULL ? INVALID_HANDLE_VALUE
                               : open_wide(wide, GENERIC_WRITE, CREATE_NEW, permissions == NULL ? NULL : &security);
    free(wide);
    return file;
}

bool file_create_for(char *path, size_t suffix_length, const char *target) {
    bool failed = true;
    wchar_t *wide = wide_of(target);
    PSECURITY_DESCRIPTOR permissions = wide == NULL ? NULL : permissions_of(wide, &failed);
    free(wide);
    HANDLE file = INVALID_HANDLE_VALUE;
    for (int i = 0; i < ATTEMPTS && !failed && file == INVALID_HANDLE_VALUE && (i == 0 || errno == EEXIST); i++) {
        fill_template(path + strlen(path) - suffix_length - 6);
        file = create_like(path, permissions);
    }
    LocalFree(permissions);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    CloseHandle(file);
    return true;
}

bool directory_create(const char *path) {
    wchar_t *wide = wide_of(path);
    const bool created = wide != NULL && succeeded(CreateDirectoryW(wide, NULL));
    free(wide);
    return created;
}

bool directory_create_temporary(char *path) {
    for (int i = 0; i < ATTEMPTS && (i == 0 || errno == EEXIST); i++) {
        fill_template(path + strlen(path) - 6);
        if (directory_create(path))
            return true;
    }
    return false;
}

static bool move(const char *from, const char *to, DWORD flags) {
    wchar_t *wide_from = wide_of(from), *wide_to = wide_of(to);
    const bool moved = wide_from != NULL && wide_to != NULL &&
                       succeeded(MoveFileExW(wide_from, wide_to, flags | MOVEFILE_WRITE_THROUGH));
    free(wide_from);
    free(wide_to);
    return moved;
}

bool file_replace(const char *from, const char *to) {
    return move(from, to, MOVEFILE_REPLACE_EXISTING);
}

static bool remove_directory(const char *path) {
    wchar_t *wide = wide_of(path);
    const bool removed = wide != NULL && succeeded(RemoveDirectoryW(wide));
    free(wide);
    return removed;
}

/* Windows moves no directory over another, so an empty one goes first. */
bool directory_replace(const char *from, const char *to) {
    return (file_look(to).kind == FILE_MISSING || remove_directory(to)) && move(from, to, 0);
}

void file_remove(const char *path) {
    wchar_t *wide = wide_of(path);
    if (wide != NULL)
        DeleteFileW(wide);
    free(wide);
}

void directory_remove(const char *path) {
    remove_directory(path);
}

/* ---- Other programs ---- */

bool program_installed(const char *name) {
    wchar_t *wide = wide_of(name), found[MAX_PATH];
    const bool is_there = wide != NULL && SearchPathW(NULL, wide, L".exe", LENGTH(found), found, NULL) > 0;
    free(wide);
    return is_there;
}

FILE *program_start(const char *name, int result) {
    const int mine = _dup(1);
    _dup2(result, 1);
    FILE *input = _popen(name, "wb");
    _dup2(mine, 1);
    _close(mine);
    return input;
}

bool program_end(FILE *input) {
    return _pclose(input) == 0;
}
