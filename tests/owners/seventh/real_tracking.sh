# shellcheck shell=bash
# Redis: a client that caches by itself, and asks to be told of each key it has read. Most of the keys never are.
$RUN redis-server --port 0 --unixsocket "$PWD/socket" --save '' --tracking-table-max-keys 0 >redis.log &
until redis-cli -s socket ping >pong 2>&1; do sleep 0.05; done
{
    echo 'HELLO 3'
    echo 'CLIENT TRACKING ON'
    seq -f 'session:%.0f:of:the:shop' 240000 | xargs -n 20 echo MGET
    seq -f 'SET session:%.0f:of:the:shop open' 1 900 9000
} | redis-cli -s socket >answers
redis-cli -s socket shutdown nosave
wait $!
