# shellcheck shell=bash
# HAProxy: backends with a template of servers each, of which a resolver would find few.
{
    cat <<'CONF'
global
    nbthread 1
defaults
    mode http
    timeout connect 1s
    timeout client 1s
    timeout server 1s
frontend f
    bind 127.0.0.1:1
    use_backend shop_1 if { path_beg /1 }
    default_backend shop_2
CONF
    for i in {1..10}; do
        printf 'backend shop_%d\n    balance leastconn\n' "$i"
        echo "    server-template pod 1-700 127.0.0.$i:80 weight 10"
    done
} >haproxy.cfg
$RUN haproxy -c -q -f haproxy.cfg
