# Splits paragraphs into sentences, for scripts/words. A sentence ends at a full stop, a question mark or an exclamation
# mark before a blank or the paragraph's end. A word is what stands between blanks and has a letter or a digit.
#     add(line, number)   adds a line to the paragraph
#     finish()            ends the paragraph, which belongs to `name`, and counts or prints its sentences
#     report()            prints sentences, words and long sentences of each name
# `what` says what is printed: counts, long (sentences of more than `usual` words) or beginnings (that match `faulty`).

function add(line, number) {
    if (paragraph == "") began = number
    paragraph = paragraph " " line
}

function count_words(text,    parts, n, i, total) {
    n = split(text, parts, /[ \t]+/)
    for (i = 1; i <= n; i++) if (parts[i] ~ /[A-Za-z0-9]/) total++
    return total + 0
}

function count(sentence,    total) {
    total = count_words(sentence)
    if (!total) return
    sentences[name]++
    words[name] += total
    if (total > usual) longs[name]++
    if (what == "long" && total > usual) printf "%s:%d: %d words:%s\n", name, began, total, sentence
    if (what == "beginnings" && sentence ~ faulty) printf "%s:%d: a sentence without a subject:%s\n", name, began, sentence
}

function finish(    text, i, n, parts) {
    text = paragraph
    paragraph = ""
    if (text == "") return
    if (!(name in sentences)) { order[++names] = name; sentences[name] = words[name] = longs[name] = 0 }
    gsub(/(e\.g|i\.e|etc|vs)\./, "&\001", text)
    gsub(/\.\001/, "", text)
    gsub(/[.?!]["')]*([ \t]+|$)/, "\n", text)
    n = split(text, parts, "\n")
    for (i = 1; i <= n; i++) count(parts[i])
}

function report(    i) {
    if (what == "counts") for (i = 1; i <= names; i++) print sentences[order[i]], words[order[i]], longs[order[i]], order[i]
}
