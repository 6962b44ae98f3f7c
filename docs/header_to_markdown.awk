# Turns include/actgen.h and the headers that it includes, in that order, into Markdown. The result is the page of the C
# interface, and with markdown_to_man.awk the manual page actgen(3). A comment that begins a line becomes text, and the
# code after it follows as it is. "/* ---- name ---- */" becomes a heading. The first comment of an included header only
# describes the file, and is left out.

function end_code() {
    if (code != "") printf "```c\n%s```\n\n", code
    code = ""
}

# Puts names of C into backquotes, unless they are, so that Markdown does not take their characters for marks.
function names_marked(line,   parts, count, i, out) {
    count = split(line, parts, "`")
    for (i = 1; i <= count; i++) {
        if (i % 2) gsub(/\**actgen_[a-z_]+|ACTGEN_[A-Z_0-9]+\*?|\*+[a-z_]+|<[a-z]+>[a-z_]*/, "`&`", parts[i])
        out = out (i > 1 ? "`" : "") parts[i]
    }
    return out
}

# Returns the number of brackets that a line of code leaves open. Brackets in texts and comments do not count.
function opened(line,   before) {
    gsub(/"[^"]*"/, "", line)
    if (in_remark && !sub(/^.*\*\//, "", line)) return 0
    in_remark = 0
    gsub(/\/\*[^*]*(\*[^\/*][^*]*)*\*\//, "", line)
    in_remark = sub(/\/\*.*$/, "", line)
    return gsub(/[{(]/, "", line) - gsub(/[})]/, "", line)
}

# Prints a line of a comment without the comment's marks.
function say(line) {
    ends = sub(/ *\*\/.*$/, "", line)
    sub(/^\/\*+ ?/, "", line)
    sub(/^ \* ?/, "", line)
    if (first && line ~ /^[A-Z][a-z]+  +/) { # a term of the first comment, and its explanation
        word = line
        sub(/ .*/, "", word)
        sub(/^[A-Za-z]+ +/, "", line)
        print "\n**" word "**: " names_marked(line)
    } else if (line ~ /^ *$/) {
        print ""
    } else {
        sub(/^ +/, "", line)
        print names_marked(line)
    }
    began = 1
    if (ends) { print ""; in_comment = first = 0 }
}

NR == 1 {
    print "# The C interface\n"
    print "`#include <actgen.h>`, and `cc program.c $(pkg-config --cflags --libs actgen)`.\n"
    first = in_comment = 1
    sub(/^\/\* actgen\.h - /, "/* ")
    say(toupper(substr($0, 1, 4)) substr($0, 5))
    next
}
FNR == 1 { end_code(); in_opening = 1 }
in_opening { in_opening = !/\*\//; next }
in_comment { say($0); next }
/^\/\* ---- .* ---- \*\/$/ {
    end_code()
    gsub(/^\/\* -+ | -+ \*\/$/, "")
    print "## " toupper(substr($0, 1, 1)) substr($0, 2) "\n"
    next
}
/^\/\*/ && !deep { end_code(); in_comment = 1; say($0); next }
/^#(if|ifndef|ifdef|else|endif|include)/ || /^#define ACTGEN_(H|INCLUDE_[A-Z]+_H|API|OPERAND)( |$)/ || /^(extern "C"|}$)/ { next }
/^$/ && !deep { end_code(); next }
{
    line = $0
    if (sub(/^ACTGEN_API /, "", line)) shift = length("ACTGEN_API ") # a mark for the linker; parameters below move with the name
    else if (shift) line = substr(line, shift + 1)
    if (line ~ /;/) shift = 0
    code = code line "\n"
    deep += opened($0)
}
END { end_code() }
