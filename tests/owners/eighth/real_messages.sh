# shellcheck shell=bash
# msgattrib: those of the texts of a big program that are translated.
{
    printf 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    seq 80000 | sed 's/.*/msgid "Field &"\nmsgstr "Feld &"\n/'
} >de.po
$RUN msgattrib --translated -o translated.po de.po
