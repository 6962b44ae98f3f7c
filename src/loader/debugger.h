/* gdb's JIT interface ("JIT Compilation Interface" in gdb's manual): a list of objects in the process that a
 * debugger reads. The interface defines the names and the layout. gdb and lldb look for them in each library
 * of the process. */
#ifndef ACTGEN_LOADER_DEBUGGER_H
#define ACTGEN_LOADER_DEBUGGER_H

#include <stdint.h>

struct debugger_entry {
    struct debugger_entry *next, *previous;
    /* A whole object, whose sections say where they are in memory. */
    const char *object;
    uint64_t size;
};

enum debugger_action { DEBUGGER_NOTHING, DEBUGGER_ADDED, DEBUGGER_REMOVED };

/* The list that debuggers read. It is the only data of the library that changes and that all engines share,
 * because the interface wants one list per process. */
struct debugger_descriptor {
    uint32_t version;
    /* The last event of `entry`, for a debugger that stops in __jit_debug_register_code. */
    uint32_t action;
    struct debugger_entry *entry, *first;
};
extern struct debugger_descriptor __jit_debug_descriptor;

/* Does nothing. Debuggers stop in it and read the list. */
void __jit_debug_register_code(void);

/* Add an entry to the list, and remove it. Thread-safe. The entry and its object belong to the caller, and
 * must not change before the entry has been removed. */
void debugger_add(struct debugger_entry *entry);
void debugger_remove(struct debugger_entry *entry);

#endif
