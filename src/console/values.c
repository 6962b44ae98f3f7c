/* Lists the words that an option takes, if there are few. Shells complete them. */
#include "options.h"

#include <string.h>

static void visit_words(const char *words, void (*visit)(void *payload, const char *word), void *payload)
{
    char word[32];
    for (; *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        memcpy(word, words, length);
        word[length] = '\0';
        visit(payload, word);
        words += length;
    }
}

/* Returns true if an earlier core has the name: several instruction sets may have one. */
static bool is_named_before(size_t number, const char *core_name)
{
    actgen_core core = ACTGEN_CORE_INIT;
    for (size_t i = 0; i < number && !actgen_core_info(i, &core); i++)
        if (!strcmp(core.name, core_name)) return true;
    return false;
}

void option_values(enum option_id option, void (*visit)(void *payload, const char *word), void *payload)
{
    actgen_core core = ACTGEN_CORE_INIT;
    switch ((int)option) {
    case OPTION_ISA:
        for (size_t n = 0; actgen_isa_name(n); n++) visit(payload, actgen_isa_name(n));
        visit_words("host all", visit, payload);
        break;
    case OPTION_TYPE:
        for (int type = 0; type != ACTGEN_U64; type++)
            visit(payload, actgen_type_name(type)); /* u64 is only for seeds */
        break;
    case OPTION_STYLE:
        for (size_t i = 0; actgen_style_name(i); i++) visit(payload, actgen_style_name(i));
        break;
    case OPTION_TUNE:
        for (size_t i = 0; !actgen_core_info(i, &core); i++)
            if (!is_named_before(i, core.name)) visit(payload, core.name);
        visit(payload, "host");
        break;
    default:
        if (option_rows[option].words) visit_words(option_rows[option].words, visit, payload);
    }
}
