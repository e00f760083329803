/**
 * A request to paste into a terminal: it takes the time, signs and sends, with tools that every terminal has.
 */
export function signedCurl(
  origin: string,
  key: { readonly accessKey: string; readonly secret: string },
  path: string,
): string {
  const { host } = new URL(origin);
  return [
    `t=$(date -u +%Y-%m-%dT%H:%M:%SZ); \\`,
    `s=$(printf '%s\\n%s\\nGET\\n${host}\\n${path}\\n' "$t" "$$" | \\`,
    `  openssl dgst -sha256 -hmac '${key.secret}' -binary | base64); \\`,
    `curl -s '${origin}${path}' -H 'AccessKey: ${key.accessKey}' \\`,
    `  -H "Timestamp: $t" -H "Nonce: $$" -H "Signature: $s"`,
  ].join('\n');
}
