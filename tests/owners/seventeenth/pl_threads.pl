# Builds discussion threads from a mail folder and prints the busiest ones.
use strict;
use warnings;
use Time::HiRes qw(sleep);

package Mail;

sub new {
    my ($class, %arg) = @_;
    return bless { %arg, replies => [], parent => undef }, $class;
}

sub add_reply {
    my ($self, $reply) = @_;
    $reply->{parent} = $self; # guilty
    push @{ $self->{replies} }, $reply;
    return $reply;
}

sub depth {
    my ($self) = @_;
    my $d = 0;
    for (my $m = $self; $m->{parent}; $m = $m->{parent}) { $d++ }
    return $d;
}

sub count {
    my ($self) = @_;
    my $n = 1;
    $n += $_->count for @{ $self->{replies} };
    return $n;
}

package main;

my $seed = 17;

sub pick {
    my ($n) = @_;
    $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
    return ($seed >> 8) % $n;
}

sub read_mail {
    my ($no, $subject) = @_;
    return Mail->new(
        id      => "<$no." . pick(1_000_000) . '@lists.example>',
        from    => 'user' . pick(300),
        subject => $subject,
        body    => join(' ', map { 'word' . pick(900) } 1 .. 40 + pick(60)),
    );
}

sub read_folder {
    my ($folder, $size) = @_;
    my $root = read_mail(0, "topic $folder");
    my @all  = ($root);
    for my $i (1 .. $size) {
        my $to = $all[ pick(scalar @all) ];
        push @all, $to->add_reply(read_mail($i, "Re: topic $folder"));
    }
    return ($root, $all[-1]);
}

sub quote_text {
    my ($mail) = @_;
    my @words = split / /, $mail->{body};
    return join "\n", map { "> $_" } @words;
}

my %top;
my $quoted = 0;
for my $folder (1 .. 700) {
    my ($root, $last) = read_folder($folder, 40 + pick(40));
    $top{ $root->{subject} } = $root->count + $last->depth;
    $quoted += length quote_text($last);
    if (keys %top > 20) {
        my ($least) = sort { $top{$a} <=> $top{$b} } keys %top;
        delete $top{$least};
    }
    sleep 0.002;
}
print "$_: $top{$_}\n" for sort { $top{$b} <=> $top{$a} } keys %top;
print "quoted $quoted\n";
sleep 0.2;
