# Filters a stream of access log lines: drops repeats, sums traffic per site.
use strict;
use warnings;
use Time::HiRes qw(sleep);

my %seen;
my %traffic;
my $state = 99;

sub rnd {
    my ($n) = @_;
    $state = ($state * 69069 + 1) & 0xffffffff;
    return ($state >> 7) % $n;
}

sub next_line {
    my ($no) = @_;
    my $stamp = 1_700_000_000 + int($no / 50);
    return sprintf '%d site%d 10.%d.%d.%d GET /item/%d?ref=%08x %d %d',
        $stamp, rnd(20), rnd(255), rnd(255), rnd(255), rnd(5000), rnd(2**24),
        (200, 200, 304, 404)[ rnd(4) ], rnd(40000);
}

sub parse_line {
    my ($line) = @_;
    my ($stamp, $site, $ip, $verb, $url, $code, $bytes) = split ' ', $line;
    return {
        stamp => $stamp, site => $site, ip    => $ip,
        url   => $url,   code => $code, bytes => $bytes,
    };
}

sub is_repeat {
    my ($rec) = @_;
    my $key = join '|', @$rec{qw(stamp site ip url)};
    return 1 if exists $seen{$key};
    $seen{$key} = $rec->{stamp}; # guilty
    return 0;
}

sub account {
    my ($rec) = @_;
    my $t = $traffic{ $rec->{site} } ||= { hits => 0, bytes => 0, errors => 0 };
    $t->{hits}++;
    $t->{bytes} += $rec->{bytes};
    $t->{errors}++ if $rec->{code} >= 400;
    return;
}

sub report {
    for my $site (sort keys %traffic) {
        my $t = $traffic{$site};
        printf "%-8s %7d hits %10d bytes %6d errors\n", $site, @$t{qw(hits bytes errors)};
    }
    return;
}

my @last;
my $repeats = 0;
for my $no (1 .. 260_000) {
    my $line = @last && rnd(15) == 0 ? $last[ rnd(scalar @last) ] : next_line($no);
    push @last, $line;
    shift @last if @last > 30;
    my $rec = parse_line($line);
    if (is_repeat($rec)) {
        $repeats++;
        next;
    }
    account($rec);
    sleep 0.004 if $no % 1000 == 0;
}
report();
print "repeats $repeats\n";
sleep 0.2;
