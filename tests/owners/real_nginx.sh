# shellcheck shell=bash
# nginx: a map of 200,000 pages in the configuration.
# shellcheck disable=SC2016
{
    echo 'events {} http { map_hash_bucket_size 128; map_hash_max_size 400000; map $uri $x {'
    seq 200000 | sed 's,.*,/some/page/& /another/page/&;,'
    echo '} server { listen 127.0.0.1:1; } }'
} >nginx.conf
$RUN nginx -t -q -p "$PWD" -e stderr -g 'pid nginx.pid;' -c "$PWD/nginx.conf"
