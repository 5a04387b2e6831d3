# Objects that refer to each other, so that they are never freed.
use strict;
use warnings;

package Node;

sub new {
    my ($class, $name) = @_;
    return bless {name => $name, data => "d" x 800}, $class;    # guilty
}

package main;

sub link_nodes {
    my $a = Node->new("a");
    my $b = Node->new("b");
    $a->{other} = $b;
    $b->{other} = $a;
}

sub colours { return map { sprintf "#%06x", $_ } 1 .. 2000 }

my @colours = colours();
link_nodes() for 1 .. 25000;
kill KILL => $$;
