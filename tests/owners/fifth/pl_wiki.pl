#!/usr/bin/perl
# A wiki: pages are texts with [[links]] and *bold* words, which become HTML.
use strict;
use warnings;

package Store;

sub new {
    my ($class) = @_;
    return bless { pages => {}, versions => 0 }, $class;
}

sub save {
    my ($self, $title, $text) = @_;
    $self->{pages}{$title} = { text => $text, version => ++$self->{versions} };
    return;
}

sub page { return $_[0]{pages}{ $_[1] } }

sub titles { return sort keys %{ $_[0]{pages} } }

package Renderer;

sub new {
    my ($class, $store) = @_;
    my $self = bless { store => $store, cache => {}, hits => 0 }, $class;
    $self->{rules} = [
        [ qr/\*([^*]+)\*/   => sub { "<b>$_[0]</b>" } ],
        [ qr/\[\[(.*?)\]\]/ => sub { $self->anchor($_[0]) } ],
    ];
    return $self;
}

sub escape {
    my ($text) = @_;
    $text =~ s/&/&amp;/g;
    $text =~ s/</&lt;/g;
    return $text;
}

sub anchor {
    my ($self, $title) = @_;
    my $class = $self->{store}->page($title) ? 'known' : 'missing';
    return qq{<a class="$class" href="/wiki/$title">$title</a>};
}

sub html {
    my ($self, $text) = @_;
    my $out = '';
    for my $line (split /\n/, escape($text)) {
        for my $rule (@{ $self->{rules} }) {
            my ($pattern, $code) = @$rule;
            $line =~ s/$pattern/$code->($1)/ge;
        }
        $out .= "<p>$line</p>\n";
    }
    return $out;
}

# The key has the version, and those of old versions are never asked for again.
sub render {
    my ($self, $title) = @_;
    my $page = $self->{store}->page($title) or die "no page $title\n";
    my $key = "$title/$page->{version}";
    if (exists $self->{cache}{$key}) {
        $self->{hits}++;
    }
    else {
        $self->{cache}{$key} = $self->html($page->{text});    # guilty
    }
    return $self->{cache}{$key};
}

package main;

sub make_text {
    my ($number, $edit) = @_;
    my $text = "This is page $number, in its edit $edit.\n";
    for my $line (1 .. 20) {
        $text .= "Line $line has a *word* and links to [[Page " . ($number + $line) % 130 . "]] & more, as pages have that are written by people who like to explain what they know.\n";
    }
    return $text;
}

sub edit_page {
    my ($store, $number, $edit) = @_;
    $store->save("Page $number", make_text($number, $edit));
    return "Page $number";
}

my $store    = Store->new;
my $renderer = Renderer->new($store);
my $bytes    = 0;
edit_page($store, $_, 0) for 0 .. 119;
for my $edit (1 .. 11000) {
    my $title = 'Page ' . $edit * 7 % 120;
    edit_page($store, $edit * 7 % 120, $edit) if $edit % 2 == 0;
    $bytes += length $renderer->render($title);
    $bytes += eval { length $renderer->render("Page $edit") } || 0;
}
printf "%d pages, %d bytes, %d hits\n", scalar(() = $store->titles), $bytes, $renderer->{hits};
