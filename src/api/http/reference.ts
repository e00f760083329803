import { REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import { ACCESS_NEEDS, BODY_BYTES, type Endpoint } from '../../wire/endpoint.ts';
import { HTTP_STATUS } from '../../wire/errors.ts';
import { REFERENCE_STYLE } from './reference-style.ts';
import { type MemberRow, memberRows } from './schema-rows.ts';
import { DEFAULT_RULES } from './throttle.ts';

/** The interface as pages of the venue itself, made from the declarations: offline, without scripts. */
export function referencePage(endpoints: readonly Endpoint[]): string {
  const bySubject = Map.groupBy(endpoints, subjectOf);
  const nav = [...bySubject].map(
    ([subject, all]) =>
      `<li>${escaped(subject)}<ul>${all.map((one) => `<li><a href="#${idOf(one)}"><b>${one.method}</b> ${one.path.slice(3)}</a></li>`).join('')}</ul></li>`,
  );
  return pageOf(
    'Interface',
    `<nav aria-label="Endpoints"><p>${LINKS}</p><ul><li><a href="#signing">Signing</a></li><li><a href="#limits">Rate limits</a></li>${nav.join('')}</ul></nav>
<main>
<h1>The interface</h1>
<p>Every body is a JSON object with <code>success</code> and, on success, <code>data</code>. Amounts, prices, ids and times are JSON strings; times are milliseconds since 1970 UTC. Numbers in requests may be JSON numbers or strings.</p>
${SIGNING}
${limitsSection()}
${[...bySubject].map(([subject, all]) => `<h2>${escaped(subject)}</h2>\n${all.map(endpointSection).join('\n')}`).join('\n')}
</main>`,
  );
}

/** Every way a request can be refused. */
export function errorsPage(): string {
  const rows = (Object.keys(REJECTIONS) as Rejection[]).map((name) => {
    const { code, message } = REJECTIONS[name];
    return `<tr id="${name}"><td><code>${code}</code></td><td>${HTTP_STATUS[name]}</td><td>${escaped(message)}</td><td><code>${name}</code></td></tr>`;
  });
  return pageOf(
    'Refusals',
    `<nav aria-label="Pages"><p>${LINKS}</p></nav>
<main>
<h1>Refusals</h1>
<p>A failure is <code>{"success": false, "code": "...", "message": "..."}</code>. The message is the rule, then what was sent, the limit and the nearest valid value. Elements of order requests carry <code>code</code> and <code>message</code> themselves. After 503 "outcome unknown" send the same bytes again: a signed request takes effect once.</p>
<table><caption>By rule</caption><thead><tr><th scope="col">Code</th><th scope="col">HTTP</th><th scope="col">Rule</th><th scope="col">Name</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
</main>`,
  );
}

/** For programs that read documentation: all of it, in few words. */
export function llmsText(endpoints: readonly Endpoint[]): string {
  return `# Rialto

> A trading venue: spot and perpetuals, signed REST under /v3, a websocket at /v2/websocket. Amounts, prices, ids and times are JSON strings; times are milliseconds since 1970 UTC.

Signing: headers AccessKey, Timestamp (ISO 8601 UTC), Nonce (any text), Signature = base64(HMAC-SHA256(secret, Timestamp \\n Nonce \\n METHOD \\n host \\n path \\n query-or-body)). A signed POST takes effect at most once.

## Reference
- [/openapi.json](/openapi.json): every endpoint with its schemas
- [/docs](/docs): the same for people
- [/docs/errors](/docs/errors): every code

## Endpoints
${endpoints.map(({ method, path, summary }) => `- ${method} ${path}: ${summary}`).join('\n')}
`;
}

const subjectOf = ({ path }: Endpoint): string => {
  const word = path.split('/')[2] ?? '';
  return SUBJECTS.find(({ words }) => words.includes(word))?.name ?? 'Market data';
};

const SUBJECTS: readonly { readonly name: string; readonly words: readonly string[] }[] = [
  { name: 'Account', words: ['account', 'balances', 'positions', 'liquidations', 'margin'] },
  { name: 'Orders and trades', words: ['orders', 'trades'] },
  {
    name: 'Money',
    words: [
      ...['wallet', 'transfer', 'deposit', 'deposit-addresses', 'withdrawal', 'withdrawal-fee'],
      ...['withdrawal-addresses', 'withdrawal-whitelist'],
    ],
  },
  {
    name: 'Access',
    words: [
      ...['session', 'sessions', 'api-keys', 'sub-accounts', 'second-factors'],
      ...['invitation', 'registration', 'password'],
    ],
  },
];

const idOf = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll('/', '-')}`;

function endpointSection(endpoint: Endpoint): string {
  const { method, path, aliases = [], summary, request, reply } = endpoint;
  const also = aliases.length === 0 ? '' : ` Also at ${aliases.map(code).join(', ')}.`;
  return `<section id="${idOf(endpoint)}" aria-labelledby="${idOf(endpoint)}-h">
<h3 id="${idOf(endpoint)}-h"><b>${method}</b> <code>${path}</code></h3>
<p>${escaped(summary)}. ${accessWords(endpoint)}${also}</p>
${boundsWords(endpoint)}
${tableOf('Request', 'Required', memberRows(request))}
<pre><code>${escaped(callText(endpoint))}</code></pre>
${tableOf('Answer: data', 'Always', memberRows(reply))}
</section>`;
}

function accessWords({ access }: Endpoint): string {
  if (access === 'operator' || access === 'sandbox') return '';
  const needs = ACCESS_NEEDS[access];
  if (needs === undefined) return 'Public: no signature.';
  const whose = needs.parentOnly ? 'a key of the main account' : 'a key';
  return `Needs ${whose} that may ${needs.permission}.`;
}

function boundsWords({ method, limits }: Endpoint): string {
  const words = [
    ...(limits?.page === undefined
      ? []
      : [`<code>limit</code>: ${limits.page.default} unless given, at most ${limits.page.max}.`]),
    ...(limits?.subAccountsMax === undefined
      ? []
      : [`At most ${limits.subAccountsMax} sub-accounts.`]),
    ...(method === 'GET' ? [] : [`The body: at most ${limits?.bodyBytes ?? BODY_BYTES} bytes.`]),
    ...(limits?.budget === undefined ? [] : [`Counts as <a href="#limits">${limits.budget}</a>.`]),
  ];
  return words.length === 0 ? '' : `<p>${words.join(' ')}</p>`;
}

function tableOf(caption: string, need: string, rows: readonly MemberRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ({ name, type, isOptional, words }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(type)}</td><td>${isOptional ? 'no' : 'yes'}</td><td>${escaped(words)}</td></tr>`,
  );
  return `<table><caption>${caption}</caption><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">${need}</th><th scope="col">Is</th></tr></thead><tbody>${lines.join('')}</tbody></table>`;
}

/** A line for the shell function below "Signing"; public ones need none. */
function callText({ method, path, access, request }: Endpoint): string {
  const needed = (request.required ?? []).map((name) => [name, `${name.toUpperCase()}`]);
  const query = needed.map(([name, value]) => `${name}=${value}`).join('&');
  if (access === 'public' && method === 'GET') {
    return `curl -s "$BASE${path}${query === '' ? '' : `?${query}`}"`;
  }
  const sent = method === 'GET' ? query : JSON.stringify(Object.fromEntries(needed));
  return `call ${method} ${path}${sent === '' ? '' : ` '${sent}'`}`;
}

const SIGNING = `<section id="signing" aria-labelledby="signing-h"><h2 id="signing-h">Signing</h2>
<p>Private requests carry <code>AccessKey</code>, <code>Timestamp</code> (ISO 8601, UTC), <code>Nonce</code> (any text) and <code>Signature</code>: base64 of the HMAC-SHA256, keyed with the secret, of six lines: Timestamp, Nonce, method, host, path, and the query as sent (GET) or the body as sent (POST, DELETE). A signed POST takes effect at most once: sent again, byte for byte, it gets the first answer with <code>Idempotent-Replayed: true</code>.</p>
<p>The examples use this function of the shell; keys are in the handout of <code>rialto dev</code>:</p>
<pre><code>BASE=http://localhost:3000 KEY=... SECRET=...
call() { # METHOD PATH [QUERY OR BODY]
  t=$(date -u +%Y-%m-%dT%H:%M:%SZ); n=$(date +%s%N); host=\${BASE#*//}
  s=$(printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s' "$t" "$n" "$1" "$host" "$2" "$3" | openssl dgst -sha256 -hmac "$SECRET" -binary | base64)
  set -- "$1" "$2" "$3" -H "AccessKey: $KEY" -H "Timestamp: $t" -H "Nonce: $n" -H "Signature: $s"
  if [ "$1" = GET ]; then url="$BASE$2\${3:+?$3}"; shift 3; curl -s "$url" "$@"
  else m=$1 url=$BASE$2 body=$3; shift 3; curl -s -X "$m" "$url" -H 'Content-Type: application/json' -d "$body" "$@"; fi
}</code></pre></section>`;

function limitsSection(): string {
  const rows = DEFAULT_RULES.map(
    ({ of, per, count, perMs }) =>
      `<tr><td>${of}</td><td>${per}</td><td>${count.toLocaleString('en-US')}</td><td>${perMs / 1_000} s</td></tr>`,
  );
  return `<section id="limits" aria-labelledby="limits-h"><h2 id="limits-h">Rate limits</h2>
<p>Where they are on (<code>dev</code> switches them off). Answers say what is left: <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code>, <code>RateLimit-Reset</code>; a refusal (429) has <code>Retry-After</code>.</p>
<table><caption>Default limits</caption><thead><tr><th scope="col">Requests</th><th scope="col">Per</th><th scope="col">Count</th><th scope="col">In</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

const LINKS =
  '<a href="/">Trading page</a> · <a href="/docs">Interface</a> · <a href="/docs/errors">Refusals</a> · ' +
  '<a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a> · <a href="/health">Health</a>';

const pageOf = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rialto</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`;

const code = (text: string): string => `<code>${escaped(text)}</code>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
