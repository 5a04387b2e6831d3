#!/usr/bin/perl
# Moves an old database of customers to a new scheme: reads a dump, cleans rows, follows foreign keys, and writes statements.
use strict;
use warnings;

package Dump;

my @FIRST = qw(Anna Bertil Chloe Dario Edith Farid Greta Hugo);
my @TOWNS = ('Bergen', 'Lyon', 'Graz', 'Porto', 'Galway', 'Turku');

sub new {
    my ($class, $seed, $rows) = @_;
    return bless { seed => $seed, rows => $rows, at => 0, customer => 0 }, $class;
}

sub below {
    my ($self, $n) = @_;
    $self->{seed} = ($self->{seed} * 1103515245 + 12345) % 2147483648;
    return int($self->{seed} / 256) % $n;
}

# A line of the dump, orders often before the customer they belong to.
sub line {
    my ($self) = @_;
    return if $self->{at} >= $self->{rows};
    my $n = $self->{at}++;
    if ($n % 4 == 3) {
        my $id = ++$self->{customer};
        my $name = $FIRST[$self->below(8)] . ' ' . ucfirst(join '', map { chr(97 + $self->below(26)) } 1 .. 7);
        return "INSERT INTO kunde VALUES ($id,'$name','$TOWNS[$self->below(6)]','" . (1950 + $self->below(55)) . "-0" . (1 + $self->below(9)) . "-1" . $self->below(10) . "');";
    }
    my $customer = 1 + $self->below(22500);
    return "INSERT INTO bestellung VALUES ($n,$customer,'2019-" . sprintf('%02d', 1 + $self->below(12)) . "-05'," . $self->below(90000) . ",'" . join(' / ', map { 'item ' . $self->below(500) } 0 .. $self->below(4)) . "');";
}

package Row;

sub parse {
    my ($class, $line) = @_;
    my ($table, $values) = $line =~ /^INSERT INTO (\w+) VALUES \((.*)\);$/ or return;
    my @values;
    while ($values =~ /\G(?:'((?:[^']|'')*)'|([^,]+))(?:,|$)/g) {
        push @values, defined $1 ? $1 : $2;
    }
    return bless { table => $table, values => \@values }, $class;
}

package Cleaner;

sub new { return bless { fixed => 0 }, shift }

sub date {
    my ($self, $date) = @_;
    return $date if $date =~ /^\d{4}-(?:0[1-9]|1[0-2])-\d\d$/;
    $self->{fixed}++;
    return undef;
}

sub name {
    my ($self, $name) = @_;
    $name =~ s/^\s+|\s+$//g;
    my ($first, $last) = split / /, $name, 2;
    return ($first, $last);
}

sub cents {
    my ($self, $amount) = @_;
    return $amount if $amount < 85000;
    $self->{fixed}++;
    return int($amount / 100);
}

package Waiting;

# Rows that cannot be written before the one they point at.
sub new { return bless { by_key => {}, count => 0, released => 0 }, shift }

sub park {
    my ($self, $key, $row) = @_;
    push @{ $self->{by_key}{$key} }, $row; # guilty
    $self->{count}++;
}

sub release {
    my ($self, $key) = @_;
    my $rows = $self->{by_key}{$key} || [];
    my @ready = grep { !$_->{written} } @$rows;
    $_->{written} = 1 for @ready;
    $self->{released} += @ready;
    return @ready;
}

package Writer;

sub new { return bless { bytes => 0, statements => 0, by_table => {} }, shift }

sub insert {
    my ($self, $table, %columns) = @_;
    my @names = sort keys %columns;
    my $text = "INSERT INTO $table (" . join(', ', @names) . ') VALUES (' . join(', ', map { $self->quote($columns{$_}) } @names) . ");\n";
    $self->{bytes} += length $text;
    $self->{statements}++;
    $self->{by_table}{$table}++;
}

sub quote {
    my ($self, $value) = @_;
    return 'NULL' unless defined $value;
    return $value if $value =~ /^\d+$/;
    $value =~ s/'/''/g;
    return "'$value'";
}

package Migration;

sub new {
    my ($class) = @_;
    return bless { cleaner => Cleaner->new, waiting => Waiting->new, writer => Writer->new, customers => {}, broken => 0 }, $class;
}

sub row {
    my ($self, $row) = @_;
    if ($row->{table} eq 'kunde') {
        $self->customer($row);
    } elsif ($row->{table} eq 'bestellung') {
        my $customer = $row->{values}[1];
        if ($self->{customers}{$customer}) {
            $self->order($row);
        } else {
            $self->{waiting}->park($customer, $row);
        }
    }
}

sub customer {
    my ($self, $row) = @_;
    my ($id, $name, $town, $born) = @{ $row->{values} };
    my ($first, $last) = $self->{cleaner}->name($name);
    $self->{writer}->insert('customer', id => $id, first_name => $first, last_name => $last, town => $town, born => $self->{cleaner}->date($born));
    $self->{customers}{$id} = 1;
    $self->order($_) for $self->{waiting}->release($id);
}

sub order {
    my ($self, $row) = @_;
    my ($id, $customer, $date, $amount, $items) = @{ $row->{values} };
    $self->{writer}->insert('purchase', id => $id, customer_id => $customer, placed => $self->{cleaner}->date($date), cents => $self->{cleaner}->cents($amount));
    my $line = 0;
    $self->{writer}->insert('purchase_item', purchase_id => $id, line => ++$line, item => $_) for split m{ / }, $items;
}

sub report {
    my ($self) = @_;
    my $writer = $self->{writer};
    printf "%d statements, %d bytes: %s\n", $writer->{statements}, $writer->{bytes}, join ', ', map { "$_ $writer->{by_table}{$_}" } sort keys %{ $writer->{by_table} };
    printf "%d values fixed, %d rows waited, %d of them released, %d lines broken\n", $self->{cleaner}{fixed}, $self->{waiting}{count}, $self->{waiting}{released}, $self->{broken};
}

package main;

my $dump = Dump->new(5, 90000);
my $migration = Migration->new;
while (defined(my $line = $dump->line)) {
    my $row = Row->parse($line);
    if ($row) {
        $migration->row($row);
    } else {
        $migration->{broken}++;
    }
}
$migration->report;
