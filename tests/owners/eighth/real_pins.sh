# shellcheck shell=bash
# apt-cache: preferences with a pin for each package that was ever installed on a fleet of machines.
mkdir -p state/lists/partial cache/archives/partial etc/preferences.d etc/sources.list.d
: >status
: >etc/sources.list
seq 210000 | sed 's/.*/Package: libservice-&-backend\nPin: version 2.&.*\nPin-Priority: 990\n/' >etc/preferences
$RUN apt-cache -o Dir::State="$PWD/state" -o Dir::State::status="$PWD/status" -o Dir::Cache="$PWD/cache" -o Dir::Etc="$PWD/etc" \
    policy >answer
