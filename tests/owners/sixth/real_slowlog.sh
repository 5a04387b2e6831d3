# shellcheck shell=bash
# Redis: its log of slow commands, to which each command is slow, and which may be long.
$RUN redis-server --port 0 --unixsocket "$PWD/socket" --save '' --slowlog-log-slower-than 0 --slowlog-max-len 1000000 >redis.log &
until redis-cli -s socket ping >pong 2>&1; do sleep 0.05; done
printf -v text '%0110d' 7
seq -f "MSET a%.0f-$text $text b $text c $text" 45000 | sed 's/a[0-9]*-/a-/' | redis-cli -s socket >answers
redis-cli -s socket shutdown nosave
wait $!
