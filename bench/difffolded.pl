#!/usr/bin/env perl
# What difffolded.pl does, for bench/flame.py where the original is not there: two files of folded stacks, older first,
# become lines "stack before after".

use strict;
use warnings;

my %counts;
for my $column (0, 1) {
    open my $file, '<', $ARGV[$column] or die "$ARGV[$column]: $!\n";
    while (<$file>) {
        $counts{$1}[$column] += $2 if /^(.*)\s+(\d+(?:\.\d*)?)$/;
    }
}
for my $stack (keys %counts) {
    printf "%s %d %d\n", $stack, $counts{$stack}[0] // 0, $counts{$stack}[1] // 0;
}
