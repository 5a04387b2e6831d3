# shellcheck shell=bash
# jq: a large array of objects.
{
    echo '['
    seq 60000 | sed 's/.*/{"id": &, "name": "the name of number &", "tags": ["one&", "two&"]},/'
    echo '0]'
} >list.json
$RUN jq "length" list.json >count
