#!/bin/sh
# otplib 13.5.0 and otpauth 9.5.2, an issuer with a colon.
#
# A label of an otpauth: link is "issuer:account". One would guess that the library that writes such a link escapes a
# colon in the issuer, or refuses it, as it has the issuer as a value of its own.
#
# otplib writes it as it is, and otpauth, which reads such links, cuts the label at the first colon: the account is then
# called " Riverside:maya@example.org". Without a colon the account is right.
#
# So the service leaves colons out of the name that it gives to authenticator apps.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund otplib@13.5.0 otpauth@9.5.2
cat > probe.mjs << 'PROBE'
import { generateURI } from "otplib";
import { URI } from "otpauth";

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const readBack = (issuer) => URI.parse(generateURI({ issuer, label: "maya@example.org", secret })).label;
const accounts = ["Heed: Riverside", "Heed Riverside"].map(readBack);
console.log(JSON.stringify(accounts));
process.exit(accounts.join("|") === " Riverside:maya@example.org|maya@example.org" ? 0 : 1);
PROBE
node probe.mjs
