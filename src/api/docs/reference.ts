import { REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import { meaningOf } from '../../wire/docs/meanings.ts';
import type { Recording } from '../../wire/docs/recording.ts';
import { refusalsOf } from '../../wire/docs/refusals-of.ts';
import { ACCESS_NEEDS, BODY_BYTES, type Endpoint } from '../../wire/endpoint.ts';
import { DEFAULT_RULES, type LimitRule } from '../http/throttle.ts';
import { BEGINNINGS, type Examples, examplesOf } from './examples.ts';
import type { DocsPage } from './frame.ts';
import { block, code, escaped, folded, inWords, jsonText, table } from './html.ts';
import { type MemberRow, memberRows } from './schema-rows.ts';

/** The REST interface: every endpoint with its members, limits, refusals, examples and a recorded answer. */
export function referencePage(endpoints: readonly Endpoint[], recording: Recording): DocsPage {
  const bySubject = Map.groupBy(endpoints, subjectOf);
  const contents = [...bySubject].map(
    ([subject, all]) =>
      `<h2>${escaped(subject)}</h2><ul>${all.map((one) => `<li><a href="#${idOf(one)}"><b class="${one.method}">${one.method}</b> ${one.path.slice(3)}</a></li>`).join('')}</ul>`,
  );
  return {
    path: '/docs',
    title: 'REST interface',
    contents: `<h2>On this page</h2><ul><li><a href="#start">Start</a></li><li><a href="#limits">Rate limits</a></li></ul>${contents.join('')}`,
    main: `<h1>REST interface</h1>
<p class="lead">Every body is a JSON object with <code>success</code> and, on success, <code>data</code>. Amounts, prices, ids and times are JSON strings; times are milliseconds since 1970 UTC. Numbers in requests may be JSON numbers or strings and are read exactly.</p>
${START}
${limitsSection()}
${[...bySubject].map(([subject, all]) => `<h2 class="subject">${escaped(subject)}</h2>\n${all.map((one) => endpointSection(one, recording)).join('\n')}`).join('\n')}`,
  };
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

function endpointSection(endpoint: Endpoint, recording: Recording): string {
  const { method, path, aliases = [], summary, request, reply, access } = endpoint;
  const name = `${method} ${path}`;
  const recorded = recording.calls.find((call) => call.endpoint === name);
  const also = aliases.length === 0 ? '' : ` Also at ${aliases.map(code).join(', ')}.`;
  const needed = Object.fromEntries(
    (request.required ?? []).map((one) => [one, one.toUpperCase()]),
  );
  const sent = recorded?.request ?? needed;
  const examples = examplesOf(endpoint, sent, recording.sdk[name]);
  const answer =
    recorded === undefined
      ? ''
      : `<h4>Answer <small>recorded, HTTP ${recorded.status}; long lists are cut</small></h4>${block(jsonText(recorded.answer), 'json')}`;
  return `<section id="${idOf(endpoint)}" aria-labelledby="${idOf(endpoint)}-h" data-endpoint="${name}" data-access="${access}" data-request="${escaped(JSON.stringify(sent))}">
<h3 id="${idOf(endpoint)}-h"><a href="#${idOf(endpoint)}"><b class="${method}">${method}</b> <code>${path}</code></a></h3>
<p>${inWords(summary)}.${also}</p>
<p class="facts">${facts(endpoint).join(' ')}</p>
${membersTable('Request', 'Required', memberRows(request), name)}
<h4>Example</h4>
${exampleBlocks(examples)}
${answer}
${folded('Members of data', membersTable('Answer: data', 'Always', memberRows(reply), name))}
${folded('Refusals', refusalsList(endpoint))}
</section>`;
}

const LANGUAGES: readonly (readonly [keyof Examples, string])[] = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
];

/** One open, the others folded: the script remembers which. */
const exampleBlocks = (examples: Examples): string =>
  `<div class="languages">${LANGUAGES.filter(([name]) => examples[name] !== '')
    .map(([name, title]) =>
      folded(
        title,
        block(examples[name], name),
        `data-language="${name}"${name === 'curl' ? ' open' : ''}`,
      ),
    )
    .join('')}</div>`;

function facts({ access, method, limits }: Endpoint): string[] {
  const page = limits?.page;
  return [
    `<span class="fact">${accessWords(access)}</span>`,
    `<span class="fact"><a href="#limits">${limitWords(access === 'public', limits?.budget)}</a></span>`,
    ...(page === undefined
      ? []
      : [`<span class="fact">limit ${page.default} unless given, at most ${page.max}</span>`]),
    ...(limits?.subAccountsMax === undefined
      ? []
      : [`<span class="fact">at most ${limits.subAccountsMax} sub-accounts</span>`]),
    ...(method === 'GET'
      ? []
      : [`<span class="fact">body up to ${(limits?.bodyBytes ?? BODY_BYTES) / 1_024} KiB</span>`]),
  ];
}

function accessWords(access: Endpoint['access']): string {
  if (access === 'operator' || access === 'sandbox') return access;
  const needs = ACCESS_NEEDS[access];
  if (needs === undefined) return 'public';
  return `key ${needs.parentOnly ? 'of the main account ' : ''}that may ${needs.permission}`;
}

const every = ({ count, perMs }: LimitRule): string =>
  `${count.toLocaleString('en-US')} in ${perMs / 1_000} s`;

/** The rate limits of such a call, in numbers. */
function limitWords(isPublic: boolean, budget: string | undefined): string {
  const rules = DEFAULT_RULES.filter(
    ({ of, per }) => (of === 'all' || of === budget) && (per === 'address' || !isPublic),
  );
  const own = rules.filter(({ of }) => of !== 'all');
  const shown =
    own.length > 0 ? own : rules.filter(({ per }) => per === (isPublic ? 'address' : 'key'));
  return `${shown.map(every).join(', ')} per ${shown[0]?.per ?? 'key'}`;
}

function membersTable(
  caption: string,
  need: string,
  rows: readonly MemberRow[],
  endpoint: string,
): string {
  return table({
    caption,
    heads: ['Member', 'Type', need, 'Meaning'],
    rows: rows.map(({ name, type, isOptional, words }) => {
      const meaning = meaningOf(endpoint, leafOf(name)) ?? '';
      const isKnown = words === meaning || PLAIN_FORMS.includes(words);
      const form = words === '' || isKnown ? '' : ` <i>${inWords(words)}</i>`;
      return [code(name), escaped(type), isOptional ? '' : 'yes', inWords(meaning) + form];
    }),
  });
}

/** "orders[].price" is a price. */
const leafOf = (name: string): string => name.replace(/^.*\./, '').replaceAll('[]', '');
/** Patterns that the type column already describes. */
const PLAIN_FORMS = [
  'a word',
  'required',
  'a plain decimal number as text',
  'an id of digits, as text',
];

function refusalsList(endpoint: Endpoint): string {
  const { own, common } = refusalsOf(endpoint);
  const list = (all: readonly Rejection[]): string =>
    all
      .map(
        (name) =>
          `<a href="/docs/errors#${name}" title="${escaped(REJECTIONS[name].message)}">${REJECTIONS[name].code}</a> ${escaped(REJECTIONS[name].message)}`,
      )
      .join('<br>');
  const ownPart = own.length === 0 ? '' : `<p>${list(own)}</p>`;
  return `${ownPart}<p class="soft">Any such request: ${common.map((name) => `<a href="/docs/errors#${name}" title="${escaped(REJECTIONS[name].message)}">${REJECTIONS[name].code}</a>`).join(' ')}</p>`;
}

const START = `<section id="start" aria-labelledby="start-h"><h2 id="start-h">Start</h2>
<p>Private requests carry <code>AccessKey</code>, <code>Timestamp</code> (ISO 8601, UTC), <code>Nonce</code> (any text) and <code>Signature</code>: base64 of the HMAC-SHA256, keyed with the secret, of six lines: Timestamp, Nonce, method, host, path, and the query as sent (GET) or the body as sent (POST, DELETE). A signed POST takes effect at most once: sent again, byte for byte, it gets the first answer with <code>Idempotent-Replayed: true</code>. The <a href="/docs/signing">playground</a> shows every step.</p>
<p>The examples below begin with this; keys are in the handout that <code>npm start</code> writes (<code>data/handout.json</code>):</p>
${exampleBlocks(BEGINNINGS)}</section>`;

function limitsSection(): string {
  return `<section id="limits" aria-labelledby="limits-h"><h2 id="limits-h">Rate limits</h2>
<p>Where they are on (<code>dev</code> switches them off); an operator may change them. Answers say what is left: <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code>, <code>RateLimit-Reset</code>; a refusal (429) has <code>Retry-After</code>.</p>
${table({
  caption: 'Default limits',
  heads: ['Requests', 'Per', 'Count', 'In'],
  rows: DEFAULT_RULES.map(({ of, per, count, perMs }) => [
    of,
    per,
    count.toLocaleString('en-US'),
    `${perMs / 1_000} s`,
  ]),
})}</section>`;
}
