# A page as a manual page, in man(7) macros; knows what docs/language.md and header_to_markdown.awk use of Markdown, and no more.
# awk -v name=act -v section=5 -v group="File formats" -v about="the language of .act files" -f markdown_to_man.awk PAGE.md

function text(line) { # with its inline marks
    gsub(/\\/, "\\e", line)
    while (match(line, /`[^`]*`/)) line = marked(line, 1)
    while (match(line, /\*\*[^*]*\*\*/)) line = marked(line, 2)
    while (match(line, /\*[^* ][^*]*\*/)) line = italic(line)
    gsub(/\001/, "*", line)
    if (line ~ /^['.]/) line = "\\&" line
    return line
}

function marked(line, width,   inside) {
    inside = substr(line, RSTART + width, RLENGTH - 2 * width)
    gsub(/-/, "\\-", inside)
    gsub(/\*/, "\001", inside) # no mark of Markdown
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
/^## / { print ".SH " toupper(substr($0, 4)); headed = 1; next }
/^\|/ { # of two columns; the row that heads them is left out
    if (table++ > 1) {
        split(substr($0, 3, length($0) - 4), cells, / \| /)
        print ".TP\n" text(cells[1]) "\n" text(cells[2])
    }
    next
}
{ table = 0 }
/^- / { print ".IP \\(bu 2\n" text(substr($0, 3)); paragraph = 0; next }
paragraph { print ".PP"; paragraph = 0 }
{ sub(/^ +/, ""); print text($0) }
