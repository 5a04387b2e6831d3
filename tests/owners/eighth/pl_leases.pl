#!/usr/bin/perl
# Reads the log of a DHCP server: who has which address, and which addresses were given away twice.
use strict;
use warnings;

package Lease;

sub new {
    my ($class, $address, $mac) = @_;
    return bless {address => $address, mac => $mac, until => 0, renewals => []}, $class;
}

sub is_held_at {
    my ($self, $time) = @_;
    return $self->{until} >= $time;
}

# The lease goes on until then; a report may ask for how it came about.
sub renew {
    my ($self, $event) = @_;
    $self->{until} = $event->{time} + $event->{seconds};
    push @{$self->{renewals}}, {    # guilty
        time => $event->{time},
        via  => $event->{interface},
        host => lc $event->{host},
    };
    return scalar @{$self->{renewals}};
}

package Pool;

sub new {
    my ($class, $first, $last) = @_;
    my %free = map { $first + $_ => {reserved => 0, comment => "free since the pool was made, no. $_"} } 0 .. $last - $first;
    return bless {free => \%free, leases => {}, conflicts => []}, $class;
}

sub dotted {
    return join '.', unpack 'C4', pack 'N', shift;
}

sub lease_of {
    my ($self, $event) = @_;
    my $address = $event->{address};
    return $self->{leases}{$address} ||= do {
        $self->{free}{$address}{reserved}++ if $self->{free}{$address};
        Lease->new($address, $event->{mac});
    };
}

sub on_request {
    my ($self, $event) = @_;
    my $lease = $self->lease_of($event);
    if ($lease->{mac} ne $event->{mac}) {
        if ($lease->is_held_at($event->{time})) {
            push @{$self->{conflicts}}, dotted($event->{address});
            return;
        }
        $lease = $self->{leases}{$event->{address}} = Lease->new($event->{address}, $event->{mac});
    }
    $lease->renew($event);
    return;
}

sub on_release {
    my ($self, $event) = @_;
    my $lease = delete $self->{leases}{$event->{address}};
    $self->{free}{$event->{address}}{reserved}-- if $lease && $self->{free}{$event->{address}};
    return;
}

package Log;

sub new {
    my ($class, $lines) = @_;
    return bless {lines => $lines, line => 0}, $class;
}

# What the server would have written.
sub next_line {
    my $self = shift;
    my $n    = $self->{line}++;
    return if $n >= $self->{lines};
    my $client = $n * 31 % 2400;
    my $kind   = $n % 997 == 0 ? 'RELEASE' : 'REQUEST';
    return sprintf '%d DHCP%s 10.20.%d.%d from 02:00:00:00:%02x:%02x (Device-%d) via eth%d for 86400', 1_700_000_000 + $n * 3, $kind,
        $client / 250, $client % 250 + 1, $client / 256, $client % 256, $client, $client % 4;
}

sub parse {
    my ($self, $line) = @_;
    my ($time, $kind, $dotted, $mac, $host, $interface, $seconds) =
        $line =~ /^(\d+) DHCP(\w+) ([\d.]+) from ([\da-f:]+) \(([^)]*)\) via (\w+) for (\d+)/
        or return;
    my $address = unpack 'N', pack 'C4', split /\./, $dotted;
    return {
        time    => $time,
        kind    => lc $kind,
        address => $address,
        mac     => $mac,
        host    => $host,
        interface => $interface,
        seconds => $seconds,
    };
}

package main;

my %handlers = (
    request => sub { $_[0]->on_request($_[1]) },
    release => sub { $_[0]->on_release($_[1]) },
);

sub follow {
    my ($log, $pool) = @_;
    my %seen;
    while (defined(my $line = $log->next_line)) {
        my $event = $log->parse($line) or next;
        $seen{$event->{kind}}++;
        $handlers{$event->{kind}}->($pool, $event);
    }
    return \%seen;
}

my $base = unpack 'N', pack 'C4', 10, 20, 0, 1;
my $pool = Pool->new($base, $base + 12_000);
my $seen = follow(Log->new(110_000), $pool);
printf "%d requests, %d releases, %d leases, %d conflicts\n", @{$seen}{qw(request release)}, scalar keys %{$pool->{leases}},
    scalar @{$pool->{conflicts}};
