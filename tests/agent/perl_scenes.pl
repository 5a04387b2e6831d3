# Allocates at known stacks of Perl, and prints what caller says of each: one JSON list a line, of the size of the block and
# the frames as [function, file, line], innermost first. Usage: perl_scenes.pl FOLDER [SCENE...]
use strict;
use warnings;
use utf8;
use Carp ();
use List::Util ();

our (@kept, @told);
our $size = 200_000;
our $is_thread = 0;

# A block of `eval {}` is part of the function that it stands in; code of files and strings has no function.
sub frames_of {
    my ($file, $line) = @_;
    my @frames;
    for (my $i = 1; my @call = caller $i; $i++) {
        my ($name, $text, $is_file) = @call[3, 6, 7];
        if ($name eq '(eval)') {
            next unless $is_file || defined $text;
            $name = '<main>' if $is_file;
        }
        push @frames, [$name, $file, $line];
        ($file, $line) = @call[1, 2];
    }
    return @frames, $is_thread ? () : ['<main>', $file, $line];
}

sub both {
    $size += 64;
    my $text; vec($text, $size - 9, 8) = 1; push @told, [$size, frames_of(__FILE__, __LINE__)];
    push @kept, \$text;
    return 1;
}

sub recurse {
    my ($depth) = @_;
    $depth ? recurse($depth - 1) : both();
    return;
}

sub plain_calls {
    both();
    recurse($_) for 1, 7, 90, 700;
    (sub { both() })->();
    my $named = \&both;
    &$named;
    my $inner; $inner = sub { my ($n) = @_; $n ? $inner->($n - 1) : both() };
    $inner->(5);
    my $count = 0;
    while ($count++ < 2) {
        {
            both();
        }
    }
    if ($count > 100) {
        both();
    }
    elsif ($count) {
        both();
    }
    &both_again;
    goto_both(3);
    { no strict 'refs'; *{'main::alias'} = \&both; main->can('alias')->(); }
}

sub both_again { both(@_) }
sub goto_both { goto &both }

package Loud {
    sub shout { main::both() }
}

package Thing {
    our @ISA = 'Loud';
    our $AUTOLOAD;
    use overload '""' => sub { main::both(); 'thing' }, '+' => \&add, '<=>' => sub { main::both(); 0 }, 'bool' => sub { 1 };

    sub new { my ($class, %more) = @_; main::both(); return bless {%more}, $class }
    sub add { main::both(); return $_[0] }
    sub AUTOLOAD { return if $AUTOLOAD =~ /DESTROY/; main::both() }
    sub DESTROY { main::both() }
}

package Derived {
    our @ISA = 'Thing';
    sub new { my ($class) = @_; return Thing::new($class, of => 1) }
}

package Tied::Scalar::Own {
    sub TIESCALAR { main::both(); bless [], shift }
    sub FETCH { main::both(); 7 }
    sub STORE { main::both() }
}

package Tied::Hash::Own {
    sub TIEHASH { bless {}, shift }
    sub FETCH { main::both(); eval { die 'x' }; main::both(); 7 }
    sub STORE { main::both() }
    sub EXISTS { main::both(); 1 }
    sub FIRSTKEY { main::both(); 'a' }
    sub NEXTKEY { main::both(); undef }
}

package main;

sub objects {
    my $thing = Thing->new;
    my $derived = Derived->new;
    $thing->shout;
    Loud::shout();
    my $text = "$thing";
    my $sum = $thing + 1;
    my @sorted = sort { $a <=> $b } $thing, $derived;
    $thing->anything(1);
    undef $thing;
    { my $short = Derived->new; }
    both();
}

sub tied {
    tie my $scalar, 'Tied::Scalar::Own';
    my $value = $scalar;
    $scalar = 1;
    tie my %hash, 'Tied::Hash::Own';
    $value = $hash{a};
    $hash{b} = 1;
    my @keys = keys %hash;
    both() if exists $hash{c};
}

sub by_size { both(); $a <=> $b }
sub by_prototype($$) { my ($x, $y) = @_; both(); $x <=> $y }

sub native_code {
    my @sorted = sort { both(); $a <=> $b } 3, 1, 2;
    @sorted = sort by_size 3, 1;
    @sorted = sort by_prototype 3, 1;
    my $by = sub { eval { both() }; $b <=> $a };
    @sorted = sort $by 1, 2;
    my @mapped = map { both(); $_ } grep { both() } 1, 2;
    List::Util::first(sub { both(); 0 }, 1, 2);
    List::Util::reduce { both(); $a + $b } 1, 2, 3;
    List::Util::first { my @s = sort { both(); 0 } 1, 2; 0 } 1;
    (my $text = 'aa') =~ s/a/both()/ge;
    'ab' =~ /a(?{ both() })b/;
    my $pattern = qr/b(?{ recurse(2) })/;
    'ab' =~ /a$pattern/;
    local $SIG{USR1} = sub { both() };
    kill USR1 => $$;
    both();
    local $SIG{__WARN__} = sub { both() };
    warn 'x';
}

sub raising {
    my ($depth) = @_;
    eval {
        raising($depth - 1) if $depth;
        both();
        die { depth => $depth };
    };
    both();
    die $@ if $depth > 2;
}

sub holding { my $thing = Thing->new; die 'x' }

sub exceptions {
    eval { raising(5) };
    both();
    eval { holding(); 1 } or both();
    local $SIG{__DIE__} = sub { both() };
    eval { die 'y' };
    eval { eval { holding() }; both(); die 'z' };
    List::Util::first(sub { eval { both(); recurse(2); die 'x' }; both(); recurse(1); 0 }, 1);
    List::Util::first(sub { eval { List::Util::first(sub { eval { both() }; recurse(1) }, 1) } }, 1);
}

sub code {
    open my $out, '>', "$ARGV[0]/Own.pm" or die;
    print $out "package Own;\nmain::both();\nsub made {\n    return sub { main::both() };\n}\nBEGIN { main::both() }\nsub import { main::both() }\n1;\n";
    close $out;
    push @INC, $ARGV[0];
    require Own;
    Own::made()->();
    Own->import;
    do "$ARGV[0]/Own.pm";
    eval 'both();
        sub evaluated { both() }
        both()';
    evaluated();
    eval "use Own; both()";
    eval "#line 70 elsewhere.pl\nboth()";
    my @kept_code;
    for my $n (1 .. 100) { # code that dies, and other code in its place
        my $made = eval "\n" x ($n % 7) . 'sub { both() }';
        $made->();
        push @kept_code, $made if $n % 3 == 0;
    }
    eval { eval 'die "x"'; both(); eval 'both() +'; both() };
    undef &evaluated;
    { no warnings; eval 'sub evaluated { recurse(2) }'; }
    evaluated();
    both();
}

# Code that ends while it still has something to free.
sub ends {
    for (1 .. 3) {
        my $held = Thing->new;
        my $made = eval 'sub { my $more = $held; $more = Thing->new; both() }';
        $made->();
        undef $made;
        eval 'my $thing = Thing->new; 1';
    }
    both();
}

# Stacks of contexts and tables of names that grow while they are used.
sub grows {
    my ($depth) = @_;
    if ($depth) {
        no strict 'refs';
        ${"main::grown_$depth"} = 1;
        ${"Grown::Deep$depth\::variable"} = 1;
        return grows($depth - 1);
    }
    both();
}

sub growing { grows(400) }

sub größe { both() }

package Été::Ici {
    sub entrer { main::größe(); (sub { main::both() })->() }
    sub 日本 { main::both() }
}

package main;

sub words {
    größe();
    Été::Ici::entrer();
    Été::Ici::日本();
    my $long = "very_" x 45;
    no strict 'refs';
    eval "sub $long { both() }";
    &$long;
}

sub in_thread {
    my ($name) = @_;
    ($is_thread, $size, @told) = (1, 400_000 + 100_000 * $name);
    both();
    recurse(3);
    eval { both(); die 'x' };
    recurse(1);
    my @sorted = sort { both(); 0 } 1, 2;
    tell_all();
    sleep 100 while 1;
}

sub in_threads {
    require threads;
    pipe my $in, my $out;
    threads->create(\&in_thread, $_)->detach for 1, 2;
    both();
    select undef, undef, undef, 0.01 while !-e "$ARGV[0]/done2" || !-e "$ARGV[0]/done1";
}

sub quoted { my ($text) = @_; utf8::encode($text); $text =~ s/(["\\])/\\$1/g; return "\"$text\"" }

sub tell_all {
    my $all = '';
    for (@told) {
        my ($bytes, @frames) = @$_;
        $_->[1] =~ s/^\(eval \d+\)$/(eval)/ for @frames;
        $all .= "[$bytes, [" . join(', ', map { '[' . quoted($_->[0]) . ', ' . quoted($_->[1]) . ", $_->[2]]" } @frames) . "]]\n";
    }
    syswrite STDOUT, $all;
    if ($is_thread) { open my $done, '>', "$ARGV[0]/done" . int(($size - 400_000) / 100_000) }
}

my ($folder, @scenes) = @ARGV;
@scenes = qw(plain_calls objects tied native_code exceptions code ends growing words) unless @scenes;
for my $scene (@scenes) {
    no strict 'refs';
    &$scene;
}
tell_all();
kill KILL => $$;
