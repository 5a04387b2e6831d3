#!/usr/bin/perl
# A world of rooms that players walk through by text commands; each room tells its visitors what happened there.
use strict;
use warnings;

package Room;

sub new {
    my ($class, $name) = @_;
    return bless {name => $name, exits => {}, things => [], events => [], heard => {}}, $class;
}

sub happen {
    my ($self, $turn, $who, $text) = @_;
    push @{$self->{events}}, {turn => $turn, who => $who, text => "$who $text in the $self->{name}."}; # guilty
    return;
}

sub news {
    my ($self, $who) = @_;
    my $events = $self->{events};
    my $from = $self->{heard}{$who} // 0;
    $from = @$events - 5 if $from < @$events - 5;
    $from = 0 if $from < 0;
    my @lines = map { $_->{text} } @{$events}[$from .. $#$events];
    $self->{heard}{$who} = @$events;
    return @lines;
}

package Player;

sub new {
    my ($class, $name, $room) = @_;
    return bless {name => $name, room => $room, bag => [], words => 0}, $class;
}

sub walk {
    my ($self, $way, $turn) = @_;
    my $next = $self->{room}{exits}{$way} or return 0;
    $self->{room}->happen($turn, $self->{name}, "goes $way");
    $self->{room} = $next;
    $next->happen($turn, $self->{name}, 'arrives');
    return 1;
}

sub take {
    my ($self, $turn) = @_;
    my $thing = shift @{$self->{room}{things}};
    if ($thing) {
        push @{$self->{bag}}, $thing;
        $self->{room}->happen($turn, $self->{name}, "takes $thing");
    }
    elsif (@{$self->{bag}}) {
        push @{$self->{room}{things}}, shift @{$self->{bag}};
    }
    return;
}

sub look {
    my ($self) = @_;
    my $room = $self->{room};
    my $text = join ' ', "The $room->{name}:", @{$room->{things}}, $room->news($self->{name});
    $self->{words} += () = $text =~ /\w+/g;
    return $text;
}

package World;

my %command = (
    go => sub { my ($player, $turn, $way) = @_; $player->walk($way, $turn) },
    take => sub { my ($player, $turn) = @_; $player->take($turn) },
    say => sub { my ($player, $turn, @words) = @_; $player->{room}->happen($turn, $player->{name}, "says '@words'") },
    look => sub { my ($player) = @_; $player->look },
);

sub build {
    my @rooms = map { Room->new("$_ hall") } qw(red blue green white black golden silver old new);
    for my $i (0 .. $#rooms) {
        $rooms[$i]{exits}{east} = $rooms[($i + 1) % @rooms];
        $rooms[$i]{exits}{west} = $rooms[$i - 1];
        push @{$rooms[$i]{things}}, "lamp$i", "rope$i";
    }
    return @rooms;
}

sub execute {
    my ($player, $turn, $line) = @_;
    my ($verb, @rest) = split ' ', $line;
    my $code = $command{$verb} or return;
    return $code->($player, $turn, @rest);
}

package main;

srand 5;
my @rooms = World::build();
my @players = map { Player->new("Player$_", $rooms[$_ % @rooms]) } 1 .. 30;
my @lines = ('go east', 'go west', 'take', 'look', 'say hello to all of you', 'say where is the lamp', 'dance');
for my $turn (1 .. 105_000) {
    World::execute($players[rand @players], $turn, $lines[rand @lines]);
}
my $words = 0;
$words += $_->{words} for @players;
print "$words words read\n";
