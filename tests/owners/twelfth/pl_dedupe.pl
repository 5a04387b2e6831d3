#!/usr/bin/perl
# Finds people who are in a register twice: names are compared by sound and by letters.
use strict;
use warnings;
use List::Util qw(max);

my $seed = 61;

sub below {
    my ($n) = @_;
    $seed = ($seed * 1664525 + 1013904223) % 4294967296;
    return int($seed / 4096) % $n;
}

package Register;

my @stems = qw(Mei Schmi Leh Wei Kra Hoff Bau Fisch Schnei Zimm Vo Wag Bran Har);
my @ends  = qw(er dt mann ss mer gel ners tz el ing ow ke);
my @given = qw(Anna Bernd Clara Dieter Eva Frank Gisela Heinz);

sub person {
    my ($class, $id) = @_;
    my $name = $stems[ main::below(14) ] . $ends[ main::below(12) ] . $ends[ main::below(12) ];
    if (main::below(4) == 0) {    # somebody typed it
        my $at = 1 + main::below(length($name) - 1);
        substr($name, $at, 1) = chr(97 + main::below(26));
    }
    return { id => $id, family => $name, given => $given[ main::below(8) ], year => 1930 + main::below(70) };
}

package Sound;

# Soundex, more or less.
sub code {
    my ($name) = @_;
    my $first = uc substr $name, 0, 1;
    my $rest = lc substr $name, 1;
    $rest =~ tr/bfpvcgjkqsxzdtlmnr/111122222222334556/;
    $rest =~ s/[a-z]//g;
    $rest =~ s/(.)\1+/$1/g;
    return substr "$first${rest}000", 0, 4;
}

package Comparer;

sub new {
    my ($class) = @_;
    return bless { similar => {}, compared => 0, known => 0 }, $class;
}

# The pairs of letters of a name.
sub bigrams {
    my ($name) = @_;
    my $text = ' ' . lc($name) . ' ';
    my %grams;
    $grams{ substr $text, $_, 2 }++ for 0 .. length($text) - 2;
    return \%grams;
}

sub compare {
    my ($one, $other) = @_;
    my ($mine, $theirs) = (bigrams($one), bigrams($other));
    my @shared = sort grep { $theirs->{$_} } keys %$mine;
    my $share = 2 * @shared / List::Util::max(1, keys(%$mine) + keys %$theirs);
    return { share => $share, shared => \@shared };
}

sub similarity {
    my ($self, $one, $other) = @_;
    ($one, $other) = ($other, $one) if $one gt $other;
    my $key = "$one\t$other";
    if (my $known = $self->{similar}{$key}) {
        $self->{known}++;
        return $known;
    }
    $self->{compared}++;
    my $comparison = compare($one, $other);
    return $self->{similar}{$key} = $comparison;    # guilty
}

package Blocks;

sub new {
    my ($class, $most) = @_;
    return bless { by_code => {}, most => $most }, $class;
}

sub add {
    my ($self, $person) = @_;
    my $block = $self->{by_code}{ Sound::code($person->{family}) } ||= [];
    push @$block, $person;
    shift @$block if @$block > $self->{most};
    return @$block;
}

package Report;

sub new {
    my ($class) = @_;
    return bless { pairs => 0, last => [] }, $class;
}

sub pair {
    my ($self, $one, $other, $score, $shared) = @_;
    $self->{pairs}++;
    push @{ $self->{last} }, sprintf '%s, %s (%d) and %s, %s: %.2f, both have %s', $one->{family},
        $one->{given}, $one->{year}, $other->{family}, $other->{given}, $score, join '/', @$shared;
    shift @{ $self->{last} } if @{ $self->{last} } > 5;
    return;
}

package main;

my $comparer = Comparer->new;
my $blocks   = Blocks->new(40);
my $report   = Report->new;

for my $id (1 .. 14_000) {
    my $person = Register->person($id);
    for my $other ($blocks->add($person)) {
        next if $other->{id} == $id || abs($other->{year} - $person->{year}) > 9;
        my $found = $comparer->similarity($person->{family}, $other->{family});
        my $score = $found->{share} + ($other->{given} eq $person->{given} ? 0.1 : 0);
        $report->pair($person, $other, $score, $found->{shared}) if $score > 0.95;
    }
}

printf "%d compared, %d known, %d pairs\n", $comparer->{compared}, $comparer->{known}, $report->{pairs};
print "$_\n" for @{ $report->{last} };
