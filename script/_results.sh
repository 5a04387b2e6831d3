# shellcheck shell=bash
# What bench and soak share: run the programs of a folder and keep what they print, with all that it depends on.

describe() {
    echo "# $1, $(date -u +%Y-%m-%dT%H:%MZ), commit $commit"
    echo "# $(uname -srm), $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
    echo "# $(gcc --version | head -n 1); $(ldd --version | head -n 1)"
    echo "# $(ld --version | head -n 1); $(perl -e 'print "perl $^V"' 2>/dev/null || true)"
    echo
}

# run_with_results FOLDER [NAME...] [OPTION...]: runs the executables of the folder, all or the named, each with the
# options, which begin at the first word with a dash; fails if one fails. The options are
# a part of the result's name. With --help the first says what its options are.
run_with_results() {
    local folder=$1 commit program name names=' ' result passed=0 failed=0
    shift
    while [ $# -gt 0 ] && [[ $1 != -* ]]; do
        names+="$1 "
        shift
    done
    commit=$(git rev-parse --short=10 HEAD)
    [ -z "$(git status --porcelain --untracked-files=no)" ] || commit+=-modified
    export HEAPFLAME_SRC=$ROOT BUILD=$ROOT/build PATH=$ROOT/build:$PATH LC_ALL=C
    export PYTHONPATH=$ROOT/bench:$ROOT/tests/e2e # for their modules _NAME.py
    export HEAPFLAME_BENCH_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/heapflame-bench
    mkdir -p bench/results
    for program in "$folder"/*; do
        name=$(basename "${program%.*}")
        if [ ! -f "$program" ] || [ ! -x "$program" ] || [[ $name == _* ]]; then
            continue
        fi
        [[ $names == ' ' || $names == *" $name "* ]] || continue
        if [[ " $* " == *" --help "* || " $* " == *" -h "* ]]; then
            "$program" "$@" && exit
        fi
        result=bench/results/$name$(printf '%s' "${*/#/-}" | tr -cs '[:alnum:].' -)-$(date -u +%Y%m%d)-$commit.txt
        describe "$name" >"$result"
        if "$program" "$@" 2>&1 | tee -a "$result"; then
            echo "passed   $name: $result"
            passed=$((passed + 1))
        else
            echo "FAILED   $name: $result"
            failed=$((failed + 1))
        fi
    done
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
