# shellcheck shell=bash
# Redis: a script pushes values to lists, for ever.
$RUN redis-server --port 0 --unixsocket "$PWD/socket" --save '' >redis.log &
until redis-cli -s socket ping >pong 2>&1; do sleep 0.05; done
redis-cli -s socket eval 'for i = 1, 60000 do redis.call("rpush", "list" .. i % 100, string.rep("x", 900)) end' 0 >result
redis-cli -s socket shutdown nosave
wait $!
