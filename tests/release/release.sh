#!/bin/sh
# release.sh SOURCE FOLDER: tests scripts/release in a small repository whose builds are stubs. The script refuses what
# is no release. Its folder has all files, or there is no folder. It tags the commit, and a rehearsal does not.
source=$1 folder=$2
if ! command -v git >/dev/null; then echo "SKIPPED: no git here"; exit 77; fi
rm -rf "$folder" && mkdir -p "$folder/bin" "$folder/project/include" "$folder/project/scripts" && cd "$folder/project" || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null PATH="$folder/bin:$PATH"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
cp "$source/scripts/release" "$source/scripts/setup.sh" scripts/
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"; } # file, what it does
stub scripts/build 'test ! -e broken'
stub scripts/wheels 'mkdir -p build/wheels && echo wheel >build/wheels/actgen.whl'
stub "$folder/bin/cmake" 'exit 0'
stub "$folder/bin/cpack" 'while [ "$1" != -B ]; do shift; done; mkdir "$2" && echo deb >"$2/actgen.deb" && echo tar >"$2/actgen.tar.gz"'
printf '#define ACTGEN_VERSION_MAJOR 1\n#define ACTGEN_VERSION_MINOR 2\n#define ACTGEN_VERSION_PATCH 3\n' >include/actgen.h
printf '## [1.2.3] - to come\n\n- A thing.\n\n## [1.2.2] - 2026-01-02\n\n- Old.\n' >CHANGELOG.md
commit() { git add -A && git commit -q -m "$1"; }
git init -q && commit first

failed=0
wrong() { echo "FAILED: $*"; failed=1; }
release() { (cd "$folder" && ACTGEN_MAINTAINER=${maintainer-A <a@b.c>} project/scripts/release "$@") >"$folder/said" 2>&1; }
refuses() { # a line that must be printed, arguments...
    line=$1 && shift
    if release "$@"; then wrong "$line: nothing was refused"; fi
    grep -q -e "$line" "$folder/said" || wrong "$line: it says $(cat "$folder/said")"
    if ls -d "$folder"/.release-* >/dev/null 2>&1; then wrong "$line: something is left"; fi
}
tagged() { git rev-parse -q --verify 'refs/tags/v1.2.3^{commit}'; }

refuses 'name a folder for the release'
refuses "there is no option '--now'" --now made
refuses "there is no 'arm' to add" made arm
maintainer=nobody refuses 'must name who answers' made
refuses 'does not date the release' made
touch new && refuses 'the checkout has changes' --rehearse made && rm new
touch broken && commit broken && refuses 'failed: scripts/build' --rehearse made
[ ! -e "$folder/made" ] || wrong 'a folder of a build that failed'
git rm -q broken && commit mended

release --rehearse made kernels || wrong "a rehearsal: $(cat "$folder/said")"
[ "$(ls "$folder/made" | tr '\n' ' ')" = 'NOTES.md SHA256SUMS actgen-1.2.3-source.tar.gz actgen.deb actgen.tar.gz actgen.whl ' ] ||
    wrong "the files are $(ls "$folder/made")"
(cd "$folder/made" && sha256sum --quiet -c SHA256SUMS) || wrong 'the sums'
[ "$(grep . "$folder/made/NOTES.md")" = '- A thing.' ] || wrong "the notes are $(cat "$folder/made/NOTES.md")"
if tagged; then wrong 'a rehearsal made the tag'; fi
refuses 'exists: name a new folder' --rehearse made

sed -i 's/to come/2026-02-03/' CHANGELOG.md && commit date
release one && release two || wrong "a release: $(cat "$folder/said")"
cmp "$folder/one/SHA256SUMS" "$folder/two/SHA256SUMS" || wrong 'two runs differ'
[ "$(tagged)" = "$(git rev-parse HEAD)" ] || wrong "the tag is on '$(tagged)'"
git commit -q --allow-empty -m later && refuses 'is on another commit' three
exit $failed
