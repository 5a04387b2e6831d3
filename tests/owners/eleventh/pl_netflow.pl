#!/usr/bin/perl
# Adds up who talked to whom from the flow records of a router, and shows the busiest every minute.
use strict;
use warnings;

package Router;

sub new {
    my ($class, $seed) = @_;
    return bless {state => $seed, now => 0}, $class;
}

sub below {
    my ($self, $limit) = @_;
    $self->{state} = ($self->{state} * 1103515245 + 12345) % 2147483648;
    return int($self->{state} / 2147483648 * $limit);
}

sub record {
    my ($self) = @_;
    $self->{now}++ if $self->below(20) == 0;
    my $inside = sprintf '10.1.%d.%d', $self->below(4), $self->below(250);
    my $outside = join '.', map { $self->below(200) + 1 } 1 .. 4;
    my $port = (80, 443, 53, 25)[$self->below(4)];
    return join ',', $self->{now}, $inside, $outside, $port, 40 + $self->below(1400), 1 + $self->below(30);
}

package Collector;

sub new {
    my ($class) = @_;
    return bless {pairs => {}, ports => {}, bad => 0, last => 0}, $class;
}

sub parse {
    my ($self, $line) = @_;
    my %flow;
    @flow{qw(time source target port bytes packets)} = split /,/, $line;
    return $flow{packets} ? \%flow : undef;
}

sub account {
    my ($self, $flow) = @_;
    my $pair = $self->{pairs}{"$flow->{source}>$flow->{target}"} //= {first => $flow->{time}, bytes => 0, flows => 0}; # guilty
    $pair->{bytes} += $flow->{bytes};
    $pair->{flows}++;
    $pair->{last} = $flow->{time};
    return $pair;
}

sub add {
    my ($self, $line) = @_;
    my $flow = $self->parse($line);
    if (!$flow) {
        $self->{bad}++;
        return;
    }
    my $pair = $self->account($flow);
    $self->{ports}{$flow->{port}} += $flow->{bytes};
    $self->{last} = $pair->{last};
    return;
}

sub busiest_ports {
    my ($self) = @_;
    my $ports = $self->{ports};
    return join ' ', map { "$_:$ports->{$_}" } sort { $ports->{$b} <=> $ports->{$a} } keys %$ports;
}

package main;

my $router = Router->new(7);
my $collector = Collector->new;
my @screen;
for my $n (1 .. 85_000) {
    $collector->add($router->record);
    if ($n % 1000 == 0) {
        push @screen, $collector->busiest_ports;
        shift @screen if @screen > 10;
    }
}
printf "%d pairs, %d bad, %s\n", scalar keys %{$collector->{pairs}}, $collector->{bad}, $screen[-1];
