# shellcheck shell=bash
# PostgreSQL, one backend without a server: 15,000 prepared statements. It refuses to run as root.
bin=/usr/lib/postgresql/15/bin
as=()
if [ "$(id -u)" = 0 ]; then
    chmod a+rwx .
    as=(setpriv --reuid nobody --regid nogroup --clear-groups)
fi
"${as[@]}" $bin/initdb --no-sync -D "$PWD/data" >initdb.log 2>&1
seq 15000 | sed 's/.*/prepare statement_& as select relname from pg_class where oid = & and relname = '\''x&'\'';/' >statements.sql
# shellcheck disable=SC2086 # the words of a command
"${as[@]}" $RUN $bin/postgres --single -D "$PWD/data" -c shared_buffers=1MB postgres <statements.sql >postgres.log
