use strict;
use warnings;
package Item;
sub new { my ($class, %fields) = @_; my $self = {%fields, tags => []}; return bless $self, $class; }
sub tag { my ($self, @tags) = @_; push @{$self->{tags}}, @tags; return $self; }
sub price { my $self = shift; return $self->{price} * (1 + 0.01 * @{$self->{tags}}); }
package Inventory;
sub new { my $class = shift; return bless {items => {}, sold => []}, $class; }
sub receive { my ($self, $item) = @_; $self->{items}{$item->{id}} = $item; }
sub sell {
    my ($self, $id) = @_;
    my $item = delete $self->{items}{$id} or return 0;
    push @{$self->{sold}}, $item; # guilty
    return $item->price;
}
package main;
sub unpack_line {
    my ($line) = @_;
    my ($id, $name, $price) = split /;/, $line;
    return Item->new(id => $id, name => $name, price => $price)->tag('new', "lot $id", 'checked');
}
sub delivery { my $n = shift; return map { "$_;article number $_ in a box;" . ($_ % 90) } $n * 100 .. $n * 100 + 99; }
my $inventory = Inventory->new;
my $turnover = 0;
for my $day (0 .. 299) {
    $inventory->receive(unpack_line($_)) for delivery($day);
    $turnover += $inventory->sell($_) for $day * 100 .. $day * 100 + 99;
}
printf "%.2f %d\n", $turnover, scalar @{$inventory->{sold}};
