# shellcheck shell=bash
# Sourced by the scripts: moves to the project's folder, and installs what is missing (Debian and its kin, by apt-get).

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "$*"; }
fail() { printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

has_program() { command -v "$1" >/dev/null; }
has_header() { has_program cc && printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }
has_python_header() { python3 -c 'import os, sysconfig; exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null; }
has_llvm() { # a major version: looks for it as cmake/find_llvm.cmake does, by the output of each llvm-config
    local program said
    for program in $(type -ap "llvm-config-$1" "llvm-config$1" llvm-config) "/usr/lib/llvm-$1/bin/llvm-config"; do
        said=$("$program" --version --includedir 2>/dev/null) || continue
        if [[ $said == "$1".* ]] && [ -e "${said#*$'\n'}/llvm-c/Core.h" ]; then return 0; fi
    done
    return 1
}
distribution_has() { # a package; apt-cache knows none before the first apt-get update
    has_program apt-cache && [[ $(apt-cache policy "$1") == *'Candidate: '[!\(]* ]]
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif has_program sudo; then
        # A rule that allows only apt-get passes no variable on. debconf asks nothing in either case, because its input
        # is no terminal.
        if sudo --preserve-env=DEBIAN_FRONTEND apt-get --version >/dev/null 2>&1; then sudo --preserve-env=DEBIAN_FRONTEND "$@"
        else sudo "$@"
        fi
    else fail "root or sudo is needed for: $*"
    fi
}

can_install() { has_program apt-get && { [ "$(id -u)" -eq 0 ] || has_program sudo; }; }

has_lists() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; } # a fresh image of a container has none

refresh_lists() { # once per run
    if [ -z "${lists_are_fresh:-}" ]; then
        as_root apt-get update -q </dev/null
        lists_are_fresh=yes
    fi
}

install_packages() { # packages...
    has_program apt-get || fail "please install what these Debian packages hold: $*"
    say "installing: $*"
    refresh_lists
    as_root apt-get install -q -y --no-install-recommends "$@" </dev/null
}

arb_packages() { # what Arb is in: FLINT itself since its version 3, a package of its own before
    if distribution_has libflint-arb-dev; then echo libflint-arb-dev; else echo libflint-dev; fi
}

missing_packages() { # the packages that every build needs; the lists are fresh, so that the newest LLVM is known
    has_program cmake || echo cmake
    has_program ninja || echo ninja-build
    has_program cc || echo gcc
    has_program c++ || echo g++ # LLVM's archives, with which the Python package is linked, need its library
    has_program pkg-config || echo pkg-config
    has_header stdio.h || echo libc6-dev
    has_header mpfr.h || echo libmpfr-dev
    has_header gmp.h || echo libgmp-dev
    has_header flint/flint.h || echo libflint-dev
    has_header flint/arb.h || has_header arb.h || arb_packages
    has_header xxhash.h || echo libxxhash-dev
    missing_llvm
}

wanted_llvm="22 19" # the first of these versions that is installed, or that can be installed
choose_llvm() { # options of CMake..., which may name the place or the version of LLVM
    local option
    for option in "$@"; do
        case $option in
            *ACTGEN_LLVM_CONFIG_*=*) wanted_llvm= ;;
            *ACTGEN_LLVM_VERSION=?*) wanted_llvm=${option#*=} ;;
        esac
    done
}

missing_llvm() {
    local version
    for version in $wanted_llvm; do if has_llvm "$version"; then return; fi; done
    for version in $wanted_llvm; do
        if distribution_has "llvm-$version-dev"; then break; fi
    done
    [ -z "$wanted_llvm" ] || echo "llvm-$version-dev"
}

missing_test_packages() { # the packages that tests need in addition
    has_header cmocka.h || echo libcmocka-dev
    if ! can_install; then return; fi # tests that need the other packages are skipped without them
    if ! has_llvm 19 && distribution_has llvm-19-dev; then echo llvm-19-dev; fi
    if [ ! -e /usr/share/i18n/locales/de_DE ] && distribution_has locales; then echo locales; fi
    if ! python3 -c 'import ensurepip' 2>/dev/null && distribution_has python3-venv; then echo python3-venv; fi
    has_python_header || ! distribution_has python3-dev || echo python3-dev # for the extension
    if ! has_program clang-19 && distribution_has clang-19; then echo clang-19; fi
    if [ ! -d /usr/lib/llvm-19/lib/clang/19/lib/linux ] && distribution_has libclang-rt-19-dev; then
        echo libclang-rt-19-dev # the sanitizers of clang
    fi
    has_program dpkg-shlibdeps || ! distribution_has dpkg-dev || echo dpkg-dev # for packages and their dependencies
    has_program file || ! distribution_has file || echo file
    has_program gdb || ! distribution_has gdb || echo gdb
    # The site needs mkdocs. Chromium, which checks the site, is left out.
    python3 -c 'import mkdocs' 2>/dev/null || ! distribution_has mkdocs || echo mkdocs
    has_program git || ! distribution_has git || echo git # applies the patches of tests/adding
    if ! has_program zsh && distribution_has zsh; then echo zsh; fi # the shells whose completion is tested
    if ! has_program fish && distribution_has fish; then echo fish; fi
    if ! has_program mpirun && distribution_has libopenmpi-dev; then echo libopenmpi-dev openmpi-bin; fi
    if ! pkg-config --exists openblas && distribution_has libopenblas-dev; then echo libopenblas-dev; fi # for examples/
    if ! pkg-config --exists libxsmm && distribution_has libxsmm-dev; then echo libxsmm-dev; fi
    if ! pkg-config --exists libcjson && distribution_has libcjson-dev; then echo libcjson-dev; fi
}

missing_format_packages() { # the fixed version of clang-format, or the package that can install it from the package index
    if ! can_install || scripts/format --version >/dev/null 2>&1; then return; fi
    if distribution_has clang-format-14; then echo clang-format-14
    elif ! python3 -c 'import ensurepip' 2>/dev/null; then echo python3-venv
    fi
}

missing_cross_packages() { # toolchains of other machines, and emulators
    local machine package
    if ! can_install; then return; fi # what needs them is skipped without them
    for machine in aarch64-linux-gnu:arm64 arm-linux-gnueabihf:armhf powerpc64le-linux-gnu:ppc64el s390x-linux-gnu:s390x \
        riscv64-linux-gnu:riscv64; do
        package=gcc-${machine%:*}
        if has_program "${machine%:*}-gcc" || ! distribution_has "$package"; then continue; fi
        echo "$package" "libc6-dev-${machine#*:}-cross"
    done
    has_program qemu-aarch64-static || echo qemu-user-static
    has_program clang-19 || echo clang-19
    has_program wasm-ld-19 || echo lld-19
    has_program node || echo nodejs
}

# Unpacks Debian's arm64 packages that libactgen needs, and installs nothing.
unpack_for_arm64() { # folder, further packages...
    local folder=$1 wanted
    if [ -e "$folder/complete" ]; then return; fi
    mkdir -p "$folder"/lists/partial "$folder"/archives/partial
    printf '%s\n' 'APT::Architectures { "amd64"; "arm64"; };' "Dir::State::lists \"$folder/lists\";" "Dir::Cache \"$folder\";" \
        'APT::Sandbox::User "root";' >"$folder/apt.conf"
    APT_CONFIG=$folder/apt.conf apt-get update -q </dev/null
    wanted=$(APT_CONFIG=$folder/apt.conf apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
        --no-replaces --no-enhances libllvm22:arm64 libmpfr-dev:arm64 libflint-dev:arm64 "$(arb_packages):arm64" libxxhash-dev:arm64 libcmocka-dev:arm64 "${@:2}" | grep '^[a-z].*:arm64$' |
        grep -v -E '^libc6(-dev)?:' | sort -u)
    # shellcheck disable=SC2086 # words are packages
    (cd "$folder/archives" && APT_CONFIG=$folder/apt.conf apt-get download -q $wanted </dev/null)
    for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder"; done
    touch "$folder/complete"
}

install_all() { # packages...: a user who may not install them gets the complete list
    if [ $# -eq 0 ]; then return; fi
    if can_install; then install_packages "$@"
    else fail "please install what these Debian packages hold (as root: apt-get install $*)"
    fi
}

install_missing() {
    if [ -n "$(missing_packages)" ] && can_install; then refresh_lists; fi
    # shellcheck disable=SC2046 # words are packages
    install_all $(missing_packages)
}

install_missing_for_cross() {
    if [ -n "$(missing_cross_packages)" ] && can_install; then refresh_lists; fi
    # shellcheck disable=SC2046
    install_all $(missing_cross_packages)
}

# Installs the packages that stages of scripts/test need. The stages `cross` and `arm64` install their own toolchains,
# while others run.
install_missing_for_stages() { # stages...
    local needs="missing_packages missing_test_packages missing_format_packages" need
    case "$*" in
        format) needs=missing_format_packages ;;
        setup) needs+=" missing_cross_packages" ;;
    esac
    missing() { for need in $needs; do $need; done | sort -u; }
    if can_install && { [ -n "$(missing)" ] || ! has_lists; }; then refresh_lists; fi
    # shellcheck disable=SC2046
    install_all $(missing)
}

find_clang() { command -v clang-19 || command -v clang; }

# Returns true if clang links a program with these sanitizers. "fuzzer" brings a main of its own.
links_with() { # compiler, sanitizers
    local program='int main(void) { return 0; }'
    if [ "$2" = fuzzer ]; then program='int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }'; fi
    mkdir -p build
    printf '%s\n' "$program" | "$1" "-fsanitize=$2" -x c -o build/links-with-sanitizers - 2>/dev/null
}
