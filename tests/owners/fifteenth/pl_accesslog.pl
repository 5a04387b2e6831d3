#!/usr/bin/perl
# accesslog - follows an access log (generated here) and keeps live traffic figures.
use strict;
use warnings;
use Time::HiRes qw(usleep);

package Generator;
sub new { my ($class) = @_; return bless { x => 7, n => 0 }, $class }
sub roll {
    my ($self, $n) = @_;
    $self->{x} = ($self->{x} * 16807) % 2147483647;
    return $self->{x} % $n;
}
sub next_line {
    my ($self) = @_;
    $self->{n}++;
    return sprintf '%d.%d.%d.%d - - [%d] "GET /shop/item%d?ref=%d HTTP/1.1" %d %d "Agent/%d.%d (id %08x)"',
        10 + $self->roll(200), $self->roll(256), $self->roll(256), $self->roll(256), $self->{n},
        $self->roll(900), $self->roll(50), ($self->roll(30) ? 200 : 404), 300 + $self->roll(9000),
        $self->roll(90), $self->roll(9), $self->roll(2**31 - 1);
}

package Traffic;
sub new {
    my ($class) = @_;
    return bless { visitors => {}, pages => {}, window => [], errors => 0, lines => 0 }, $class;
}

sub parse {
    my ($self, $line) = @_;
    my ($ip, $t, $url, $status, $size, $agent) =
        $line =~ /^(\S+) - - \[(\d+)\] "GET (\S+) [^"]+" (\d+) (\d+) "([^"]+)"$/ or return;
    return { ip => $ip, time => $t, url => $url, status => $status, size => $size, agent => $agent };
}

sub note_visitor {
    my ($self, $hit) = @_;
    my $v = $self->{visitors}{"$hit->{ip}|$hit->{agent}"} ||= { first => $hit->{time}, hits => 0, path => [] }; # guilty
    $v->{last} = $hit->{time};
    $v->{hits}++;
    push @{ $v->{path} }, $hit->{url};
    return $v->{hits} == 1;
}

sub note_page {
    my ($self, $hit) = @_;
    my ($page) = $hit->{url} =~ m{^([^?]+)};
    my $p = $self->{pages}{$page} ||= { hits => 0, sizes => [] };
    $p->{hits}++;
    push @{ $p->{sizes} }, $hit->{size};
    shift @{ $p->{sizes} } if @{ $p->{sizes} } > 60;
    return;
}

sub slide_window {
    my ($self, $hit) = @_;
    push @{ $self->{window} }, $hit;
    shift @{ $self->{window} } while @{ $self->{window} } > 3000;
    return;
}

sub feed {
    my ($self, $line) = @_;
    my $hit = $self->parse($line) or return;
    $self->{lines}++;
    $self->{errors}++ if $hit->{status} >= 400;
    $self->note_page($hit);
    $self->slide_window($hit);
    $self->{unique}++ if $self->note_visitor($hit);
    return;
}

package main;

my $gen     = Generator->new;
my $traffic = Traffic->new;
for my $chunk (1 .. 400) {
    for (1 .. 200) {
        my $line = $gen->next_line;
        $traffic->feed($line);
    }
    usleep(4000);
}
printf "lines=%d errors=%d unique=%d pages=%d\n", $traffic->{lines}, $traffic->{errors},
    $traffic->{unique}, scalar keys %{ $traffic->{pages} };
