#!/usr/bin/perl
# Helps at a contest of radio amateurs: spots from a cluster, closures that filter them, a log with points, and rates by hour.
use strict;
use warnings;

my $seed = 1;

sub rnd {
    my ($n) = @_;
    $seed = ($seed * 1103515245 + 12345) % 2147483648;
    return int($seed / 1024) % $n;
}

# The countries and zones by prefix.
sub load_prefixes {
    my %zone;
    my $number = 0;
    for my $first ('A' .. 'Z') {
        for my $second ('A' .. 'Z') {
            $zone{"$first$second"} = { zone => ++$number % 40 + 1, country => "land " . int($number / 3) };
        }
    }
    return \%zone;
}

# Gives back one spot of the cluster at each call, as a line of text.
sub cluster {
    my ($spots) = @_;
    my @bands = ([ 1810, 160 ], [ 3510, 80 ], [ 7005, 40 ], [ 14020, 20 ], [ 21030, 15 ], [ 28010, 10 ]);
    my $minute = 0;
    return sub {
        return if $spots-- <= 0;
        $minute++ if $spots % 25 == 0;
        my $band = $bands[ rnd(6) ];
        my $call = chr(65 + rnd(26)) . chr(65 + rnd(26)) . rnd(10) . join '', map { chr(65 + rnd(26)) } 1 .. 2 + rnd(2);
        return sprintf 'DX de %s: %.1f %s CW %d dB %d WPM %02d%02dZ', "DK$minute", $band->[0] + rnd(300) / 10, $call, 3 + rnd(40), 18 + rnd(20), int($minute / 60) % 24, $minute % 60;
    };
}

sub parse_spot {
    my ($line) = @_;
    my ($by, $khz, $call, $db, $speed, $time) = $line =~ /^DX de (\S+): ([\d.]+) (\S+) CW (\d+) dB (\d+) WPM (\d{4})Z$/ or return;
    my $band = $khz < 2000 ? 160 : $khz < 4000 ? 80 : $khz < 8000 ? 40 : $khz < 15000 ? 20 : $khz < 22000 ? 15 : 10;
    return { by => $by, khz => $khz, call => $call, db => $db, speed => $speed, time => $time, band => $band };
}

# The map of the bands: who was heard where.
{
    my %bands;
    my $count = 0;

    # Says whether a spot is new on its band, or has moved.
    sub note_spot {
        my ($spot) = @_;
        my $known = $bands{ $spot->{band} }{ $spot->{call} };
        $bands{ $spot->{band} }{ $spot->{call} } = $spot; # guilty
        $count++ unless $known;
        return !$known || abs($known->{khz} - $spot->{khz}) > 0.3;
    }

    sub stations_around {
        my ($band, $khz) = @_;
        my @near = grep { abs($_->{khz} - $khz) < 0.5 } values %{ $bands{$band} };
        return sort { $a->{khz} <=> $b->{khz} } @near;
    }

    sub stations_heard { return $count }
}

sub all_of {
    my @filters = @_;
    return sub {
        for my $filter (@filters) {
            return 0 unless $filter->( $_[0] );
        }
        return 1;
    };
}

sub make_log {
    my ($zones) = @_;
    my (%worked, %multipliers, @recent, $points);
    return {
        work => sub {
            my ($spot) = @_;
            my $key = "$spot->{band} $spot->{call}";
            return 0 if $worked{$key}++;
            my $home = $zones->{ substr $spot->{call}, 0, 2 } or return 0;
            $points += $home->{zone} < 14 ? 1 : 3;
            $multipliers{"$spot->{band} $home->{zone}"} = 1;
            push @recent, "$spot->{time} $key $home->{country}";
            shift @recent if @recent > 100;
            return 1;
        },
        score => sub { $points * keys %multipliers },
        last => sub { $recent[-1] },
    };
}

my $next = cluster(75000);
my $log = make_log(load_prefixes());
my $wanted = all_of(sub { $_[0]{db} > 12 }, sub { $_[0]{speed} < 34 }, sub { $_[0]{call} !~ /^D/ });
my (%rate, $old, $operator);
while (defined(my $line = $next->())) {
    my $spot = parse_spot($line) or next;
    if (!note_spot($spot)) {
        $old++;
        next;
    }
    next unless $wanted->($spot);
    if (++$operator % 40 == 0 && $log->{work}->($spot)) {
        $rate{ substr $spot->{time}, 0, 2 }++;
    }
}
my @near = stations_around(20, 14025);
printf "%d calls on the map, %d spots were known, %d stations near 14025\n", stations_heard(), $old || 0, scalar @near;
printf "score %d, best hour with %d, last: %s\n", $log->{score}->(), (sort { $b <=> $a } values %rate)[0], $log->{last}->();
