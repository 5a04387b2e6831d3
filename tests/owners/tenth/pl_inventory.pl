#!/usr/bin/perl
# Takes stock of computers: agents send what is installed where, changes are noted, and licences are counted.
use strict;
use warnings;

package Report;

sub parse {
    my ($class, $text) = @_;
    my %self = (packages => {});
    for my $line (split /\n/, $text) {
        if ($line =~ /^package\s+(\S+)\s+(\S+)\s+(\d+)$/) {
            $self{packages}{$1} = { version => $2, size => $3 };
        }
        elsif ($line =~ /^(\w+):\s*(.*)$/) {
            $self{ lc $1 } = $2;
        }
    }
    return bless \%self, $class;
}

sub host { return $_[0]{host} }

package Inventory;

sub new {
    my ($class) = @_;
    return bless { hosts => {}, changes => 0, log => [] }, $class;
}

# The last report is compared with; the reports before are there for the auditors.
sub store {
    my ($self, $report) = @_;
    my $history = $self->{hosts}{ $report->host } ||= [];
    $self->compare($history->[-1], $report) if @$history;
    push @$history, $report;    # guilty
    return scalar @$history;
}

sub compare {
    my ($self, $old, $new) = @_;
    for my $name (keys %{ $new->{packages} }) {
        my $before = $old->{packages}{$name};
        next if $before && $before->{version} eq $new->{packages}{$name}{version};
        $self->{changes}++;
        $self->note(sprintf '%s: %s %s -> %s', $new->host, $name, $before ? $before->{version} : '-', $new->{packages}{$name}{version});
    }
    return;
}

sub note {
    my ($self, $line) = @_;
    push @{ $self->{log} }, $line;
    shift @{ $self->{log} } if @{ $self->{log} } > 500;
    return;
}

sub current {
    my ($self) = @_;
    return map { $_->[-1] } values %{ $self->{hosts} };
}

package Licences;

sub new {
    my ($class, %bought) = @_;
    return bless { bought => \%bought }, $class;
}

sub check {
    my ($self, @reports) = @_;
    my %used;
    for my $report (@reports) {
        $used{$_}++ for grep { exists $self->{bought}{$_} } keys %{ $report->{packages} };
    }
    return grep { $used{$_} > $self->{bought}{$_} } sort keys %used;
}

package Agent;

sub new {
    my ($class, $number) = @_;
    return bless { number => $number }, $class;
}

sub report {
    my ($self, $day) = @_;
    my $text = sprintf "Host: pc-%03d\nSystem: Debian 12.%d\nMemory: %d\n", $self->{number}, $day % 5, 8 + $self->{number} % 3 * 8;
    for my $n (0 .. 34) {
        my $version = join '.', 1 + $n % 4, int(($day + $n * 3) / 9), $self->{number} % 3;
        $text .= sprintf "package software-%d %s %d\n", ($self->{number} * 7 + $n) % 160, $version, 1000 + $n * 37;
    }
    return $text;
}

package main;

my $inventory = Inventory->new;
my $licences = Licences->new('software-7' => 10, 'software-30' => 60, 'software-99' => 12);
my @agents = map { Agent->new($_) } 1 .. 95;
my @over;
for my $day (1 .. 28) {
    $inventory->store(Report->parse($_->report($day))) for @agents;
    @over = $licences->check($inventory->current);
}
printf "%d changes, %d lines, too few of %s\n", $inventory->{changes}, scalar @{ $inventory->{log} }, join ', ', @over;
