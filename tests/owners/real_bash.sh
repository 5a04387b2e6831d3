# shellcheck shell=bash
# bash: an array that grows.
# shellcheck disable=SC2016
$RUN bash -c 'for ((i = 0; i < 200000; i++)); do a[i]=some-text-that-is-kept-$i; done; kill -9 $$'
