import { createHmac } from 'node:crypto';
import type { Endpoint } from '../../src/wire/endpoint.ts';
import { messageToSign } from '../../src/wire/signing.ts';
import type { Random } from '../simulation/random.ts';
import {
  extreme,
  goodOrder,
  goodValue,
  hostile,
  jsonOf,
  type Known,
  nearMiss,
  textOf,
} from './values.ts';

/** A request generated from an endpoint's declaration, as bytes, and its origin. */
export type Fuzzed = {
  /** The target; undefined if the interface does not have it. */
  readonly endpoint: Endpoint | undefined;
  readonly bytes: Buffer;
  readonly what: string;
};
export type FuzzKey = { readonly accessKey: string; readonly secret: string };
export type Fuzzing = {
  readonly random: Random;
  readonly known: Known;
  readonly endpoints: readonly Endpoint[];
  readonly keys: readonly FuzzKey[];
  readonly host: string;
};

/** How far from valid a request is. */
type Mood = 'good' | 'near' | 'wild';

export function fuzzedRequest(fuzzing: Fuzzing): Fuzzed {
  const { random, endpoints } = fuzzing;
  const endpoint = random.pick(endpoints);
  const mood = random.weighted<Mood>({ good: 4, near: 4, wild: 2 });
  const members = membersOf(fuzzing, endpoint, mood);
  const isQuery = endpoint.method === 'GET' || random.chance(0.05);
  const query = isQuery ? queryOf(random, members, mood) : '';
  const body = isQuery ? strayBody(random) : bodyOf(random, members, mood);
  const path = pathOf(random, endpoint, mood);
  const method = mood === 'wild' && random.chance(0.05) ? random.pick(METHODS) : endpoint.method;
  const headers = headersOf(fuzzing, { method, path, query, body, mood });
  const head = `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1\r\n`;
  return {
    endpoint: endpoints.find(
      (one) => one.method === method && [one.path, ...(one.aliases ?? [])].includes(path as '/v3/'),
    ),
    bytes: framed(random, head, headers, Buffer.from(body, 'utf8')),
    what: `${head.trim()} ${body}`.slice(0, 600),
  };
}

/** Not HEAD: its response has the length of a body that is not sent. */
const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE'];

function membersOf({ random, known }: Fuzzing, endpoint: Endpoint, mood: Mood) {
  const members: Record<string, unknown> = {};
  const required = new Set<string>(endpoint.request.required ?? []);
  // A preview is itself an order.
  if (endpoint.path === '/v3/orders/preview') Object.assign(members, goodOrder(random, known));
  for (const [name, schema] of Object.entries(endpoint.request.properties)) {
    if (name in members || (!required.has(name) && random.chance(0.6))) continue;
    members[name] = isList(schema)
      ? listOf({ random, known } as Fuzzing, endpoint, schema, mood)
      : (ofEnum(random, schema) ?? goodValue(random, name, known));
  }
  return spoilt(random, members, mood);
}

type Schema = {
  readonly items?: { readonly properties?: object; readonly enum?: readonly string[] };
  readonly maxItems?: number;
};
/** One of its values, if a member is an enumeration. */
const ofEnum = (random: Random, schema: object): string | undefined =>
  'enum' in schema ? random.pick(schema.enum as readonly string[]) : undefined;
const isList = (schema: object): schema is Schema => 'items' in schema;

function listOf({ random, known }: Fuzzing, endpoint: Endpoint, schema: Schema, mood: Mood) {
  const most = schema.maxItems ?? 8;
  const count =
    mood === 'wild' ? random.between(0, most + 2) : random.between(1, Math.min(most, 3));
  const names = Object.keys(schema.items?.properties ?? {});
  const words = schema.items?.enum;
  if (words !== undefined) return Array.from({ length: count }, () => random.pick(words));
  return Array.from({ length: count }, () => {
    const element =
      endpoint.path === '/v3/orders/place'
        ? goodOrder(random, known)
        : Object.fromEntries(names.map((name) => [name, goodValue(random, name, known)]));
    return spoilt(random, element, mood);
  });
}

/** `near` changes one member slightly; `wild` changes several in any way, and adds unknown ones. */
function spoilt(random: Random, members: Record<string, unknown>, mood: Mood) {
  const names = Object.keys(members);
  if (mood === 'good' || names.length === 0) return members;
  const times = mood === 'near' ? 1 : random.between(1, 4);
  for (let time = 0; time < times; time++) {
    const name = random.pick(names);
    const kind = random.weighted({ near: 3, extreme: 3, hostile: 3, absent: 1, unknown: 1 });
    if (kind === 'near') members[name] = nearMiss(random, members[name]);
    else if (kind === 'extreme') members[name] = extreme(random);
    else if (kind === 'hostile') members[name] = hostile(random);
    else if (kind === 'absent') delete members[name];
    else members[random.pick(['source', 'Price', '__proto__', 'toString', ''])] = hostile(random);
  }
  return members;
}

function queryOf(random: Random, members: Record<string, unknown>, mood: Mood): string {
  const pairs = Object.entries(members).map(([name, value]) => {
    const text = textOf(value).slice(0, 3_000);
    return `${encoded(name)}=${encoded(text)}`;
  });
  if (mood === 'wild') {
    if (random.chance(0.1)) return encoded(jsonOf(members)).slice(0, 6_000);
    if (random.chance(0.1))
      pairs.push(random.pick(['a=%E0%A4%A', '&&=&', '%00=%00', '=', 'limit=1&limit=2']));
  }
  return pairs.join('&').slice(0, 8_000);
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const strayBody = (random: Random): string =>
  random.chance(0.05) ? random.pick(['{}', 'x', '[1]']) : '';

function bodyOf(random: Random, members: Record<string, unknown>, mood: Mood): string {
  const text = jsonOf(members);
  if (mood !== 'wild' || random.chance(0.6)) return text;
  return random.pick([
    () => text.slice(0, random.below(text.length + 1)),
    () => `${text}${text}`,
    () => `\uFEFF${text}`,
    () => `[${text}]`,
    () => '',
    () => 'null',
    () => `{"a":${'['.repeat(random.between(1, 8_000))}`,
    () => `{"orders":[${'{},'.repeat(random.between(1, 4_000))}{}]}`,
    () => `${' '.repeat(random.between(1, 70_000))}${text}`,
    () => text.replaceAll('"', "'"),
    () => `{"x":"${'y'.repeat(random.between(1, 20_000))}"}`,
  ])();
}

function pathOf(random: Random, { path, aliases = [] }: Endpoint, mood: Mood): string {
  if (mood !== 'wild' || random.chance(0.9)) return random.pick([path, ...aliases]);
  return random.pick([
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    '/',
    '/v3',
    `${path}%00`,
    '*',
    'x',
  ]);
}

type Signing = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly mood: Mood;
};

function headersOf({ random, keys, host }: Fuzzing, signing: Signing): string[] {
  const { method, path, query, body, mood } = signing;
  const { accessKey, secret } = random.pick(keys);
  const fault =
    mood === 'good' || random.chance(0.8)
      ? 'none'
      : random.weighted({ key: 1, secret: 1, time: 1, header: 2, nonce: 1, host: 1, twice: 1 });
  const at = fault === 'time' ? Date.now() - random.pick([-1e12, 61_000, 1e9]) : Date.now();
  const isExtreme = fault === 'time' && random.chance(0.3);
  const timestamp = isExtreme ? textOf(extreme(random)) : new Date(at).toISOString();
  const nonce =
    fault === 'nonce' ? random.pick(['', 'n'.repeat(200), '\u00ff']) : String(random.below(1e9));
  const called =
    fault === 'host' ? random.pick(['evil.example', 'api.ox.fun', '', '[::1]', 'a:b:c']) : host;
  const parts = { timestamp, nonce, method, host: called, path, sixth: query + body };
  const signature = createHmac('sha256', fault === 'secret' ? 'wrong' : secret)
    .update(messageToSign(parts))
    .digest('base64');
  const lines = [
    `Host: ${called}`,
    `AccessKey: ${fault === 'key' ? random.pick(['nobody', '__proto__', 'x'.repeat(3_000)]) : accessKey}`,
    `Timestamp: ${timestamp}`,
    `Nonce: ${nonce}`,
    `Signature: ${signature}`,
  ];
  if (fault === 'header') lines.splice(random.between(1, lines.length - 1), 1);
  if (fault === 'twice') lines.push(random.pick(lines.slice(1)));
  if (random.chance(0.3)) lines.push('Content-Type: application/json');
  return lines;
}

/** With a length, or chunked. */
function framed(random: Random, head: string, headers: readonly string[], body: Buffer): Buffer {
  const isChunked = body.length > 0 && random.chance(0.1);
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const lines = [...headers, ...(body.length > 0 || random.chance(0.1) ? [length] : [])];
  const start = Buffer.from(`${head}${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (!isChunked) return Buffer.concat([start, body]);
  const cut = random.below(body.length);
  const chunks = [body.subarray(0, cut), body.subarray(cut)].filter(({ length: size }) => size > 0);
  const framedChunks = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([start, ...framedChunks, Buffer.from('0\r\n\r\n')]);
}

/** Bytes that are no longer a request, or perhaps still are. */
export function malformed(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const swapped = (from: string | RegExp, to: string): Buffer =>
    Buffer.from(text.replace(from, to), 'latin1');
  return random.pick([
    () => flipped(random, bytes),
    () => flipped(random, bytes),
    () => bytes.subarray(0, random.between(1, bytes.length)),
    () => Buffer.concat([bytes.subarray(0, random.below(bytes.length)), bytes]),
    () => swapped('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTQ/1.1', ''])),
    () => swapped(/\r\n/g, '\n'),
    () => swapped('Host:', random.pick(['Host :', 'Ho st:', ' Host:', 'X-Host:'])),
    () => swapped('\r\n\r\n', '\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nContent-Length: -1\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nTransfer-Encoding: xchunked\r\n\r\n'),
    () => swapped('\r\n\r\n', `\r\nX: ${'y'.repeat(random.between(10_000, 40_000))}\r\n\r\n`),
    () => swapped('\r\n\r\n', `\r\n${'X: y\r\n'.repeat(random.between(1, 3_000))}\r\n`),
    () => swapped('\r\n\r\n', '\r\n folded\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nExpect: the-unexpected\r\n\r\n'),
    () => swapped('\r\n\r\n', '\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
    () => swapped(/^\S+/, random.pick(['CONNECT', 'get', 'G\u0000T', 'A'.repeat(300), '{"a":1}'])),
    () => Buffer.from(Array.from({ length: random.between(1, 300) }, () => random.below(256))),
  ])();
}

function flipped(random: Random, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let times = random.between(1, 4); times > 0; times--) {
    changed[random.below(changed.length)] = random.below(256);
  }
  return changed;
}
