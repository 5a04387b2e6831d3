#!/usr/bin/perl
# filequeue - moves files between stores with a small event loop; failed copies are tried again.
use strict;
use warnings;

package Loop;
sub new { bless { now => 0, timers => {} }, shift }
sub after {
    my ($self, $delay, $cb) = @_;
    push @{ $self->{timers}{ $self->{now} + $delay } }, $cb;
}
sub tick {
    my $self = shift;
    $self->{now}++;
    my $due = delete $self->{timers}{ $self->{now} } or return 0;
    $_->() for @$due;
    return scalar @$due;
}
sub busy { scalar keys %{ $_[0]{timers} } }

package Store;
sub new {
    my ($class, $name, $flaky) = @_;
    return bless { name => $name, flaky => $flaky, puts => 0, sums => {} }, $class;
}
sub get {
    my ($self, $key) = @_;
    my $h = 5381;
    $h = ($h * 33 + ord) & 0xffffffff for split //, $key;
    return sprintf('%08x', $h) x (40 + $h % 120);
}
sub put {
    my ($self, $key, $data) = @_;
    $self->{puts}++;
    return 0 if $self->{puts} % $self->{flaky} == 0;
    $self->{sums}{ substr $key, -8 } = unpack '%32C*', $data;
    return 1;
}

package Mover;
sub new {
    my ($class, %o) = @_;
    return bless { %o, done => 0, retried => 0, given_up => 0, log => [] }, $class;
}
sub note {
    my ($self, $line) = @_;
    push @{ $self->{log} }, "[$self->{loop}{now}] $line";
    shift @{ $self->{log} } if @{ $self->{log} } > 200;
}
sub list_batch {
    my ($self, $day) = @_;
    return map { sprintf 'in/%05d/file-%04d.dat', $day, $_ } 1 .. 24;
}
sub move_file {
    my ($self, $key) = @_;
    my $data = $self->{from}->get($key);
    my $left = 3;
    my $attempt;
    $attempt = sub { # guilty
        if ($self->{to}->put($key, $data)) {
            $self->{done}++;
            return;
        }
        if (--$left == 0) {
            $self->{given_up}++;
            $self->note("gave up on $key");
            return;
        }
        $self->{retried}++;
        $self->{loop}->after(2, $attempt);
    };
    $attempt->();
}
sub run_batch {
    my ($self, $day) = @_;
    my @keys = $self->list_batch($day);
    $self->move_file($_) for grep { !/0013/ } @keys;
    $self->note('batch ' . @keys . " files for day $day");
}
sub summary {
    my $self = shift;
    return "done $self->{done}, retried $self->{retried}, given up $self->{given_up}";
}

package main;

sub checksum_report {
    my $store = shift;
    my $sum = 0;
    $sum ^= $_ for values %{ $store->{sums} };
    return sprintf '%s: %d keys, %08x', $store->{name}, scalar keys %{ $store->{sums} }, $sum;
}

my $loop = Loop->new;
my $mover = Mover->new(loop => $loop, from => Store->new('landing', 1), to => Store->new('archive', 7));
for my $day (1 .. 1400) {
    $mover->run_batch($day);
    $loop->tick;
    checksum_report($mover->{to}) if $day % 100 == 0;
    select undef, undef, undef, 0.0015;
}
$loop->tick while $loop->busy;
print $mover->summary, "\n", checksum_report($mover->{to}), "\n";
