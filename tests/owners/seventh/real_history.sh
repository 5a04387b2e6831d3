# shellcheck shell=bash
# bash: the history of a machine on which it is never cut, read again by a script that counts commands.
for i in {1..220000}; do
    printf '#%d\nrsync -a --delete server%d:/srv/data/ backup/%d/\n' $((1700000000 + i)) $((i % 90)) "$i"
done >history.txt
cat >count.bash <<'SCRIPT'
HISTSIZE=-1
HISTTIMEFORMAT='%F '
set -o history
history -r history.txt
set +o history
history 2000 >recent.txt
declare -A count
while read -r _ _ command _; do
    count[$command]=$((${count[$command]-0} + 1))
done <recent.txt
echo "${count[rsync]} of 2000"
SCRIPT
$RUN bash count.bash
