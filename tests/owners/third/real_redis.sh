# shellcheck shell=bash
# Redis: a stream that is written and never trimmed.
$RUN redis-server --port 0 --unixsocket "$PWD/socket" --save '' >redis.log &
until redis-cli -s socket ping >pong 2>&1; do sleep 0.05; done
printf -v text '%0900d' 7
seq -f "XADD events * number %.0f text $text" 50000 | redis-cli -s socket >answers
redis-cli -s socket shutdown nosave
wait $!
