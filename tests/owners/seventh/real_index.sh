# shellcheck shell=bash
# openssl: an authority whose index has each certificate it ever issued; one is asked for.
mkdir authority
cat >ca.cnf <<'CONF'
[ca]
default_ca = this
[this]
database = authority/index.txt
new_certs_dir = authority
serial = authority/serial
default_md = sha256
default_days = 30
policy = any
[any]
commonName = supplied
CONF
for ((i = 1; i <= 140000; i++)); do
    printf 'V\t401231235959Z\t\t%08X\tunknown\t/C=DE/O=Example/OU=Devices of the field/CN=device-%d.example.org\n' $((i + 16777216)) "$i"
done >authority/index.txt
echo 02000000 >authority/serial
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=Example -days 9 2>req.log
$RUN openssl ca -config ca.cnf -keyfile ca.key -cert ca.pem -status 01000F00 2>status.log
