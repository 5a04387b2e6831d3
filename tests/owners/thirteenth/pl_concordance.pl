#!/usr/bin/perl
# Makes a concordance of plays: scenes and speeches, words by lemma, places with the words around them, and who says what.
use strict;
use warnings;

package Playwright;

my @WORDS = qw(night crown love sword ghost king fool storm ship letter daughter brother garden poison moon speak come stay away never
  alas honest gentle cruel bloody sweet heavy noble false);
my @JOINS = qw(the of and to a in my his with for);
my @WHO = qw(ALBA BORAS CELIO DUKE EMMA FESTE GUARD);

sub new {
    my ($class, $seed) = @_;
    return bless { seed => $seed }, $class;
}

sub below {
    my ($self, $n) = @_;
    $self->{seed} = ($self->{seed} * 69069 + 12345) % 4294967296;
    return ($self->{seed} >> 12) % $n;
}

sub verse {
    my ($self) = @_;
    my @words = map { $self->below(3) ? $WORDS[$self->below(scalar @WORDS)] . ($self->below(5) ? '' : 's') : $JOINS[$self->below(10)] } 1 .. 6 + $self->below(4);
    return ucfirst(join ' ', @words) . ($self->below(3) ? ',' : '.');
}

sub scene {
    my ($self, $speeches) = @_;
    my $text = '';
    for (1 .. $speeches) {
        $text .= $WHO[$self->below(7)] . ".\n";
        $text .= '  ' . $self->verse . "\n" for 1 .. 1 + $self->below(6);
    }
    return $text;
}

package Lemma;

my %STOP = map { $_ => 1 } @JOINS;

sub new { return bless { irregular => { alas => 'alas', false => 'false' } }, shift }

sub of {
    my ($self, $word) = @_;
    $word = lc $word;
    $word =~ s/[^a-z]//g;
    return if $word eq '' || $STOP{$word};
    return $self->{irregular}{$word} if $self->{irregular}{$word};
    $word =~ s/s$//;
    return $word;
}

package Scene;

sub parse {
    my ($class, $play, $number, $text) = @_;
    my (@speeches, $line);
    for (split /\n/, $text) {
        if (/^([A-Z]+)\.$/) {
            push @speeches, { who => $1, verses => [] };
        } elsif (/^\s+(.*)/) {
            push @{ $speeches[-1]{verses} }, { number => ++$line, text => $1 };
        }
    }
    return bless { play => $play, number => $number, speeches => \@speeches }, $class;
}

package Concordance;

sub new {
    my ($class) = @_;
    return bless { lemma => Lemma->new, places => {}, count => {}, speakers => {} }, $class;
}

sub context {
    my ($self, $words, $at) = @_;
    my $from = $at > 3 ? $at - 3 : 0;
    my $to = $at + 3 < $#$words ? $at + 3 : $#$words;
    return join ' ', @$words[ $from .. $to ];
}

sub index_scene {
    my ($self, $scene) = @_;
    for my $speech (@{ $scene->{speeches} }) {
        for my $verse (@{ $speech->{verses} }) {
            my @words = split ' ', $verse->{text};
            for my $at (0 .. $#words) {
                my $lemma = $self->{lemma}->of($words[$at]) or next;
                $self->{count}{$lemma}++;
                $self->{speakers}{$lemma}{ $speech->{who} }++;
                my $place = "$scene->{play} $scene->{number}.$verse->{number}";
                push @{ $self->{places}{$lemma} }, [ $place, $self->context(\@words, $at) ]; # guilty
            }
        }
    }
}

sub entry {
    my ($self, $lemma, $most) = @_;
    my @places = @{ $self->{places}{$lemma} || [] };
    splice @places, $most if @places > $most;
    my $speakers = $self->{speakers}{$lemma};
    my ($who) = sort { $speakers->{$b} <=> $speakers->{$a} || $a cmp $b } keys %$speakers;
    return "$lemma ($self->{count}{$lemma}, mostly $who)\n" . join '', map { "  $_->[0]: ...$_->[1]...\n" } @places;
}

sub frequent {
    my ($self, $most) = @_;
    my $count = $self->{count};
    my @lemmas = sort { $count->{$b} <=> $count->{$a} || $a cmp $b } keys %$count;
    return @lemmas[ 0 .. $most - 1 ];
}

package Metre;

sub new { return bless { lengths => {} }, shift }

sub measure {
    my ($self, $scene) = @_;
    for my $speech (@{ $scene->{speeches} }) {
        for my $verse (@{ $speech->{verses} }) {
            my $syllables = () = $verse->{text} =~ /[aeiouy]+/g;
            $self->{lengths}{$syllables}++;
        }
    }
}

sub usual {
    my ($self) = @_;
    my $lengths = $self->{lengths};
    my ($usual) = sort { $lengths->{$b} <=> $lengths->{$a} } keys %$lengths;
    return $usual;
}

package main;

my $playwright = Playwright->new(1600);
my $concordance = Concordance->new;
my $metre = Metre->new;
for my $play (qw(Winter Tides Orchard Masque)) {
    for my $number (1 .. 20) {
        my $scene = Scene->parse($play, $number, $playwright->scene(70));
        $concordance->index_scene($scene);
        $metre->measure($scene);
    }
}
print $concordance->entry($_, 2) for $concordance->frequent(3);
printf "verses mostly have %d syllables\n", $metre->usual;
