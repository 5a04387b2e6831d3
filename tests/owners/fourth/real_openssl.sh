# shellcheck shell=bash
# openssl: a certificate authority, whose list of 150,000 certificates is read to look for one.
{
    echo '[ca]'
    echo 'default_ca = here'
    echo '[here]'
    echo 'database = index.txt'
} >ca.cnf
seq -f '%06.0f' 100000 249999 |
    sed 's,.*,V\t351231235959Z\t\t&\tunknown\t/C=DE/O=Example/OU=Department of Machines/CN=host-&.example.org,' >index.txt
$RUN openssl ca -config ca.cnf -status 100000
