# shellcheck shell=bash
# MariaDB, which reads statements as it does at an installation: 20,000 variables of a user that keep texts.
mkdir data
seq 20000 | sed "s/.*/set @variable_& = repeat('x', 2000);/" >statements.sql
$RUN mariadbd --no-defaults --bootstrap --user="$(id -un)" --datadir="$PWD/data" --skip-innodb --default-storage-engine=MyISAM \
    --aria-pagecache-buffer-size=128K --key-buffer-size=128K --skip-grant-tables <statements.sql >mariadb.log
