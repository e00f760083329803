#!/bin/sh
# Withdraws 25 USDT to the saved address and watches it leave. Needs curl and openssl.
set -eu
handout=${1:-./data/handout.json}
looks=${2:-30}
# A member of the handout by its name, and which one of that name: the third key may withdraw.
member() { grep "\"$1\"" "$handout" | sed -n "$2s/.*: \"\(.*\)\".*/\1/p"; }
url=$(member baseUrl 1)
key=$(member accessKey 3)
secret=$(member secret 3)
host=${url#http://}
count=0

# Signs and sends: METHOD PATH, then the query of a GET, the body of anything else.
call() {
  time=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  count=$((count + 1))
  signature=$(printf '%s\n%s\n%s\n%s\n%s\n%s' "$time" "$$-$count" "$1" "$host" "$2" "$3" |
    openssl dgst -sha256 -hmac "$secret" -binary | base64)
  set -- "$@" -s -X "$1" -H "AccessKey: $key" -H "Timestamp: $time" -H "Nonce: $$-$count" -H "Signature: $signature"
  method=$1 path=$2 sent=$3
  shift 3
  if [ "$method" = GET ]; then curl "$@" "$url$path?$sent"; else
    curl "$@" -H 'Content-Type: application/json' -d "$sent" "$url$path"
  fi
}
# The first text member of that name in a response.
text() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }

place='asset=USDT&network=Ethereum'
address=$(call GET /v3/withdrawal-addresses "$place" | text address)
fee=$(call GET /v3/withdrawal-fee "$place&address=$address&quantity=25&externalFee=true" | text estimatedFee)
echo "To $address: 25 USDT and a fee of $fee."

made=$(call POST /v3/withdrawal "{\"asset\":\"USDT\",\"network\":\"Ethereum\",\"address\":\"$address\",\"quantity\":\"25\",\"externalFee\":true}")
id=$(echo "$made" | text id)
if [ -z "$id" ]; then
  echo "refused: $made"
  exit 1
fi
last=$(echo "$made" | text status)
echo "Withdrawal $id is $last."
while [ "$last" != COMPLETED ] && [ "$looks" -gt 0 ]; do
  sleep 1
  looks=$((looks - 1))
  status=$(call GET /v3/withdrawal "id=$id" | text status)
  if [ "$status" != "$last" ]; then echo "It is $status."; fi
  last=$status
done
