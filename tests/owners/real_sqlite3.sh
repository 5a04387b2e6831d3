# shellcheck shell=bash
# sqlite3, which has no names of its own left: a table in memory.
cat >fill.sql <<'SQL'
create table t(x);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) insert into t select randomblob(900) from n;
.system kill -9 $PPID
SQL
$RUN sqlite3 :memory: <fill.sql
