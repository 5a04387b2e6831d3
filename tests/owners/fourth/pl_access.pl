#!/usr/bin/perl
# Reads the log of a web server, and prints who was there and what was not found.
use strict;
use warnings;

package Visitor;

sub new {
    my ($class, $address) = @_;
    return bless { address => $address, hits => 0, bytes => 0, visits => [] }, $class;
}

sub count {
    my ($self, $entry) = @_;
    $self->{hits}++;
    $self->{bytes} += $entry->{bytes};
}

# All that is known of each request, for a report that prints the first and the last.
sub remember_visit {
    my ($self, $entry) = @_;
    push @{ $self->{visits} }, { %$entry, agent => substr($entry->{agent}, 0, 60) };    # guilty
}

package main;

my (%visitors, %missing, @slow);

sub parse_line {
    my ($line) = @_;
    return unless $line =~ m{^(\S+) - - \[([^\]]+)\] "(\w+) (\S+) [^"]*" (\d+) (\d+) "([^"]*)"$};
    return { address => $1, time => $2, method => $3, path => $4, status => $5, bytes => $6, agent => $7 };
}

sub visitor_of {
    my ($address) = @_;
    return $visitors{$address} //= Visitor->new($address);
}

sub handle {
    my ($line) = @_;
    my $entry = parse_line($line) or return;
    my $visitor = visitor_of($entry->{address});
    $visitor->count($entry);
    $visitor->remember_visit($entry);
    $missing{ $entry->{path} }++ if $entry->{status} == 404;
    push @slow, $entry->{path} if $entry->{bytes} > 88_000;
}

sub next_line {
    my ($n) = @_;
    return sprintf '10.0.%d.%d - - [26/Nov/2026:10:%02d:%02d +0000] "GET /item/%d HTTP/1.1" %d %d "Mozilla/5.0 (X11; Linux x86_64)"',
        $n % 5, $n * 7 % 250, $n / 60 % 60, $n % 60, $n % 800, $n % 17 ? 200 : 404, $n * 37 % 90_000;
}

handle(next_line($_)) for 1 .. 40_000;
printf "%d visitors, %d missing, %d slow\n", scalar keys %visitors, scalar keys %missing, scalar @slow;
for my $address ((sort keys %visitors)[0 .. 2]) {
    my $visits = $visitors{$address}{visits};
    print "$address: $visits->[0]{time} to $visits->[-1]{time}\n";
}
