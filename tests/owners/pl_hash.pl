# A hash of long strings, which a signal ends before Perl would tidy up.
use strict;
use warnings;

my %sessions;

sub settings { return {map { $_ => $_ * 2 } 1 .. 1000} }

sub log_in {
    my ($number) = @_;
    $sessions{"session $number"} = {user => "u" x 900, number => $number};    # guilty
}

my $settings = settings();
log_in($_) for 1 .. 50000;
kill KILL => $$;
