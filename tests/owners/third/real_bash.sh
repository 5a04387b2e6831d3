# shellcheck shell=bash
# bash: an associative array of long texts.
cat >fill.bash <<'EOF'
declare -A pages
printf -v text '%01000d' 7
for ((i = 0; i < 40000; i++)); do
    pages[page-$i]=$text
    unset -v last
    last=${text:0:100}
done
echo ${#pages[@]}
EOF
$RUN bash fill.bash
