# shellcheck shell=bash
# bash: the lines of a file in an array, of which each second one is looked at.
seq -f 'the line with number %.0f of a file that is not short' 250000 >lines.txt
cat >read.bash <<'SCRIPT'
mapfile -t lines <lines.txt
longest=
for ((i = 0; i < ${#lines[@]}; i += 2000)); do
    words=(${lines[i]})
    [ ${#words[@]} -le ${#longest} ] || longest=${words[*]}
done
echo "$longest"
SCRIPT
$RUN bash read.bash
