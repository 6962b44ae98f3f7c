# Checks the relative links of Markdown files: each leads to a file that exists, and its anchor to a heading of that
# page.
#     awk -f links.awk FILE...     prints each dead link with its page and line, then exits with 1
# Links in code are not links. An anchor is what GitHub makes of a heading: lower case, blanks become hyphens, other
# signs go.

function folder_of(path) { return sub(/\/[^\/]*$/, "/", path) ? path : "" }

# Removes "name/.." and "./" from a path.
function shortened(path) {
    while (sub(/(^|\/)\.\//, "/", path)) sub(/^\//, "", path)
    while (match(path, /[^\/]+\/\.\.(\/|$)/) && substr(path, RSTART, RLENGTH) !~ /^\.\./)
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    return path
}

function exists(path) {
    if (!(path in known)) known[path] = !system("test -e '" path "'")
    return known[path]
}

function anchor_of(heading,    n) {
    sub(/^#+ +/, "", heading)
    heading = tolower(heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    n = seen[heading]++
    return n ? heading "-" n : heading
}

# Reads the anchors of a page into `anchors`.
function read_anchors(page,    line, is_code) {
    if (page in was_read) return
    was_read[page] = 1
    split("", seen)
    while ((getline line < page) > 0) {
        if (line ~ /^ *```/) is_code = !is_code
        else if (!is_code && line ~ /^#+ /) anchors[page, anchor_of(line)] = 1
    }
    close(page)
}

function fault(text) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, target, text
    faults++
}

function check(    path, anchor) {
    if (target ~ /^[a-z]+:/) return
    links++
    path = anchor = target
    sub(/#.*/, "", path)
    if (!sub(/^[^#]*#/, "", anchor)) anchor = ""
    path = path == "" ? FILENAME : shortened(folder_of(FILENAME) path)
    if (!exists(path)) { fault("there is no such file"); return }
    if (anchor == "") return
    if (path !~ /\.md$/) { fault("only a page has anchors"); return }
    read_anchors(path)
    if (!((path, anchor) in anchors)) fault("there is no such heading")
}

FNR == 1 { is_code = 0 }
/^ *```/ { is_code = !is_code; next }
is_code { next }
{
    gsub(/`[^`]*`/, "code")
    rest = $0
    while (match(rest, /\]\([^) ]+/)) {
        target = substr(rest, RSTART + 2, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        check()
    }
    rest = $0
    while (match(rest, /(src|href)="[^"]+/)) {
        target = substr(rest, RSTART, RLENGTH)
        sub(/^[a-z]+="/, "", target)
        rest = substr(rest, RSTART + RLENGTH)
        check()
    }
}
END {
    if (!links) { print "no link was found"; faults++ }
    exit faults > 0
}
