# Fills letter templates for customers; templates are compiled to code first.
use strict;
use warnings;
use Time::HiRes qw(sleep);

package Template;

sub new {
    my ($class) = @_;
    return bless { compiled => {}, filled => 0 }, $class;
}

sub parse {
    my ($text) = @_;
    my @parts;
    while ($text =~ /\G(.*?)\{(\w+)\}/gcs) {
        push @parts, [ text => $1 ], [ var => $2 ];
    }
    push @parts, [ text => substr $text, pos($text) // 0 ];
    return @parts;
}

sub compile {
    my ($self, $text) = @_;
    $self->{compiled}{$text} ||= do { # guilty
        my @parts = parse($text);
        sub {
            my ($vars) = @_;
            join '', map { $_->[0] eq 'text' ? $_->[1] : $vars->{ $_->[1] } // '' } @parts;
        };
    };
    return $self->{compiled}{$text};
}

sub fill {
    my ($self, $text, $vars) = @_;
    $self->{filled}++;
    return $self->compile($text)->($vars);
}

package main;

my $seed = 5;

sub dice {
    my ($n) = @_;
    $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
    return ($seed >> 8) % $n;
}

sub customer {
    my ($no) = @_;
    return { no => $no, name => 'Customer ' . dice(9000), city => 'City' . dice(80), sum => dice(90000) / 100 };
}

sub letter_text {
    my ($c) = @_;
    my $greet = $c->{sum} > 500 ? 'Dear valued' : 'Dear';
    return "$greet {name},\n\nyour account $c->{no} shows {sum} EUR as of day "
        . dice(365) . ".\nPlease contact our office in {city}.\n\n{name}, thank you.\n";
}

sub envelope {
    my ($t, $c) = @_;
    return $t->fill("{name}\n{city}\n", $c);
}

my $t     = Template->new;
my $chars = 0;
for my $no (1 .. 21_000) {
    my $c = customer($no);
    $chars += length $t->fill(letter_text($c), $c);
    $chars += length envelope($t, $c);
    sleep 0.009 if $no % 150 == 0;
}
print "letters $t->{filled} chars $chars\n";
sleep 0.2;
