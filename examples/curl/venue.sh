# Signs and sends with a key of the handout. Needs curl and openssl. The programs here set `handout` and `key_number`, then read this in.
# A member of the handout by its name, and which one of that name.
member() { grep "\"$1\"" "$handout" | sed -n "$2s/.*: \"\(.*\)\".*/\1/p"; }
url=$(member baseUrl 1)
# Of the first account: the first key reads, the second trades too, the third withdraws too.
key=$(member accessKey "$key_number")
secret=$(member secret "$key_number")
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
