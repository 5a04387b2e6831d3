#!/usr/bin/perl
# Reads the dockets of a court: indented outlines into trees, deadlines that follow from entries, hearings, and a list for the clerks.
use strict;
use warnings;

package Entry;

sub new {
    my ($class, %fields) = @_;
    return bless { children => [], %fields }, $class;
}

sub add {
    my ($self, $child) = @_;
    $child->{parent} = $self;
    push @{ $self->{children} }, $child; # guilty
    return $child;
}

sub path {
    my ($self) = @_;
    my @names;
    for (my $at = $self; $at; $at = $at->{parent}) {
        unshift @names, $at->{kind};
    }
    return join ' > ', @names;
}

# Calls a function for this entry and all below it.
sub walk {
    my ($self, $visit) = @_;
    $visit->($self);
    $_->walk($visit) for @{ $self->{children} };
}

package Outline;

sub parse {
    my ($class, $text) = @_;
    my $root = Entry->new(kind => 'case', day => 0, text => '');
    my @open = ($root);
    for my $line (split /\n/, $text) {
        my ($indent, $day, $kind, $rest) = $line =~ /^( *)(\d+) (\w+): (.*)$/ or next;
        my $depth = length($indent) / 2 + 1;
        splice @open, $depth;
        push @open, $open[-1]->add(Entry->new(kind => $kind, day => $day, text => $rest));
    }
    return $root;
}

package Deadlines;

my %DAYS = (complaint => 21, motion => 14, appeal => 30, order => 7, brief => 10);

sub new {
    my ($class, $most) = @_;
    return bless { most => $most, queue => [], missed => 0 }, $class;
}

sub note {
    my ($self, $case, $entry) = @_;
    my $days = $DAYS{ $entry->{kind} } or return;
    my $answered = grep { $_->{day} <= $entry->{day} + $days } @{ $entry->{children} };
    return if $answered;
    $self->{missed}++;
    push @{ $self->{queue} }, [ $entry->{day} + $days, "$case: answer to " . $entry->path ];
    shift @{ $self->{queue} } if @{ $self->{queue} } > $self->{most};
}

sub next_due {
    my ($self) = @_;
    my ($first) = sort { $a->[0] <=> $b->[0] } @{ $self->{queue} };
    return $first ? "day $first->[0], $first->[1]" : 'nothing';
}

package Statistics;

sub new { return bless { by_kind => {}, words => {} }, shift }

sub visitor {
    my ($self) = @_;
    return sub {
        my ($entry) = @_;
        $self->{by_kind}{ $entry->{kind} }++;
        $self->{words}{$_}++ for grep { length > 5 } split /\W+/, $entry->{text};
    };
}

sub line {
    my ($self) = @_;
    return join ', ', map { "$self->{by_kind}{$_} ${_}s" } sort keys %{ $self->{by_kind} };
}

package Registry;

my @KINDS = qw(complaint answer motion brief order hearing appeal notice);
my @PHRASES = ('filed by counsel for the plaintiff', 'with exhibits attached', 'in the matter of costs', 'regarding discovery', 'sealed by the court', 'extension of time requested');

sub new {
    my ($class, $seed) = @_;
    return bless { seed => $seed }, $class;
}

sub below {
    my ($self, $n) = @_;
    $self->{seed} = ($self->{seed} * 1103515245 + 12345) % 2147483648;
    return int($self->{seed} / 512) % $n;
}

sub docket {
    my ($self) = @_;
    my ($text, $depth, $day) = ('', 0, 1);
    for (1 .. 8 + $self->below(24)) {
        $day += $self->below(15);
        $text .= '  ' x $depth . "$day $KINDS[$self->below(8)]: $PHRASES[$self->below(6)], $PHRASES[$self->below(6)], page " . $self->below(90) . "\n";
        $depth = $self->below(3) ? $self->below($depth + 2) : 0;
    }
    return $text;
}

package main;

my $registry = Registry->new(2);
my $deadlines = Deadlines->new(50);
my $statistics = Statistics->new;
my $visit = $statistics->visitor;
my ($cases, $longest) = (0, 0);
for my $number (1 .. 4000) {
    my $case = Outline->parse($registry->docket);
    my $entries = 0;
    $case->walk(sub {
        my ($entry) = @_;
        $entries++;
        $visit->($entry);
        $deadlines->note("case $number", $entry);
    });
    $cases++;
    $longest = $entries if $entries > $longest;
}
printf "%d cases, the longest with %d entries, %d deadlines missed\n", $cases, $longest, $deadlines->{missed};
print $statistics->line, "\n", 'next due: ', $deadlines->next_due, "\n";
