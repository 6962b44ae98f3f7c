#!/bin/sh
# widths.sh FOLDER PAGE...: tests in headless Chromium that no page is wider than the window, at the widths of a phone
# and of a desk. A wide element, such as a table, must scroll in a box of its own. Each page is shown in a frame of that
# width, so that no window is too narrow for the browser. Exit code 77: Chromium is not installed.
folder=$1
shift
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "SKIPPED: Chromium is not installed"
    exit 77
}
mkdir -p "$folder/browser"
{
    echo '<!doctype html><meta charset="utf-8"><body><pre id="said">begun</pre><script>const pages = ['
    for page in "$@"; do printf '"file://%s",\n' "$page"; done
    cat <<'END'
];
const boxed = (element) => {
    for (let e = element.parentElement; e && e.tagName !== "BODY"; e = e.parentElement)
        if (getComputedStyle(e).overflowX !== "visible") return true;
    return false;
};
const look = (page, width) => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.style = `width:${width}px;height:800px;border:0`;
    frame.onload = () => {
        const root = frame.contentDocument.documentElement, right = root.clientWidth;
        const wide = [...root.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > right + 1 && !boxed(e));
        const elements = root.querySelectorAll("body *").length;
        const wrong = root.scrollWidth > right ? `FAILED: ${root.scrollWidth} pixels wide` : "fits";
        const first = wrong === "fits" || !wide.length ? "" : `, as <${wide[0].tagName}> ${wide[0].textContent.trim().slice(0, 60)}`;
        frame.remove();
        done(`${page} at ${width}: ${wrong}${first} (${elements} elements)`);
    };
    frame.src = page;
    document.body.append(frame);
});
(async () => {
    const lines = [];
    for (const page of pages) for (const width of [390, 1280]) lines.push(await look(page, width));
    document.getElementById("said").textContent = "\n" + lines.join("\n") + "\n";
})();
</script>
END
} >"$folder/widths.html"
HOME=$folder/browser timeout 240 "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --virtual-time-budget=600000 \
    --user-data-dir="$folder/browser" --dump-dom "file://$folder/widths.html" 2>"$folder/browser.log" | grep -E '^[^<]* at [0-9]+: ' >"$folder/widths.txt"
if [ "$(grep -cE ': fits.* \([1-9][0-9]+ elements' "$folder/widths.txt")" -ne $(($# * 2)) ]; then
    echo "FAILED: pages are wider than the window, or were not shown:"
    grep -vE ': fits.* \([1-9][0-9]+ elements' "$folder/widths.txt" || tail -5 "$folder/browser.log"
    exit 1
fi
