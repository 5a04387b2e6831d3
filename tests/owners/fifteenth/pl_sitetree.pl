#!/usr/bin/perl
# sitetree - rebuilds the navigation tree of a documentation site for every revision.
use strict;
use warnings;
use Time::HiRes qw(usleep);

my %snippet;          # rendered code samples, capped
my @snippet_order;
my $seed = 42;

sub roll {
    my ($n) = @_;
    $seed = ($seed * 1103515245 + 12345) % 2147483648;
    return int($seed / 65536) % $n;
}

sub new_node {
    my ($title, $depth) = @_;
    return {
        title    => $title,
        depth    => $depth,
        slug     => lc($title) =~ s/\W+/-/gr,
        children => [],
        parent   => undef,
        meta     => { author => "team" . roll(9), words => roll(4000) },
    };
}

sub write_outline {
    my ($revision) = @_;
    my @lines;
    for my $c (1 .. 5) {
        push @lines, "# Chapter $c of revision $revision";
        for my $s (1 .. 3 + roll(5)) {
            push @lines, "## Section $c.$s about topic " . roll(200);
            push @lines, "### Detail $c.$s.$_ number " . roll(900) for 1 .. roll(4);
        }
    }
    return join "\n", @lines;
}

sub load_outline {
    my ($text) = @_;
    my $root = new_node("Contents", 0);
    my @stack = ($root);
    for my $line (split /\n/, $text) {
        my ($marks, $title) = $line =~ /^(#+)\s+(.*)$/ or next;
        my $node = new_node($title, length $marks);
        pop @stack while $stack[-1]{depth} >= $node->{depth};
        $node->{parent} = $stack[-1];
        push @{ $stack[-1]{children} }, $node; # guilty
        push @stack, $node;
    }
    return $root;
}

sub breadcrumb {
    my ($node) = @_;
    my @path;
    for (my $n = $node; $n; $n = $n->{parent}) {
        unshift @path, $n->{slug};
    }
    return join '/', @path;
}

sub highlight_snippet {
    my ($topic) = @_;
    return $snippet{$topic} if exists $snippet{$topic};
    my $html = "<pre>" . join("", map { "<b>fn_$topic\_$_</b>();\n" } 1 .. 250) . "</pre>";
    $snippet{$topic} = $html;
    push @snippet_order, $topic;
    delete $snippet{ shift @snippet_order } if @snippet_order > 300;
    return $html;
}

sub render {
    my ($node, $out) = @_;
    push @$out, sprintf '<li><a href="/%s">%s</a>', breadcrumb($node), $node->{title};
    push @$out, length highlight_snippet(roll(500)) if $node->{depth} == 2;
    render($_, $out) for @{ $node->{children} };
    push @$out, '</li>';
    return;
}

sub publish {
    my ($revision) = @_;
    my $tree = load_outline(write_outline($revision));
    my @html;
    render($tree, \@html);
    my $page = join "\n", @html;
    return length $page;
}

my $bytes = 0;
for my $revision (1 .. 850) {
    $bytes += publish($revision);
    usleep(2000);
}
print "published $bytes bytes\n";
exit 0;
