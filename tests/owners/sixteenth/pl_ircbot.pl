#!/usr/bin/perl
# ircbot - channel bot with commands, karma and "seen"; a generator plays the channels.
use strict;
use warnings;

package Plugin::Karma;
sub new { bless { score => {} }, shift }
sub on_message {
    my ($self, $msg) = @_;
    while ($msg->{text} =~ /(\w+)(\+\+|--)/g) {
        $self->{score}{$1} += $2 eq '++' ? 1 : -1;
    }
    return;
}
sub top {
    my $self = shift;
    my @t = sort { $self->{score}{$b} <=> $self->{score}{$a} || $a cmp $b } keys %{ $self->{score} };
    return join ', ', map { "$_=$self->{score}{$_}" } grep { defined } @t[0 .. 2];
}

package Plugin::Seen;
sub new { bless { last => {} }, shift }
sub on_message {
    my ($self, $msg) = @_;
    $self->{last}{ $msg->{nick} } = { at => $msg->{at}, channel => $msg->{channel}, text => $msg->{text} };
    return;
}
sub when {
    my ($self, $nick) = @_;
    my $l = $self->{last}{$nick} or return "never saw $nick";
    return "$nick was on $l->{channel} at $l->{at}: " . substr($l->{text}, 0, 20);
}

package Plugin::Links;
sub new { bless { recent => [] }, shift }
sub on_message {
    my ($self, $msg) = @_;
    push @{ $self->{recent} }, $1 while $msg->{text} =~ m{(https?://\S+)}g;
    splice @{ $self->{recent} }, 0, 100 if @{ $self->{recent} } > 300;
    return;
}

package Plugin::FloodGuard;
sub new { my ($class, %o) = @_; bless { %o, hits => {}, muted => 0 }, $class }
sub on_message {
    my ($self, $msg) = @_;
    my $slot = int($msg->{at} / $self->{window});
    my $w = $self->{hits}{"$msg->{nick}\@$msg->{channel}/$slot"} ||= { first => $msg->{at}, lines => [] }; # guilty
    push @{ $w->{lines} }, length $msg->{text};
    if (@{ $w->{lines} } > $self->{limit}) {
        $self->{muted}++;
        return 'mute';
    }
    return;
}

package Bot;
sub new {
    my ($class, @plugins) = @_;
    return bless { plugins => \@plugins, out => [], muted => {} }, $class;
}
sub parse {
    my ($self, $raw) = @_;
    my ($at, $nick, $channel, $text) = $raw =~ /^(\d+) :(\S+) PRIVMSG (\S+) :(.*)$/ or return;
    return { at => $at, nick => $nick, channel => $channel, text => $text };
}
sub reply {
    my ($self, $channel, $text) = @_;
    push @{ $self->{out} }, "PRIVMSG $channel :$text";
    shift @{ $self->{out} } while @{ $self->{out} } > 50;
}
sub feed {
    my ($self, $raw) = @_;
    my $msg = $self->parse($raw) or return 0;
    for my $p (@{ $self->{plugins} }) {
        my $verdict = $p->on_message($msg) or next;
        $self->{muted}{ $msg->{nick} } = $msg->{at} + 60 if $verdict eq 'mute';
    }
    if ($msg->{text} =~ /^!top/) { $self->reply($msg->{channel}, $self->{plugins}[0]->top) }
    elsif ($msg->{text} =~ /^!seen (\S+)/) { $self->reply($msg->{channel}, $self->{plugins}[1]->when($1)) }
    return 1;
}

package main;

my @words = qw(perl python deploy coffee server lunch build test ticket kernel);
my $x = 7;
sub rnd { $x = ($x * 1103515245 + 12345) % 2147483648; return int($x / 65536) % $_[0] }

sub make_line {
    my $t = shift;
    my $nick = 'user' . rnd(800);
    my $text = join ' ', map { $words[ rnd(scalar @words) ] } 1 .. 4 + rnd(6);
    my $r = rnd(100);
    $text .= ' ' . $words[ rnd(10) ] . '++' if $r < 20;
    $text = "!seen user" . rnd(800) if $r == 50;
    $text = '!top' if $r == 51;
    $text .= " https://example.org/$t" if $r > 90;
    return sprintf '%d :%s PRIVMSG #chan%d :%s', $t / 20, $nick, rnd(12), $text;
}

my $bot = Bot->new(Plugin::Karma->new, Plugin::Seen->new, Plugin::Links->new, Plugin::FloodGuard->new(window => 30, limit => 5));
my $n = 0;
for my $t (1 .. 85_000) {
    $n += $bot->feed(make_line($t));
    select undef, undef, undef, 0.01 if $t % 600 == 0;
}
print "$n lines, muted $bot->{plugins}[3]{muted}, top $bot->{out}[-1]\n";
