#!/usr/bin/perl
# Merges the listings of television stations into a guide, and finds what viewers look for.
use strict;
use warnings;

package Listing;

sub new {
    my ($class, $station, $day) = @_;
    return bless { station => $station, day => $day, seed => $station * 7919 + $day * 104729 + 1 }, $class;
}

sub below {
    my ($self, $n) = @_;
    $self->{seed} = ($self->{seed} * 1103515245 + 12345) % 2147483648;
    return int($self->{seed} / 65536) % $n;
}

# What a station sends for a day: one line for each programme.
sub text {
    my ($self) = @_;
    my @kinds = ('News', 'Crime', 'Garden', 'Football', 'Quiz', 'Nature', 'Cooking', 'Film');
    my ($minute, @lines) = (0);
    while ($minute < 24 * 60) {
        my $length = 15 + 5 * $self->below(20);
        my $kind = $kinds[ $self->below(8) ];
        push @lines, join '|', $minute, $length, "$kind " . $self->below(500), $kind, 'Part ' . $self->below(30) . ' of a series about ' . lc $kind;
        $minute += $length;
    }
    return join "\n", @lines;
}

package Programme;

sub parse {
    my ($class, $line, $station, $day) = @_;
    my ($start, $length, $title, $kind, $about) = split /\|/, $line;
    return unless defined $about && $length > 0;
    return bless {
        station => $station, day => $day, start => $start, length => $length,
        title   => $title,   kind => $kind, about => $about,
    }, $class;
}

sub overlaps {
    my ($self, $minute) = @_;
    return $self->{start} <= $minute && $minute < $self->{start} + $self->{length};
}

package Guide;

sub new {
    my ($class) = @_;
    return bless { days => {}, read => 0, kinds => {} }, $class;
}

sub insert {
    my ($self, $programme) = @_;
    my $list = $self->{days}{ $programme->{day} }{ $programme->{station} } ||= [];
    push @$list, $programme;    # guilty
    $self->{kinds}{ $programme->{kind} }++;
    return scalar @$list;
}

sub load {
    my ($self, $listing) = @_;
    my $n = 0;
    for my $line (split /\n/, $listing->text) {
        my $programme = Programme->parse($line, $listing->{station}, $listing->{day}) or next;
        $n = $self->insert($programme);
        $self->{read}++;
    }
    return $n;
}

sub at {
    my ($self, $day, $minute) = @_;
    my $stations = $self->{days}{$day} or return;
    my @found;
    for my $station (sort { $a <=> $b } keys %$stations) {
        push @found, grep { $_->overlaps($minute) } @{ $stations->{$station} };
    }
    return @found;
}

sub search {
    my ($self, $day, $word) = @_;
    my %titles;
    for my $list (values %{ $self->{days}{$day} || {} }) {
        $titles{ $_->{title} }++ for grep { index($_->{about}, $word) >= 0 } @$list;
    }
    return sort keys %titles;
}

package Viewer;

sub new {
    my ($class, $name, @likes) = @_;
    return bless { name => $name, likes => \@likes, watched => 0, reminders => [] }, $class;
}

sub evening {
    my ($self, $guide, $day) = @_;
    for my $minute (20 * 60, 20 * 60 + 15, 22 * 60) {
        my @now = $guide->at($day, $minute);
        for my $like (@{ $self->{likes} }) {
            my ($first) = grep { $_->{kind} eq $like } @now;
            next unless $first;
            $self->{watched}++;
            push @{ $self->{reminders} }, "$first->{title} at $first->{start}";
            last;
        }
    }
    shift @{ $self->{reminders} } while @{ $self->{reminders} } > 10;
    return $self->{watched};
}

package main;

my $guide = Guide->new;
my @viewers = (Viewer->new('Olga', 'Crime', 'Film'), Viewer->new('Piet', 'Football'), Viewer->new('Rosa', 'Nature', 'Garden', 'Quiz'));
my ($titles, $longest) = (0, 0);

for my $day (1 .. 40) {
    for my $station (1 .. 40) {
        my $n = $guide->load(Listing->new($station, $day));
        $longest = $n if $n > $longest;
    }
    $_->evening($guide, $day) for @viewers;
    $titles += () = $guide->search($day, 'nature');
}

printf "%d programmes read, at most %d a day, %d titles found\n", $guide->{read}, $longest, $titles;
printf "%s watched %d, last %s\n", $_->{name}, $_->{watched}, $_->{reminders}[-1] // 'nothing' for @viewers;
