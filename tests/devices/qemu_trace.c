/*
 * A plugin of qemu that records what a program executes: how many instructions, and a hash of their addresses and of
 * the addresses that they read and write, in order.
 *
 *   qemu-aarch64 -plugin qemu_trace.so,out=FILE[,from=ADDRESS,to=ADDRESS][,log=FILE] PROGRAM
 *
 * With from and to, only what is executed after the instruction at one address and before that at the other is
 * recorded, as often as they are reached. The log has a line for each instruction, and for each access to memory.
 *
 * Debian's qemu has no header for plugins, so what is used of its interface is declared here. It is version 1.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct qemu_plugin_tb block;
typedef struct qemu_plugin_insn instruction;
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };

size_t qemu_plugin_tb_n_insns(const block *of);
instruction *qemu_plugin_tb_get_insn(const block *of, size_t number);
uint64_t qemu_plugin_insn_vaddr(const instruction *of);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, block *translated));
void qemu_plugin_register_vcpu_insn_exec_cb(instruction *of, void (*call)(unsigned cpu, void *data), int flags,
                                            void *data);
void qemu_plugin_register_vcpu_mem_cb(instruction *of,
                                      void (*call)(unsigned cpu, uint32_t info, uint64_t address, void *data),
                                      int flags, int which, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*call)(uint64_t id, void *data), void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static uint64_t from, to, count, hash;
static bool recording = true;
static FILE *out, *log_file;

static void record(uint64_t address) {
    hash = (hash ^ address) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
}

static void executed(unsigned cpu, void *address) {
    const uint64_t at = (uint64_t)(uintptr_t)address;
    (void)cpu;
    if (to != 0 && at == to)
        recording = false;
    if (recording) {
        count++;
        record(at);
        if (log_file != NULL)
            fprintf(log_file, "%" PRIx64 "\n", at);
    }
    if (from != 0 && at == from)
        recording = true;
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *data) {
    (void)cpu, (void)info, (void)data;
    if (!recording)
        return;
    record(~address);
    if (log_file != NULL)
        fprintf(log_file, "    memory %" PRIx64 "\n", address);
}

static void translated(uint64_t id, block *of) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(of); i++) {
        instruction *one = qemu_plugin_tb_get_insn(of, i);
        void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(one);
        qemu_plugin_register_vcpu_insn_exec_cb(one, executed, NO_REGISTERS, address);
        qemu_plugin_register_vcpu_mem_cb(one, accessed, NO_REGISTERS, READS_AND_WRITES, address);
    }
}

static void finished(uint64_t id, void *data) {
    (void)id, (void)data;
    fprintf(out, "%" PRIu64 " %016" PRIx64 "\n", count, hash);
    fclose(out);
    if (log_file != NULL)
        fclose(log_file);
}

static const char *argument(int argc, char **argv, const char *name) {
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], name, strlen(name)) == 0 && argv[i][strlen(name)] == '=')
            return argv[i] + strlen(name) + 1;
    return NULL;
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
    const char *out_name = argument(argc, argv, "out"), *log_name = argument(argc, argv, "log");
    const char *first = argument(argc, argv, "from"), *last = argument(argc, argv, "to");
    (void)info;
    from = first == NULL ? 0 : strtoull(first, NULL, 16);
    to = last == NULL ? 0 : strtoull(last, NULL, 16);
    recording = from == 0;
    out = out_name == NULL ? NULL : fopen(out_name, "w");
    log_file = log_name == NULL ? NULL : fopen(log_name, "w");
    if (out == NULL || (log_name != NULL && log_file == NULL))
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
