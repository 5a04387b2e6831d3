#!/usr/bin/perl
# Renders the pages of a handbook: each is parsed into a tree, of which the headings go into the contents.
use strict;
use warnings;

package Element;

sub new {
    my ($class, $name, %attributes) = @_;
    return bless { name => $name, attributes => {%attributes}, children => [] }, $class;
}

# A new element below this one, that knows what it is in.
sub add_child {
    my ($self, $name, $text) = @_;
    my $child = {    # guilty
        name     => $name,
        text     => $text,
        children => [],
        parent   => $self,
    };
    push @{$self->{children}}, bless($child, ref $self);
    return $child;
}

sub depth {
    my $self  = shift;
    my $depth = 0;
    while (my $parent = $self->{parent}) {
        $self = $parent;
        $depth++;
    }
    return $depth;
}

sub html {
    my $self = shift;
    my $inner = join '', defined $self->{text} ? $self->{text} : '', map { $_->html } @{$self->{children}};
    return "<$self->{name}>$inner</$self->{name}>";
}

package Parser;

sub new {
    my ($class, %handlers) = @_;
    return bless {handlers => \%handlers}, $class;
}

sub parse {
    my ($self, $source) = @_;
    my $root = Element->new('article', lines => scalar(() = $source =~ /\n/g));
    my $at   = $root;
    for my $line (split /\n/, $source) {
        if    ($line =~ /^(=+) (.*)/) { $at = $self->heading($root, length $1, $2) }
        elsif ($line =~ /^\* (.*)/)   { $self->item($at, $1) }
        elsif ($line ne '')           { $self->paragraph($at, $line) }
    }
    return $root;
}

sub heading {
    my ($self, $root, $level, $text) = @_;
    my $section = $root->add_child('section');
    my $heading = $section->add_child("h$level", $text);
    $self->{handlers}{heading}->($heading) if $self->{handlers}{heading};
    return $section;
}

sub item {
    my ($self, $section, $text) = @_;
    my $last = $section->{children}[-1];
    my $list = $last && $last->{name} eq 'ul' ? $last : $section->add_child('ul');
    return $list->add_child('li', $text);
}

sub paragraph {
    my ($self, $section, $text) = @_;
    return $section->add_child('p', $text);
}

package Handbook;

sub new {
    my $class = shift;
    return bless {contents => [], index => {}, bytes => 0}, $class;
}

sub note_heading {
    my ($self, $page, $heading) = @_;
    push @{$self->{contents}}, [$page, $heading->depth, $heading->{text}];
}

sub index_words {
    my ($self, $page, $source) = @_;
    for my $word ($source =~ /\b([a-z]{4,}\d*)\b/g) {
        $self->{index}{$word}{$page} = 1;
    }
}

sub render {
    my ($self, $page, $source) = @_;
    my $parser = Parser->new(heading => sub { $self->note_heading($page, @_) });
    my $tree   = $parser->parse($source);
    my $html   = $tree->html;
    $self->index_words($page, $source);
    $self->{bytes} += length $html;
    return $html;
}

package main;

sub page_source {
    my $page = shift;
    my @lines = ("= Chapter $page", "How machine no. $page is to be kept, and by whom.", '');
    for my $section (1 .. 6) {
        push @lines, "== Part $section of machine $page", "Look at valve$section before you open it.", '';
        push @lines, map { "* step $_: turn screw $_ of part $section by " . ($_ * $page % 90) . ' degrees' } 1 .. 5;
    }
    return join "\n", @lines, '';
}

my $handbook = Handbook->new;
for my $page (1 .. 1500) {
    $handbook->render($page, page_source($page));
}
printf "%d headings, %d words, %d bytes\n", scalar @{$handbook->{contents}}, scalar keys %{$handbook->{index}}, $handbook->{bytes};
