# Turns a page of Markdown into a manual page, in man(7) macros. Knows only the Markdown that docs/language.md and
# header_to_markdown.awk use.
#
#     awk -v name=act -v section=5 -v group="File formats" -v about="the language of .act files" -f markdown_to_man.awk PAGE.md

function text(line) { # returns the line with its inline marks
    gsub(/\\/, "\\e", line)
    while (match(line, /\[[^][]*\]\([^)]*\)/)) line = unlinked(line)
    while (match(line, /`[^`]*`/)) line = marked(line, 1)
    while (match(line, /\*\*[^*]*\*\*/)) line = marked(line, 2)
    while (match(line, /\*[^* ][^*]*\*/)) line = italic(line)
    gsub(/\001/, "*", line)
    if (line ~ /^['.]/) line = "\\&" line
    return line
}

# Returns the line with the text of the link that was matched, and without its address.
function unlinked(line,   inside) {
    inside = substr(line, RSTART + 1, RLENGTH - 2)
    sub(/\]\(.*/, "", inside)
    return substr(line, 1, RSTART - 1) inside substr(line, RSTART + RLENGTH)
}

function marked(line, width,   inside) {
    inside = substr(line, RSTART + width, RLENGTH - 2 * width)
    gsub(/-/, "\\-", inside)
    gsub(/\*/, "\001", inside) # this is no mark of Markdown
    return substr(line, 1, RSTART - 1) "\\fB" inside "\\fR" substr(line, RSTART + RLENGTH)
}

function italic(line) {
    return substr(line, 1, RSTART - 1) "\\fI" substr(line, RSTART + 1, RLENGTH - 2) "\\fR" substr(line, RSTART + RLENGTH)
}

NR == 1 {
    print ".TH " toupper(name) " " section " 2026-11-22 \"actgen\" \"" group "\"\n.SH NAME\n" name " \\- " about
    print ".SH DESCRIPTION"
    headed = 1
    next
}
/^```./ { print (paragraph ? ".PP\n" : "") ".RS 4\n.nf"; code = 1; paragraph = 0; next }
code && /^```$/ { print ".fi\n.RE"; code = 0; next }
code {
    gsub(/\\/, "\\e")
    gsub(/-/, "\\-")
    print (/^['.]/ ? "\\&" : "") $0
    next
}
/^$/ { paragraph = !headed; headed = table = 0; next }
/^### / { print ".SS " text(substr($0, 5)); headed = 1; next }
/^## / { print ".SH " toupper(substr($0, 4)); headed = 1; next }
/^\|/ { # The first column becomes a tag. If there are more than two columns, their heads name the others.
    count = split(substr($0, 3, length($0) - 4), cells, / \| */)
    if (table++ == 0)
        for (i = 1; i <= count; i++) heads[i] = cells[i]
    else if (table > 2) {
        print ".TP\n" text(cells[1])
        for (i = 2; i <= count; i++)
            if (cells[i] != "") print (i > 2 ? ".br\n" : "") (count > 2 ? text(heads[i]) ": " : "") text(cells[i])
    }
    next
}
{ table = 0 }
/^- / { print ".IP \\(bu 2\n" text(substr($0, 3)); paragraph = 0; next }
paragraph { print ".PP"; paragraph = 0 }
{ sub(/^ +/, ""); print text($0) }
