#!/usr/bin/perl
# Judges mails by rules, each of which is a closure; what a rule found is told in a report.
use strict;
use warnings;

package Mail;

sub new {
    my ($class, %part) = @_;
    return bless {%part, header => {}}, $class;
}

sub header {
    my ($self, $name, $value) = @_;
    $self->{header}{lc $name} = $value if defined $value;
    return $self->{header}{lc $name} // '';
}

sub lines { return split /\n/, $_[0]{body} }

package Verdict;

our %by_rule;

sub new { my ($class) = @_; return bless {points => 0}, $class }

# The text is kept with each hit, to be looked at by people who mend the rules.
sub ignore {
    my ($self, $rule, $mail, $points) = @_;
    $self->{points} += $points;
    push @{$by_rule{$rule}}, {points => $points, subject => $mail->header('Subject'), excerpt => substr($mail->{body}, 0, 700)}; # guilty
    return $self;
}

sub is_spam { return $_[0]{points} >= 5 }

package Engine;

sub new { my ($class) = @_; return bless {rules => [], totals => {}}, $class }

sub rule {
    my ($self, $name, $points, $test) = @_;
    push @{$self->{rules}}, sub {
        my ($mail, $verdict) = @_;
        return unless $test->($mail);
        $self->{totals}{$name}++;
        $verdict->ignore($name, $mail, $points);
    };
    return $self;
}

sub judge {
    my ($self, $mail) = @_;
    my $verdict = Verdict->new;
    $_->($mail, $verdict) for @{$self->{rules}};
    return $verdict;
}

package main;

sub make_mail {
    my ($i) = @_;
    my $mail = Mail->new(id => $i, body => '');
    $mail->header(Subject => $i % 3 ? "Re: the meeting of day $i" : "WIN $i MILLIONS NOW");
    $mail->header(From => "person$i\@example.org");
    for my $k (1 .. 25) {
        $mail->{body} .= "This is line $k of the mail with number $i, in which nothing is said that is new.\n";
    }
    $mail->{body} .= "Click here: http://example.net/$i\n" if $i % 4 == 0;
    return $mail;
}

my $engine = Engine->new;
$engine->rule(shouting => 3, sub { my ($m) = @_; my $n = () = $m->header('Subject') =~ /[A-Z]{3,}/g; return $n > 1 })
  ->rule(link => 2, sub { return $_[0]{body} =~ m{http://\S+} })
  ->rule(long => 1, sub { my @l = $_[0]->lines; return @l > 25 })
  ->rule(numbers => 1, sub { my %seen; $seen{$_}++ for $_[0]{body} =~ /(\d+)/g; return keys %seen > 200 });

my $spam = 0;
for my $i (1 .. 36000) {
    my $verdict = $engine->judge(make_mail($i));
    $spam++ if $verdict->is_spam;
}
printf "%d are spam; %s\n", $spam, join ', ', map { "$_: $engine->{totals}{$_}" } sort keys %{$engine->{totals}};
