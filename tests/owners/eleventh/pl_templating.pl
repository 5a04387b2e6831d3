#!/usr/bin/perl
# Writes letters from templates: a template is parsed into a list of parts, which is then filled for a customer.
use strict;
use warnings;

package Template;

my %parsed;

sub parts {
    my ($source) = @_;
    my @parts;
    while ($source =~ /\G(?:\[(\w+)(?:\|(\w+))?\]|([^\[]+))/gc) {
        push @parts, defined $3 ? {text => $3} : {field => $1, filter => $2 // 'plain'};
    }
    return \@parts;
}

sub compile {
    my ($source) = @_;
    return $parsed{$source} ||= parts($source); # guilty
}

my %filter = (
    plain => sub { $_[0] },
    upper => sub { uc $_[0] },
    money => sub { sprintf '%.2f EUR', $_[0] / 100 },
);

sub fill {
    my ($parts, $values) = @_;
    my $out = '';
    for my $part (@$parts) {
        $out .= exists $part->{text} ? $part->{text} : $filter{$part->{filter}}->($values->{$part->{field}} // '');
    }
    return $out;
}

package Customers;

sub new {
    my ($class, $count) = @_;
    return bless {next => 0, count => $count}, $class;
}

sub next_one {
    my ($self) = @_;
    return if $self->{next} == $self->{count};
    my $n = $self->{next}++;
    return {number => $n, name => "Customer $n", town => 'Town ' . $n % 50, due => 100 + $n * 37 % 90000, months => 1 + $n % 3};
}

package Letters;

sub new {
    my ($class) = @_;
    return bless {written => 0, bytes => 0}, $class;
}

# The reminders get sharper with the months; the greeting is put into the template first.
sub template_for {
    my ($self, $customer) = @_;
    my $tone = ('friendly', 'serious', 'last')[$customer->{months} - 1];
    return "Dear $customer->{name},\n\nthis is a $tone reminder. You owe us [due|money] since [months] months.\n"
        . "We know that [town|upper] is far away.\n\nYour bookkeeping, about customer [number]\n";
}

sub write_letter {
    my ($self, $customer) = @_;
    my $parts = Template::compile($self->template_for($customer));
    my $letter = Template::fill($parts, $customer);
    $self->{written}++;
    $self->{bytes} += length $letter;
    return $letter;
}

sub wrap {
    my ($self, $letter, $width) = @_;
    my @lines = ('');
    for my $word (split ' ', $letter) {
        push @lines, '' if length($lines[-1]) + length($word) > $width;
        $lines[-1] .= "$word ";
    }
    return scalar @lines;
}

package main;

my $customers = Customers->new(17_000);
my $letters = Letters->new;
my $lines = 0;
while (my $customer = $customers->next_one) {
    $lines += $letters->wrap($letters->write_letter($customer), 40);
}
print "$letters->{written} letters, $letters->{bytes} bytes, $lines lines\n";
