/* Loading a program: the text checked and parsed, the templates beside it. */
#include "program.h"
#include "templates.h"

#include <string.h>

static struct source templates_source(arena *memory)
{
    struct text t = text_new(memory);
    for (const char *const *line = spec_template_lines; *line; line++) text_bytes(&t, *line, strlen(*line));
    return (struct source){.file = "templates", .text = t.data, .length = (uint32_t)t.length};
}

bool program_load(struct program *p, arena *memory, const char *file, const char *text, size_t length,
                  struct diag *error)
{
    *p = (struct program){.memory = memory, .error = error};
    p->file.source.file = file ? arena_text(memory, file, strlen(file)) : "";
    p->file.source.text = text ? text : "";
    if (source_check(&p->file.source, length, error)) return false;
    p->file.source.text = arena_text(memory, p->file.source.text, length);
    p->file.source.length = (uint32_t)length;
    p->templates.source = templates_source(memory);
    p->dag = expr_dag_create(memory, SPEC_MAX_NODES);
    return library_load(p, &p->templates);
}
