# shellcheck shell=bash
# Graphviz: a graph of many nodes, which is only read and written again.
{
    echo 'digraph g {'
    seq 30000 | sed 's/.*/node_& [label="a label of &", color=red];/'
    echo '}'
} >graph.dot
$RUN dot -Tcanon graph.dot >canon.dot
