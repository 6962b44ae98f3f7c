/* gdb's JIT interface ("JIT Compilation Interface" in gdb's manual): a list of objects in the process that a
 * debugger reads. The names and the layout are the interface's; gdb and lldb look for them in each library of
 * the process. */
#ifndef ACTGEN_LOADER_DEBUGGER_H
#define ACTGEN_LOADER_DEBUGGER_H

#include <stdint.h>

struct debugger_entry {
    struct debugger_entry *next, *previous;
    const char *object; /* a whole object, whose sections say where they lie in memory */
    uint64_t size;
};

enum debugger_action { DEBUGGER_NOTHING, DEBUGGER_ADDED, DEBUGGER_REMOVED };

/* The only data of the library that change, and that all engines share: the interface wants one list of a
 * process. */
struct debugger_descriptor {
    uint32_t version;
    uint32_t action; /* what happened to `entry` when __jit_debug_register_code was last called */
    struct debugger_entry *entry, *first;
};
extern struct debugger_descriptor __jit_debug_descriptor;

void __jit_debug_register_code(void); /* does nothing: debuggers stop in it and read the list */

/* Both thread-safe. An entry and its object belong to the caller, and stay as they are until the entry has
 * been removed. */
void debugger_add(struct debugger_entry *entry);
void debugger_remove(struct debugger_entry *entry);

#endif
