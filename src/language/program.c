/* Loads a program: checks and parses the text, and makes the templates available. Reports errors in the
 * meaning of the text. */
#include "program.h"
#include "templates.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool program_load(struct program *p, arena *memory, const char *file, const char *text, size_t length,
                  struct diag *error)
{
    *p = (struct program){.memory = memory, .error = error};
    p->file.source.file = file ? arena_copied(memory, file) : "";
    p->file.source.text = text ? text : "";
    if (source_check(&p->file.source, length, error)) return false;
    p->file.source.text = arena_text(memory, p->file.source.text, length);
    p->file.source.length = (uint32_t)length;
    p->templates = templates_on_demand(memory);
    p->dag = expr_dag_create(memory, SPEC_MAX_NODES);
    return true;
}

const struct call *call_of_template(const struct program *p, const struct frame *f)
{
    const struct call *call = NULL;
    for (; f && f->source != &p->file.source; f = f->caller) call = f->call;
    return f ? call : NULL;
}

void *program_fail(struct program *p, const struct frame *f, int status, struct span place,
                   const char *format, ...)
{
    char message[DIAG_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct call *call = call_of_template(p, f);
    if (call) {
        diag_at(p->error, status, p->file.source.text, call->place, "in the template `%s`: %s", call->name,
                message);
    } else {
        diag_at(p->error, status, f->source->text, place, "%s", message);
    }
    return NULL;
}

bool program_has_slopes(struct program *p, const struct frame *f, struct span place)
{
    const expr *refused = p->calculus.refused;
    return !refused || program_fail(p, f, DIAG_NOT_YET, place, "`%s` has no derivative in this version",
                                    expr_kind_name(refused->kind));
}
