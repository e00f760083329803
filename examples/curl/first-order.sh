#!/bin/sh
# Places a limit order below the market, looks at it, and cancels it. Needs curl and openssl.
set -eu
handout=${1:-./data/handout.json}
# A member of the handout by its name, and which one of that name: the second key may trade.
member() { grep "\"$1\"" "$handout" | sed -n "$2s/.*: \"\(.*\)\".*/\1/p"; }
url=$(member baseUrl 1)
key=$(member accessKey 2)
secret=$(member secret 2)
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

mark=$(call GET /v3/markets marketCode=BTC-USDT | text markPrice)
price=$(echo "$mark" | awk '{ printf "%d", $1 * 0.95 }')
echo "BTC-USDT is at $mark; buying 0.01 at $price."

order="{\"marketCode\":\"BTC-USDT\",\"side\":\"BUY\",\"orderType\":\"LIMIT\",\"quantity\":\"0.01\",\"price\":\"$price\"}"
placed=$(call POST /v3/orders/place "{\"responseType\":\"FULL\",\"orders\":[$order]}")
id=$(echo "$placed" | text orderId)
if [ -z "$id" ]; then
  echo "refused: $placed"
  exit 1
fi
status=$(call GET /v3/orders/status "orderId=$id" | text status)
echo "Order $id is $status."

canceled=$(call DELETE /v3/orders/cancel "{\"orders\":[{\"marketCode\":\"BTC-USDT\",\"orderId\":\"$id\"}]}")
echo "Canceled: $(echo "$canceled" | text notice)."
