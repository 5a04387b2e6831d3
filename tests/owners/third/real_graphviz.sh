# shellcheck shell=bash
# gc of Graphviz, which counts what a graph has: 150,000 edges between 500 nodes.
{
    echo 'digraph g { edge [weight=1]'
    seq 150000 | awk '{ print "n" $1 % 500 " -> n" int($1 / 500) }'
    echo '}'
} >graph.dot
$RUN gc -e graph.dot
