# As pace.h, for programs in Perl.
use strict;
use warnings;
use Time::HiRes qw(time sleep);

my $begin = time() + $ENV{PACE_HEALTHY_S};
my $calls = 0;
my @answers;

sub answer_requests {
    push @answers, map { "a" x (500 + $_ * 200) } 1 .. 20;
    splice @answers, 0, @answers - 2000 if @answers > 2000;
    return;
}

sub served {
    while ((my $now = time()) < $begin + $ENV{PACE_LEAKING_S}) {
        if ($now > $begin && $calls < ($now - $begin) * $ENV{PACE_RATE}) {
            if ($calls == 0) {
                open my $file, ">", "onset" or die "onset: $!";
                print {$file} "$now\n";
                close $file;
            }
            return ++$calls;
        }
        answer_requests();
        sleep 0.01;
    }
    return 0;
}
1;
