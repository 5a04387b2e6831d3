# shellcheck shell=bash
# xmllint: the tree of a large document.
{
    echo '<list>'
    seq 150000 | sed 's,.*,<item id="&"><name>The name of &</name></item>,'
    echo '</list>'
} >list.xml
$RUN xmllint --noout list.xml
