#!/usr/bin/perl
# Statistics of a mailing list: reads an archive, puts answers below what they answer, and tells who writes most.
use strict;
use warnings;

package Archive;

sub new {
    my ($class, $count) = @_;
    return bless { count => $count, next => 0 }, $class;
}

sub read_mail {
    my ($self) = @_;
    return if $self->{next} >= $self->{count};
    my $n = $self->{next}++;
    my $parent = $n % 6 ? int($n - 1 - $n % 5) : undef;
    my $text = sprintf "From: Writer %d <w%d\@example.org>\nMessage-ID: <%d.list\@example.org>\nSubject: %sQuestion %d\n", $n % 211, $n % 211, $n,
        defined $parent ? 'Re: ' : '', $n / 6;
    $text .= "In-Reply-To: <$parent.list\@example.org>\n" if defined $parent && $parent >= 0;
    $text .= "\n" . join '', map { "> line $_ of what was said before, for number $n\n" } 1 .. 8 + $n % 15;
    return $text . "I do not think so.\n";
}

package Threads;

sub new {
    my ($class) = @_;
    return bless { by_id => {}, roots => [] }, $class;
}

sub parse {
    my ($self, $text) = @_;
    my ($head, $body) = split /\n\n/, $text, 2;
    my %header = map { /^([\w-]+):\s*(.*)$/ ? (lc $1 => $2) : () } split /\n/, $head;
    return { header => \%header, body => $body, answers => [] };
}

sub add {
    my ($self, $mail) = @_;
    my $id = $mail->{header}{'message-id'};
    my $parent = $mail->{header}{'in-reply-to'};
    $self->{by_id}{$id} = $mail;    # guilty
    if (defined $parent && $self->{by_id}{$parent}) {
        push @{ $self->{by_id}{$parent}{answers} }, $mail;
    }
    else {
        push @{ $self->{roots} }, $mail;
    }
    return;
}

sub depth {
    my ($self, $mail) = @_;
    my ($deepest, @todo) = (0, [ $mail, 1 ]);
    while (my $item = pop @todo) {
        my ($at, $depth) = @$item;
        $deepest = $depth if $depth > $deepest;
        push @todo, map { [ $_, $depth + 1 ] } @{ $at->{answers} };
    }
    return $deepest;
}

package Writers;

sub new {
    my ($class) = @_;
    return bless { mails => {}, own => {} }, $class;
}

sub count {
    my ($self, $mail) = @_;
    my ($name) = $mail->{header}{from} =~ /^(.*?)\s*</;
    my $quoted = () = $mail->{body} =~ /^>/mg;
    my $lines = () = $mail->{body} =~ /\n/g;
    $self->{mails}{$name}++;
    $self->{own}{$name} += $lines - $quoted;
    return;
}

sub top {
    my ($self, $count) = @_;
    my $mails = $self->{mails};
    my @names = sort { $mails->{$b} <=> $mails->{$a} || $a cmp $b } keys %$mails;
    return map { "$_: $mails->{$_}" } @names[ 0 .. $count - 1 ];
}

package main;

my $archive = Archive->new(19000);
my $threads = Threads->new;
my $writers = Writers->new;
while (defined(my $text = $archive->read_mail)) {
    my $mail = $threads->parse($text);
    $writers->count($mail);
    $threads->add($mail);
}
my $deepest = 0;
for my $root (@{ $threads->{roots} }) {
    my $depth = $threads->depth($root);
    $deepest = $depth if $depth > $deepest;
}
printf "%d threads, deepest %d, %s\n", scalar @{ $threads->{roots} }, $deepest, join ', ', $writers->top(3);
