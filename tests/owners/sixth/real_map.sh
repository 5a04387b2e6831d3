# shellcheck shell=bash
# HAProxy: a map of 120,000 hosts to servers, in a file.
seq -f 'host-%.0f.shop.example.org the_servers_of_the_shop' 120000 >hosts.map
cat >haproxy.cfg <<'CONF'
global
    nbthread 1
defaults
    mode http
    timeout connect 1s
    timeout client 1s
    timeout server 1s
frontend f
    bind 127.0.0.1:1
    acl is_known hdr(host) -i one.example.org two.example.org
    http-request deny unless is_known
    use_backend %[req.hdr(host),lower,map(hosts.map,other)]
backend other
    server s 127.0.0.1:2
backend the_servers_of_the_shop
    server s 127.0.0.1:3
CONF
$RUN haproxy -c -q -f haproxy.cfg
