#!/usr/bin/perl
# Checks the links of a web site: fetches each page once, follows what it links to, and reports links that are broken.
use strict;
use warnings;

package Site;

sub new {
    my ($class, $pages) = @_;
    return bless { pages => $pages, requests => 0 }, $class;
}

sub get {
    my ($self, $url) = @_;
    $self->{requests}++;
    my ($n) = $url =~ m{/page/(\d+)$} or return { code => 404, type => 'text/html', body => 'not found' };
    return { code => 404, type => 'text/html', body => 'gone' } if $n >= $self->{pages};
    my $body = "<html><head><title>Page $n</title></head><body>\n<h1>Page $n</h1>\n";
    $body .= "<p>Some words on subject $_ of page $n, which go on for a while, as they do.</p>\n" for 1 .. 20 + $n % 30;
    $body .= sprintf "<a href=\"/page/%d\">next</a>\n", $n * 3 + $_ for 1 .. 3;
    $body .= sprintf "<a href='/page/%d#top'>up</a>\n", $n / 3;
    return { code => 200, type => 'text/html', body => "$body</body></html>\n" };
}

package Queue;

sub new { return bless { urls => [], seen => {} }, shift }

sub add {
    my ($self, $url, $from) = @_;
    $url =~ s/#.*//;
    return if $self->{seen}{$url}++;
    push @{ $self->{urls} }, [ $url, $from ];
    return;
}

sub take { return shift @{ shift->{urls} } }

package Checker;

sub new {
    my ($class, $site) = @_;
    return bless { site => $site, queue => Queue->new, results => {}, broken => 0, words => {} }, $class;
}

sub fetch {
    my ($self, $url) = @_;
    return $self->{site}->get($url);
}

sub check {
    my ($self, $url, $from) = @_;
    my $response = $self->fetch($url);
    my ($title) = $response->{body} =~ m{<title>(.*?)</title>};
    $self->{results}{$url} = {
        code    => $response->{code},
        from    => $from,
        title   => $title,
        content => $response->{body},    # guilty
    };
    if ($response->{code} >= 400) {
        $self->{broken}++;
        return;
    }
    $self->index_words($response->{body}, $url);
    $self->{queue}->add($_, $url) for links_of($response->{body});
    return;
}

sub links_of {
    my $body = shift;
    my @links;
    while ($body =~ /<a\s+href=(["'])(.*?)\1/g) {
        push @links, $2;
    }
    return @links;
}

# For the search of the site: where a number was written of.
sub index_words {
    my ($self, $body, $url) = @_;
    while ($body =~ /subject (1?\d) of/g) {
        push @{ $self->{words}{$1} }, length $url if @{ $self->{words}{$1} // [] } < 20_000;
    }
    return;
}

sub run {
    my ($self, $start) = @_;
    $self->{queue}->add($start, 'start');
    while (my $next = $self->{queue}->take) {
        $self->check(@$next);
    }
    return;
}

sub report {
    my $self = shift;
    my @lines;
    for my $url (sort keys %{ $self->{results} }) {
        my $result = $self->{results}{$url};
        push @lines, "$result->{code} $url (linked from $result->{from})" if $result->{code} >= 400;
    }
    return @lines;
}

package main;

my $checker = Checker->new(Site->new(10_500));
$checker->run('/page/0');
my @report = $checker->report;
printf "%d requests, %d broken, first: %s\n", $checker->{site}{requests}, scalar @report, $report[0] // 'none';
