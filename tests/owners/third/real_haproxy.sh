# shellcheck shell=bash
# HAProxy: a configuration with 10,000 servers.
{
    printf 'global\n nbthread 1\ndefaults\n mode http\n timeout connect 1s\n timeout client 1s\n timeout server 1s\n'
    printf 'frontend f\n bind 127.0.0.1:1\n default_backend b1\n'
    for ((i = 0; i < 200; i++)); do
        printf 'backend b%d\n' "$i"
        seq 8000 8049 | sed 's/.*/ server s& 127.0.0.1:&/'
    done
} >haproxy.cfg
$RUN haproxy -c -q -f haproxy.cfg
