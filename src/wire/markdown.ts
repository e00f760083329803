import type { TSchema } from 'typebox';
import { WORK_BOUNDS } from '../domain/bounds.ts';
import { REJECTIONS, type Rejection } from '../domain/rejections.ts';
import { ACCESS_NEEDS, BODY_BYTES, type Endpoint } from './endpoint.ts';
import { HTTP_STATUS } from './errors.ts';
import { describe, isRequired } from './openapi.ts';

/** The interface as a page of documentation, generated from the declarations: what is declared is documented. */
export function apiMarkdown(endpoints: readonly Endpoint[]): string {
  return [
    '# The interface',
    '',
    'Made from `src/wire` by `npm run docs`; a test holds the two equal. Every body is a JSON object',
    'with `success` and, on success, `data`. Amounts, prices, ids and times are JSON strings; times are',
    'milliseconds since 1970 UTC. Numbers in requests may be JSON numbers or strings.',
    '',
    '## Signing',
    '',
    'Private requests carry the headers `AccessKey`, `Timestamp` (ISO 8601, UTC), `Nonce` (any text) and',
    '`Signature`: base64 of the HMAC-SHA256, keyed with the secret, of six parts joined by line feeds:',
    'Timestamp, Nonce, method, host (with or without port), path, and the query as sent (GET) or the body',
    'as sent (POST, DELETE). A signed POST takes effect at most once: sent again, byte for byte, it gets',
    'the first answer with `Idempotent-Replayed: true`.',
    '',
    ...endpoints.flatMap(section),
    ...boundsSection(),
    ...MONEY_SECTION,
    '## Refusals',
    '',
    'A failure is `{"success": false, "code": "...", "message": "..."}`; the message is the rule, then what',
    'was sent, the limit and the nearest valid value. Elements of order requests carry `code` and',
    '`message` themselves.',
    '',
    '| code | HTTP | rule | name |',
    '|---|---|---|---|',
    ...(Object.keys(REJECTIONS) as Rejection[]).map(
      (name) =>
        `| ${REJECTIONS[name].code} | ${HTTP_STATUS[name]} | ${REJECTIONS[name].message} | ${name} |`,
    ),
    '',
  ].join('\n');
}

/** The limits on the work of one request. */
function boundsSection(): string[] {
  const count = (number: number): string => number.toLocaleString('en-US');
  const { planPerRequest, matchesPerRequest, slicesPerIceberg } = WORK_BOUNDS;
  return [
    '## Bounded work',
    '',
    `One request may plan ${count(planPerRequest)} fills and match ${count(matchesPerRequest)} times, its orders together, in order.`,
    'Plans are made for orders that cannot rest (MARKET, IOC, FOK). Every slice of an iceberg counts, and so does',
    `every order that ends because another met it; an iceberg has at most ${count(slicesPerIceberg)} slices. An order that would take and`,
    'finds none left is refused (000201). One that is cut on its way closes with its rest cancelled; a FOK that needs',
    'more ends CANCELED_BY_FOK. A preview says whether the order would be cut (`cut`).',
    '',
  ];
}

/** What developers may do around a venue started with `dev`. */
export function sandboxMarkdown(endpoints: readonly Endpoint[]): string {
  return [
    '# The sandbox',
    '',
    'Made from `src/wire/sandbox.ts` by `npm run docs`; a test holds the two equal. Served by `dev` only, on the',
    'address of the interface ([API.md](API.md)); `serve` answers 404. Requests carry the header',
    '`Authorization: Bearer TOKEN`; the token is `sandboxToken` in the handout and another after every start.',
    'Envelopes and refusals are those of the interface.',
    '',
    ...endpoints.flatMap(section),
  ].join('\n');
}

/** How deposits and withdrawals work, beyond single endpoints. */
const MONEY_SECTION = [
  '## Deposits and withdrawals',
  '',
  'Every account has an address of its own on each network (on XRPL one address and a tag of its own), the same for',
  'ever. A deposit is PENDING when its transaction is seen, COMPLETED with the confirmations of its network, and ON HOLD',
  'while an operator must look: below the minimum, deposits closed, the account inactive. Networks are named as in',
  '`GET /v3/assets`; ERC20 and SPL in a request mean Ethereum and Solana.',
  '',
  'A withdrawal reserves its quantity at once, with `externalFee: true` the fees too. It is ON HOLD while its address is',
  'younger than a day (demo families: at once), while it is above the automatic limit, or in review; PENDING until a',
  'sender takes it; PROCESSING, or IN SWEEPING while the hot wallet is refilled; then COMPLETED, FAILED or CANCELED, and',
  'what did not leave is available again. Until PROCESSING its owner may call it back (`DELETE /v3/withdrawal`). With',
  '`externalFee: false` the destination gets quantity - fee - burnFee. An estimate holds for a minute: if the fee rises,',
  'the lower one is charged. Addresses are checked with their checksums (EIP-55, Bech32, Base58Check).',
  '',
  'Second factors: GOOGLE and AUTHY_SECRET are codes of an authenticator (RFC 6238, six digits, one step of 30 s either',
  'way), YUBIKEY is a Yubico OTP. An enrolled factor is required for withdrawals, for saving addresses, for turning',
  'whitelist mode off and for other factors; send `tfaType` and `code`. A code works once. A wrong one is answered 10 s',
  'later (25030); until then withdrawals of the family are refused (25032), those of others are not. Five wrong codes within an',
  'hour lock them for a day (45038).',
  '',
];

/** The same for operators. */
export function operatorMarkdown(endpoints: readonly Endpoint[]): string {
  return [
    '# The operator interface',
    '',
    'Made from `src/wire/operator*.ts` by `npm run docs`; a test holds the two equal. It is served on the',
    'management listener only ([OPERATING.md](OPERATING.md)). Requests are signed as in [API.md](API.md), with',
    'the credential of an operator; envelopes and refusals are the same. A signed POST takes effect at most',
    'once. Every act is a command in the journal that names its operator.',
    '',
    ...endpoints.flatMap(section),
  ].join('\n');
}

function section(endpoint: Endpoint): string[] {
  const { method, path, aliases = [], summary, request, limits } = endpoint;
  const lines = [`## ${method} ${path}`, '', `${summary}. ${accessText(endpoint)}`, ''];
  if (aliases.length > 0) lines.push(`Also at ${aliases.join(', ')}.`, '');
  const rows = Object.entries(request.properties).map(
    ([name, of]) =>
      `| ${name} | ${isRequired(request, name) ? 'yes' : 'no'} | ${describe(of as TSchema).replaceAll('|', '\\|')} |`,
  );
  if (rows.length > 0) lines.push('| parameter | required | is |', '|---|---|---|', ...rows, '');
  for (const [name, of] of Object.entries(request.properties))
    lines.push(...elementTable(name, of));
  if (limits?.page !== undefined) {
    lines.push(`\`limit\`: ${limits.page.default} unless given, at most ${limits.page.max}.`, '');
  }
  if (limits?.subAccountsMax !== undefined) {
    lines.push(`\`subAcc\`: at most ${limits.subAccountsMax} names.`, '');
  }
  if (method !== 'GET') {
    lines.push(`The body: at most ${limits?.bodyBytes ?? BODY_BYTES} bytes.`, '');
  }
  const fields = fieldsOf(endpoint.reply);
  const beside = Object.keys(endpoint.beside ?? {}).map((name) => `\`${name}\``);
  const also = beside.length === 0 ? '' : `; beside \`data\` ${beside.join(', ')}`;
  if (fields !== undefined) lines.push(`Answers ${fields}${also}.`, '');
  return lines;
}

/** The members of a list's elements, if declared. */
function elementTable(name: string, of: unknown): string[] {
  const { items } = of as { readonly items?: { readonly properties?: Record<string, TSchema> } };
  if (items?.properties === undefined) return [];
  const rows = Object.entries(items.properties).map(
    ([field, schema]) => `| ${field} | ${describe(schema).replaceAll('|', '\\|')} |`,
  );
  return [`Each of \`${name}\`:`, '', '| member | is |', '|---|---|', ...rows, ''];
}

function accessText({ access, roles }: Endpoint): string {
  if (access === 'operator') {
    const named = [...new Set([...(roles ?? []), 'admin'])];
    return `For operators with one of the roles ${named.join(', ')}.`;
  }
  if (access === 'sandbox') return 'For who has the token of the sandbox.';
  const needs = ACCESS_NEEDS[access];
  if (needs === undefined) return 'Public.';
  const who = needs.parentOnly ? 'a key of the main account' : 'a key';
  return needs.permission === 'read' ? `For ${who}.` : `For ${who} that may ${needs.permission}.`;
}

/** The names of the response's members, one level deep. */
function fieldsOf(schema: TSchema): string | undefined {
  const shape = schema as {
    readonly items?: TSchema;
    readonly properties?: Record<string, TSchema>;
  };
  if (shape.items !== undefined) {
    const of = fieldsOf(shape.items);
    return of === undefined ? undefined : `a list, each with ${of}`;
  }
  if (shape.properties === undefined) return undefined;
  return Object.entries(shape.properties)
    .map(([name, of]) => {
      const inner = fieldsOf(of);
      return inner === undefined ? `\`${name}\`` : `\`${name}\` (${inner})`;
    })
    .join(', ');
}
