#!/bin/sh
# Made the certificates beside it, with OpenSSL 3.0, and makes them anew: all for one key, which belongs to nobody and opens
# nothing. authority.pem signs all but self-signed.pem; its own key is thrown away, so that nothing else is ever signed.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

new_key key.pem
new_key "$work/authority.key"
openssl req -x509 -new -key "$work/authority.key" -subj '/CN=Quoin tests' -days 36500 -out authority.pem
openssl req -x509 -new -key key.pem -subj '/CN=localhost' -addext 'subjectAltName=DNS:localhost' \
  -addext 'basicConstraints=critical,CA:FALSE' -days 36500 -out self-signed.pem

cat > "$work/ca.cnf" <<CNF
[ca]
default_ca = tests
[tests]
database = $work/index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
CNF
: > "$work/index"

# sign FILE HOST NOT_BEFORE NOT_AFTER
sign() {
  openssl req -new -key key.pem -subj "/CN=$2" -addext "subjectAltName=DNS:$2" -out "$work/request"
  openssl ca -batch -notext -config "$work/ca.cnf" -cert authority.pem -keyfile "$work/authority.key" \
    -startdate "$3" -enddate "$4" -in "$work/request" -out "$1" 2> "$work/log" || { cat "$work/log"; exit 1; }
}
sign valid.pem localhost 20200101000000Z 21200101000000Z
sign expired.pem localhost 20200101000000Z 20200201000000Z
sign other-host.pem elsewhere.test 20200101000000Z 21200101000000Z
