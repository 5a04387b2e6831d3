#!/usr/bin/perl
# Correlates the log of a mail server: puts the lines of each message together, and prints a line for each that was delivered.
use strict;
use warnings;

package Log;

sub new {
    my ($class, $count) = @_;
    return bless { count => $count, at => 0, pending => [] }, $class;
}

# Messages that a filter rejects have no "removed" line.
sub next_line {
    my $self = shift;
    return shift @{ $self->{pending} } if @{ $self->{pending} };
    return undef if $self->{at} >= $self->{count};
    my $n = $self->{at}++;
    my $id = sprintf '%010X', $n * 2654435761 % 2**40;
    my $time = sprintf 'Nov %2d %02d:%02d:%02d', 1 + $n / 8000 % 28, $n / 333 % 24, $n / 7 % 60, $n % 60;
    my @lines = (
        "$time mx1 smtpd[311]: $id: client=host" . $n % 900 . ".example.net[198.51.100." . $n % 250 . ']',
        "$time mx1 cleanup[97]: $id: message-id=<" . $n * 7 . ".$id\@mail.example.net>",
        "$time mx1 qmgr[12]: $id: from=<sender" . $n % 5000 . "\@example.net>, size=" . (900 + $n % 7000) . ", nrcpt=1 (queue active)",
    );
    if ($n % 3 == 0) {
        push @lines, "$time mx1 smtp[42]: $id: to=<user" . $n % 300 . "\@example.org>, relay=10.0.0.7, delay=0.4, status=sent (250 ok)",
            "$time mx1 qmgr[12]: $id: removed";
    } else {
        push @lines, "$time mx1 cleanup[97]: $id: milter-reject: END-OF-MESSAGE from filter: 5.7.1 looks like spam";
    }
    push @{ $self->{pending} }, @lines;
    return shift @{ $self->{pending} };
}

package Message;

sub new {
    my ($class, $id) = @_;
    return bless { id => $id, lines => 0 }, $class;
}

sub summary {
    my $self = shift;
    return join ' ', map { "$_=" . ($self->{$_} // '-') } qw(id from to status delay size client);
}

package Correlator;

sub new {
    my ($class, %options) = @_;
    return bless { open => {}, aliases => $options{aliases}, delivered => 0, output => [] }, $class;
}

sub fields_of {
    my $text = shift;
    my %fields;
    while ($text =~ /([\w-]+)=(<[^>]*>|[^,\s]+)/g) {
        $fields{$1} = $2;
    }
    return %fields;
}

sub note {
    my ($self, $id, $process, $text) = @_;
    my $message = $self->{open}{$id} //= Message->new($id);
    my %fields = fields_of($text);
    @{$message}{ keys %fields } = values %fields;    # guilty
    $message->{lines}++;
    return $message;
}

sub finish {
    my ($self, $id) = @_;
    my $message = delete $self->{open}{$id} or return;
    $message->{to} = $self->{aliases}{ $message->{to} // '' } // $message->{to};
    $self->{delivered}++;
    push @{ $self->{output} }, $message->summary;
    shift @{ $self->{output} } while @{ $self->{output} } > 200;
    return;
}

sub feed {
    my ($self, $line) = @_;
    my ($process, $id, $text) = $line =~ /^\w+ +\d+ [\d:]+ \S+ (\w+)\[\d+\]: ([0-9A-F]+): (.*)$/ or return;
    if ($text eq 'removed') {
        $self->finish($id);
    } else {
        $self->note($id, $process, $text);
    }
    return;
}

package main;

sub load_aliases {
    my %aliases;
    for my $n (0 .. 19999) {
        $aliases{"<user$n\@example.org>"} = "<mailbox-" . ($n % 120) . "\@store" . ($n % 7) . '.example.org>';
    }
    return \%aliases;
}

my $log = Log->new(45_000);
my $correlator = Correlator->new(aliases => load_aliases());
while (defined(my $line = $log->next_line)) {
    $correlator->feed($line);
}
printf "%d delivered, last: %s\n", $correlator->{delivered}, $correlator->{output}[-1];
