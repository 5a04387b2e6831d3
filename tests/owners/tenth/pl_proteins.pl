#!/usr/bin/perl
# Reads sequences of proteins, cuts them as trypsin would, and finds which masses of a spectrum belong to which protein.
use strict;
use warnings;

my %MASS = (
    A => 71.03711, R => 156.10111, N => 114.04293, D => 115.02694, C => 103.00919, E => 129.04259, Q => 128.05858,
    G => 57.02146, H => 137.05891, I => 113.08406, L => 113.08406, K => 128.09496, M => 131.04049, F => 147.06841,
    P => 97.05276, S => 87.03203, T => 101.04768, W => 186.07931, Y => 163.06333, V => 99.06841,
);

my $seed = 77;

sub random_below {
    my ($limit) = @_;
    $seed = ($seed * 1103515245 + 12345) % 2147483648;
    return int($seed / 65536) % $limit;
}

sub read_fasta {
    my ($number) = @_;
    my @letters = sort keys %MASS;
    my $length = 160 + random_below(220);
    my $sequence = join '', map { $letters[ random_below(20) ] } 1 .. $length;
    return { id => sprintf('P%05d', $number), name => "Protein of unknown function $number", sequence => $sequence };
}

# After K and R, though not before P; up to two cuts may be missed.
sub digest {
    my ($sequence) = @_;
    my @parts = split /(?<=[KR])(?!P)/, $sequence;
    my @peptides;
    for my $i (0 .. $#parts) {
        my $peptide = '';
        for my $k ($i .. ($i + 2 < $#parts ? $i + 2 : $#parts)) {
            $peptide .= $parts[$k];
            push @peptides, $peptide if length $peptide >= 5 && length $peptide <= 40;
        }
    }
    return @peptides;
}

sub mass_of {
    my ($peptide) = @_;
    my $mass = 18.01056;
    $mass += $MASS{$_} for split //, $peptide;
    return $mass;
}

sub index_protein {
    my ($index, $protein) = @_;
    for my $peptide (digest($protein->{sequence})) {
        my $mass = mass_of($peptide);
        my $bin = int($mass * 10);
        push @{ $index->{$bin} }, { peptide => $peptide, mass => $mass, protein => $protein->{id} };    # guilty
    }
    return;
}

sub match_spectrum {
    my ($index, $masses, $tolerance) = @_;
    my %votes;
    for my $mass (@$masses) {
        my $bin = int($mass * 10);
        for my $near ($bin - 1 .. $bin + 1) {
            for my $entry (@{ $index->{$near} || [] }) {
                $votes{ $entry->{protein} }++ if abs($entry->{mass} - $mass) <= $tolerance;
            }
        }
    }
    my ($best) = sort { $votes{$b} <=> $votes{$a} || $a cmp $b } keys %votes;
    return ($best, defined $best ? $votes{$best} : 0);
}

sub spectrum_of {
    my ($protein) = @_;
    my @peptides = digest($protein->{sequence});
    return [ map { mass_of($_) + random_below(10) / 10000 } grep { length $_ > 7 } @peptides ];
}

sub statistics {
    my ($index) = @_;
    my ($most, $count) = (0, 0);
    for my $entries (values %$index) {
        $most = @$entries if @$entries > $most;
        $count += @$entries;
    }
    return ($count, $most);
}

my (%index, %names, @samples);
for my $number (1 .. 1500) {
    my $protein = read_fasta($number);
    $names{ $protein->{id} } = $protein->{name};
    push @samples, $protein if $number % 150 == 0;
    index_protein(\%index, $protein);
}
for my $sample (@samples[0 .. 3]) {
    my ($best, $votes) = match_spectrum(\%index, spectrum_of($sample), 0.002);
    print "$best ($names{$best}): $votes\n";
}
printf "%d peptides, %d in one bin\n", statistics(\%index);
