import type { Endpoint } from '../../wire/endpoint.ts';
import { queryText } from '../../wire/query.ts';

/** One call in three languages, from a recorded request. */
export type Examples = {
  readonly curl: string;
  readonly typescript: string;
  readonly python: string;
};

export function examplesOf(
  { method, path, access }: Endpoint,
  request: object,
  sdkMethod: string | undefined,
): Examples {
  const isPublic = access === 'public';
  const query = queryText(request as Record<string, string | undefined>);
  const isEmpty = Object.keys(request).length === 0;
  const sent = method === 'GET' ? query : JSON.stringify(request);
  const curl =
    isPublic && method === 'GET'
      ? `curl -s "$BASE${path}${query === '' ? '' : `?${query}`}"`
      : `call ${method} ${path}${method === 'GET' && isEmpty ? '' : ` '${sent.replaceAll("'", "'\\''")}'`}`;
  const argument = isEmpty ? '' : literal(request, 'typescript');
  const python = isEmpty ? '' : `, ${literal(request, 'python')}`;
  return {
    curl,
    typescript:
      sdkMethod === undefined ? '' : `const answer = await client.${sdkMethod}(${argument});`,
    python: `answer = call("${method}", "${path}"${python})`,
  };
}

type Language = 'typescript' | 'python';
const LINE_MAX = 92;

/** A value in the language's syntax, over several lines if it is long. */
function literal(value: unknown, language: Language, indent = ''): string {
  if (typeof value === 'string') return quoted(value, language);
  if (typeof value === 'boolean' && language === 'python') return value ? 'True' : 'False';
  if (typeof value !== 'object' || value === null) return String(value);
  const flat = parts(value, language, '').join(', ');
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const space = open === '{' && language === 'typescript' ? ' ' : '';
  if (flat.length + indent.length <= LINE_MAX && !flat.includes('\n')) {
    return `${open}${space}${flat}${space}${close}`;
  }
  const deeper = `${indent}  `;
  const lines = parts(value, language, deeper).map((part) => `${deeper}${part},\n`);
  return `${open}\n${lines.join('')}${indent}${close}`;
}

function parts(value: object, language: Language, indent: string): string[] {
  if (Array.isArray(value)) return value.map((one) => literal(one, language, indent));
  return Object.entries(value).map(([name, of]) => {
    const named = language === 'python' || !/^\w+$/.test(name) ? `"${name}"` : name;
    return `${named}: ${literal(of, language, indent)}`;
  });
}

const quoted = (text: string, language: Language): string =>
  language === 'python' ? JSON.stringify(text) : `'${text.replaceAll("'", "\\'")}'`;

/** What the examples begin with: the venue's address, a key, and a function that signs. */
export const BEGINNINGS: Readonly<Record<keyof Examples, string>> = {
  curl: `BASE=http://localhost:3000 KEY=... SECRET=...
call() { # METHOD PATH [QUERY OR BODY]
  t=$(date -u +%Y-%m-%dT%H:%M:%SZ); n=$(date +%s%N); host=\${BASE#*//}
  s=$(printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s' "$t" "$n" "$1" "$host" "$2" "$3" | openssl dgst -sha256 -hmac "$SECRET" -binary | base64)
  set -- "$1" "$2" "$3" -H "AccessKey: $KEY" -H "Timestamp: $t" -H "Nonce: $n" -H "Signature: $s"
  if [ "$1" = GET ]; then url="$BASE$2\${3:+?$3}"; shift 3; curl -s "$url" "$@"
  else m=$1 url=$BASE$2 body=$3; shift 3; curl -s -X "$m" "$url" -H 'Content-Type: application/json' -d "$body" "$@"; fi
}`,
  typescript: `import { RialtoClient } from 'rialto/client';

// With the keys of a venue of \`npm start\`; or new RialtoClient({ baseUrl, accessKey, secret }).
const client = await RialtoClient.fromHandout('./data/handout.json');`,
  python: `import base64, hashlib, hmac, json, time, urllib.error, urllib.parse, urllib.request
from datetime import datetime, timezone

BASE, KEY, SECRET = "http://localhost:3000", "...", "..."

def call(method, path, sent=None):
    query = urllib.parse.urlencode(sent or {}, quote_via=urllib.parse.quote) if method == "GET" else ""
    body = None if method == "GET" else json.dumps(sent or {})
    now, nonce = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"), str(time.time_ns())
    message = "\\n".join([now, nonce, method, BASE.split("//")[1], path, body or query])
    mac = hmac.new(SECRET.encode(), message.encode(), hashlib.sha256).digest()
    headers = {"AccessKey": KEY, "Timestamp": now, "Nonce": nonce,
               "Signature": base64.b64encode(mac).decode(), "Content-Type": "application/json"}
    url = BASE + path + ("?" + query if query else "")
    request = urllib.request.Request(url, body and body.encode(), headers, method=method)
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refused:
        return json.load(refused)`,
};
