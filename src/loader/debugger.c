/* Keeps the list that debuggers read. The lock is for threads of this process. A debugger stops the process,
 * so it needs no lock. */
#include "debugger.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct debugger_descriptor __jit_debug_descriptor = {.version = 1};

/* Does nothing. The fence keeps the compiler from removing calls of this function, in which debuggers stop.
 * It also makes the compiler write the list to memory before. */
__attribute__((noinline)) void __jit_debug_register_code(void) { atomic_signal_fence(memory_order_seq_cst); }

static void tell(enum debugger_action action, struct debugger_entry *entry)
{
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.entry = entry;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = DEBUGGER_NOTHING;
    __jit_debug_descriptor.entry = NULL;
}

void debugger_add(struct debugger_entry *entry)
{
    pthread_mutex_lock(&lock);
    entry->previous = NULL;
    entry->next = __jit_debug_descriptor.first;
    if (entry->next) entry->next->previous = entry;
    __jit_debug_descriptor.first = entry;
    tell(DEBUGGER_ADDED, entry);
    pthread_mutex_unlock(&lock);
}

void debugger_remove(struct debugger_entry *entry)
{
    pthread_mutex_lock(&lock);
    if (entry->next) entry->next->previous = entry->previous;
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        __jit_debug_descriptor.first = entry->next;
    tell(DEBUGGER_REMOVED, entry);
    pthread_mutex_unlock(&lock);
}
