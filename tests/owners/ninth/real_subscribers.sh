# shellcheck shell=bash
# Redis: a gateway subscribes to a channel for each user who is online, by one connection, and few of them are told anything.
cat >gateway.py <<'SCRIPT'
import socket
import sys

USERS, AT_ONCE = 240_000, 40


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def read_answers(connection, wanted):
    rest = b""
    while wanted:
        rest += connection.recv(1 << 16)
        wanted -= rest.count(b"subscribe\r\n")
        rest = rest[-10:]


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    return connection


gateway, shop = connect(), connect()
for first in range(0, USERS, AT_ONCE):
    gateway.sendall(command(b"SUBSCRIBE", *(b"presence:user:%d" % user for user in range(first, first + AT_ONCE))))
    read_answers(gateway, AT_ONCE)
for user in range(0, USERS, 1000):
    shop.sendall(command(b"PUBLISH", b"presence:user:%d" % user, b"online"))
    shop.recv(64)
shop.sendall(command(b"SHUTDOWN", b"NOSAVE"))
SCRIPT
$RUN redis-server --port 0 --unixsocket "$PWD/socket" --save '' >redis.log &
until redis-cli -s socket ping >pong 2>&1; do sleep 0.05; done
python3 gateway.py "$PWD/socket"
wait $!
