use strict;
use warnings;
my %dispatch;
sub on { my ($word, $code) = @_; $dispatch{$word} = $code; }
sub make_room {
    my ($name) = @_;
    my @guests;
    return {
        name => $name,
        enter => sub { my ($guest) = @_; push @guests, $guest; return scalar @guests; }, # guilty
        count => sub { scalar @guests },
    };
}
my @rooms = map { make_room("room $_") } 1 .. 20;
on(guest => sub { my @fields = @_; return $rooms[$fields[1] % @rooms]{enter}->({name => $fields[0], photo => 'p' x 700}); });
on(count => sub { my $sum = 0; $sum += $_->{count}->() for @rooms; return $sum; });
on(noise => sub { my $s = join ',', map { $_ x 20 } @_; return length $s; });
sub line { my $n = shift; return $n % 10 == 0 ? "noise a b c" : $n % 100 == 1 ? 'count' : "guest visitor$n $n"; }
my $total = 0;
for my $n (0 .. 40000) {
    my ($word, @rest) = split ' ', line($n);
    $total += $dispatch{$word}->(@rest);
}
print "$total\n";
