#!/bin/sh
# turn.sh NUMBER OF COMMAND...: runs a test. In continuous integration, where the environment has CI=true, the test runs
# on one day in OF, so that tests of minutes share the time. ACTGEN_TEST_ALL=1 runs it each day, and ACTGEN_SEED sets
# the day, in days since 1970.
number=$1 of=$2
shift 2
if [ "${CI:-}" = true ] && [ "${ACTGEN_TEST_ALL:-0}" = 0 ]; then
    late=$(((number + ${ACTGEN_SEED:-$(($(date +%s) / 86400))}) % of))
    if [ $late -ne 0 ]; then
        echo "SKIPPED: it ran $late of $of days ago, and runs again in $((of - late)) (ACTGEN_TEST_ALL=1 runs it now)"
        exit 77
    fi
fi
exec "$@"
