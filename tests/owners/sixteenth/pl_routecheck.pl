#!/usr/bin/perl
# routecheck - applies redirect rules to requested paths; rules may contain ${host} and ${user}.
use strict;
use warnings;

my %compiled;
my %stats = map { $_ => 0 } qw(requests redirects denied);

sub read_rules {
    my @rules;
    for my $i (1 .. 12) {
        push @rules, { match => "^/u/\${user}/page$i(?:/(\\w+))?\$", to => "/pages/$i", kind => 'redirect' };
    }
    push @rules, { match => '^/admin(?:/|$)', to => undef, kind => 'deny' };
    push @rules, { match => '^/static/(\d+)/(.*)$', to => '/cdn/$1/$2', kind => 'redirect' };
    return \@rules;
}

sub expand {
    my ($text, $req) = @_;
    $text =~ s/\$\{(\w+)\}/quotemeta($req->{$1} \/\/ '')/ge;
    return $text;
}

sub matcher {
    my $pattern = shift;
    return $compiled{$pattern} ||= do { # guilty
        my $re = qr/$pattern/i;
        sub { my @m = $_[0] =~ $re or return; return [@m] };
    };
}

sub fill {
    my ($to, $groups) = @_;
    $to =~ s/\$(\d)/$groups->[$1 - 1] \/\/ ''/ge;
    return $to;
}

sub decide {
    my ($rules, $req) = @_;
    for my $rule (@$rules) {
        my $m = matcher(expand($rule->{match}, $req))->($req->{path}) or next;
        if ($rule->{kind} eq 'deny') {
            $stats{denied}++;
            return { code => 403 };
        }
        $stats{redirects}++;
        return { code => 301, location => fill($rule->{to}, $m) };
    }
    return { code => 200 };
}

sub parse_request {
    my $line = shift;
    my ($method, $path, $host, $user) = split / /, $line;
    my %cookies = map { ("c$_" => substr($path, 0, 8)) } 1 .. 5;
    return { method => $method, path => $path, host => $host, user => $user, cookies => \%cookies };
}

sub respond {
    my ($req, $d) = @_;
    my @head = ("HTTP/1.1 $d->{code}", "Host: $req->{host}");
    push @head, "Location: $d->{location}" if $d->{location};
    push @head, map { "Set-Cookie: $_=$req->{cookies}{$_}" } sort keys %{ $req->{cookies} };
    return join "\r\n", @head, '', '';
}

sub next_line {
    my $n = shift;
    my $k = ($n * 2654435761) % 4294967296;
    my $user = 'user' . int($n / 7);
    my $path = $k % 5 == 0 ? "/u/$user/page" . ($k % 12 + 1) . '/edit'
             : $k % 5 == 1 ? '/static/' . ($k % 90) . '/app.js'
             : $k % 5 == 2 ? '/admin/' . $k
             : "/catalog/$k";
    return "GET $path shop" . ($k % 4) . ".example $user";
}

my $rules = read_rules();
my $bytes = 0;
for my $n (1 .. 12_000) {
    my $req = parse_request(next_line($n));
    $bytes += length respond($req, decide($rules, $req));
    $stats{requests}++;
    select undef, undef, undef, 0.012 if $n % 60 == 0;
}
print join(' ', map { "$_=$stats{$_}" } sort keys %stats), " bytes=$bytes\n";
