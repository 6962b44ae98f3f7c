# Splits paragraphs into sentences, for scripts/words. A sentence ends at a full stop, a question or an exclamation mark before a blank
# or the paragraph's end. Its words are what blanks separate and has a letter or a digit.
#     add(line, number)   adds a line to the paragraph
#     finish()            ends the paragraph, counts its sentences for `name`, and prints long ones if `each` is set

function add(line, number) {
    if (paragraph == "") began = number
    paragraph = paragraph " " line
}

function count_words(text,    parts, n, i, total) {
    n = split(text, parts, /[ \t]+/)
    for (i = 1; i <= n; i++) if (parts[i] ~ /[A-Za-z0-9]/) total++
    return total + 0
}

function finish(    text, i, n, parts, total) {
    text = paragraph
    paragraph = ""
    if (text == "") return
    if (!(name in sentences)) { order[++names] = name; sentences[name] = words[name] = longs[name] = 0 }
    gsub(/(e\.g|i\.e|etc|vs)\./, "&\001", text)
    gsub(/\.\001/, "", text)
    gsub(/[.?!]["')]*([ \t]+|$)/, "\n", text)
    n = split(text, parts, "\n")
    for (i = 1; i <= n; i++) {
        total = count_words(parts[i])
        if (!total) continue
        sentences[name]++
        words[name] += total
        if (total <= usual) continue
        longs[name]++
        if (each) printf "%s:%d: %d words:%s\n", name, began, total, parts[i]
    }
}
