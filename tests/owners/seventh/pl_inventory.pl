#!/usr/bin/perl
# Reads what scanners in a store report, and keeps the stock up to date; who asks gets a report by shelves.
use strict;
use warnings;

package Scanner;

sub new {
    my ($class, %with) = @_;
    return bless {articles => 900, turn => 0, %with}, $class;
}

sub next_line {
    my ($self) = @_;
    my $n = $self->{turn}++;
    return undef if $n >= $self->{lines};
    return "?? battery low of scanner " . $n % 7 if $n % 1000 == 999;
    return join ';', $n, sprintf('A%05d', $n * 37 % $self->{articles}), ($n % 3 ? 'out' : 'in'), 1 + $n % 9, "shelf=" . $n % 40 . ",worker=" . $n % 23 . ",lot=" . int($n / 50);
}

package Movement;

sub parse {
    my ($class, $line) = @_;
    my ($number, $article, $way, $count, $rest) = split /;/, $line;
    return undef unless defined $rest;
    my %detail = map { split /=/, $_, 2 } split /,/, $rest;
    return bless {number => $number, article => $article, count => $way eq 'in' ? 2 * $count : -$count, detail => \%detail}, $class;
}

sub shelf { return $_[0]{detail}{shelf} }

package Stock;

sub new { my ($class) = @_; return bless {count => {}, shelves => {}, short => 0}, $class }

sub AUTOLOAD {
    my ($self, @args) = @_;
    our $AUTOLOAD;
    my ($name) = $AUTOLOAD =~ /(\w+)$/;
    return if $name eq 'DESTROY';
    die "no $name in a stock\n" unless exists $self->{$name};
    return $self->{$name};
}

# An article that went below nothing was counted wrong before; who did is looked for in what moved it.
sub explain {
    my ($self, $movement) = @_;
    my $trail = $self->{trail}{$movement->{article}} ||= [];
    push @$trail, {%$movement, stock => $self->{count}{$movement->{article}}, detail => {%{$movement->{detail}}}}; # guilty
    return scalar @$trail;
}

sub apply {
    my ($self, $movement) = @_;
    my $article = $movement->{article};
    $self->{count}{$article} += $movement->{count};
    $self->{shelves}{$movement->shelf}{$article} = $movement->{number};
    return 0 if $self->{count}{$article} >= 0;
    $self->{short}++;
    return $self->explain($movement);
}

sub report {
    my ($self) = @_;
    my @lines;
    for my $shelf (sort { $a <=> $b } keys %{$self->{shelves}}) {
        my $on = $self->{shelves}{$shelf};
        push @lines, sprintf '%3d: %d articles, the last is %s', $shelf, scalar keys %$on, (sort { $on->{$b} <=> $on->{$a} } keys %$on)[0];
    }
    return join "\n", @lines;
}

package main;

my ($scanner, $stock) = (Scanner->new(lines => 100_000), Stock->new);
my ($bad, $longest, $bytes) = (0, 0, 0);
while (defined(my $line = $scanner->next_line)) {
    my $movement = Movement->parse($line);
    $bad++, next unless $movement;
    my $trail = $stock->apply($movement);
    $longest = $trail if $trail > $longest;
    $bytes += length $stock->report if $movement->{number} % 10_000 == 0;
}
printf "%d bad lines, %d times short, %d explained at most, %d bytes of reports\n", $bad, $stock->short, $longest, $bytes;
