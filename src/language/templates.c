/* Finds templates by name, and parses them when they are first needed. */
#include "templates.h"

#include <string.h>

struct library templates_on_demand(arena *memory)
{
    unsigned count = 0;
    while (spec_template_places[count].name) count++;
    return (struct library){
        .source = {.file = "templates", .text = spec_templates, .length = (uint32_t)spec_templates_size},
        .count = count,
        .functions = name_map_new(memory),
        .kernels = name_map_new(memory),
        .is_on_demand = true};
}

static const struct template_place *find_place(const char *name, bool kernel)
{
    const struct template_place *t = spec_template_places;
    while (t->name &&
           ((t->kind == TOKEN_KERNEL) != kernel || *t->name != *name || strcmp(t->name, name) != 0))
        t++;
    return t->name ? t : NULL;
}

struct declaration *template_find(struct program *p, struct library *templates, const char *name, bool kernel)
{
    struct name_map *known = kernel ? &templates->kernels : &templates->functions;
    struct declaration *d = name_map_get(known, name);
    const struct template_place *place = d ? NULL : find_place(name, kernel);
    if (!place) return d;
    struct parser parser;
    parser_start_at(&parser, p->memory, &templates->source, place->begin, p->error);
    parser.documented = place->comments;
    d = arena_alloc(p->memory, sizeof *d);
    if (!parse_declaration(&parser, d)) return NULL;
    name_map_put(known, d->name, d);
    return d;
}
