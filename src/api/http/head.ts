import { METHODS } from 'node:http';

/**
 * The head of an HTTP/1.x request, read strictly: what two programs might read differently is refused by a
 * named rule, because a proxy in front of us may be the other program.
 *
 * One pass over the bytes; names and values are cut out of one text at the end. It accepts nothing that
 * node's own parser refuses, and returns what that returns (see parsing.test.ts).
 */
export type Head = {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: 0 | 1;
  /** By name in lower case. If a name came twice: joined, or the first, as node:http does. */
  readonly headers: Fields;
  readonly hosts: number;
  /** Bytes of the body as declared, 0 without one, `CHUNKED` if the length is not known. */
  readonly bodyBytes: number;
  /** The sender wants to use the connection again. */
  readonly keepsAlive: boolean;
  /** The sender waits for 100 Continue. */
  readonly expectsContinue: boolean;
  readonly isUpgrade: boolean;
  /** Where the head ends in the bytes it was read from. */
  readonly end: number;
};

export type Fields = Readonly<Record<string, string | undefined>>;

export const CHUNKED = -1;
export const HEAD_BYTES_MAX = 16_384;
export const HEADERS_MAX = 128;

/** Why bytes are not the head of a request. */
export type HeadRule =
  | 'method'
  | 'target'
  | 'version'
  | 'line end'
  | 'folded line'
  | 'header name'
  | 'header value'
  | 'content length'
  | 'two lengths'
  | 'transfer coding'
  | 'length and coding'
  | 'head size'
  | 'header count'
  | 'proxy';
export type HeadFault = { readonly rule: HeadRule };

const [TAB, LF, CR, SPACE, SLASH, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x2f, 0x3a];
/** An absolute URL, as for a proxy, and `*`: both are valid, but match no route here. */
const OTHER_TARGET = /^(?:\*|https?:\/\/[A-Za-z0-9.-]+(?::\d+)?(?:\/.*)?)$/;
const TOKEN = 1;
const VALUE = 2;
const TARGET = 4;
const CLASSES = byteClasses();
const KNOWN_METHODS = new Set(METHODS);

const VERSION = Buffer.from('HTTP/1.');
/** "HTTP/1.1" and the end of the line. */
const VERSION_BYTES = VERSION.length + 3;

/** Offsets of names and values of the head that is being read: four numbers per header. */
const spans = new Int32Array(4 * HEADERS_MAX);

/** Undefined while the end has not arrived. `from` is where the request line begins. */
export function readHead(bytes: Buffer, from: number): Head | HeadFault | undefined {
  const isCut = bytes.length - from > HEAD_BYTES_MAX;
  const to = isCut ? from + HEAD_BYTES_MAX : bytes.length;
  const head = readWithin(bytes, from, to);
  return head === undefined && isCut ? { rule: 'head size' } : head;
}

function readWithin(bytes: Buffer, from: number, to: number): Head | HeadFault | undefined {
  const methodEnd = endOf(TOKEN, bytes, from, to);
  if (methodEnd === to) return undefined;
  if (bytes[methodEnd] !== SPACE || methodEnd === from) return { rule: 'method' };
  const targetEnd = endOf(TARGET, bytes, methodEnd + 1, to);
  if (targetEnd === to) return undefined;
  if (bytes[targetEnd] !== SPACE || targetEnd === methodEnd + 1) return { rule: 'target' };
  const linesAt = targetEnd + 1 + VERSION_BYTES;
  if (linesAt > to) return undefined;
  const minorVersion = readVersion(bytes, targetEnd + 1);
  if (typeof minorVersion === 'object') return minorVersion;
  const lines = readLines(bytes, linesAt, to);
  if (typeof lines !== 'number') return lines;
  const text = bytes.toString('latin1', from, lines);
  const method = text.slice(0, methodEnd - from);
  if (method === 'CONNECT') return { rule: 'proxy' };
  if (!KNOWN_METHODS.has(method)) return { rule: 'method' };
  const target = text.slice(methodEnd + 1 - from, targetEnd - from);
  if (target.charCodeAt(0) !== SLASH && !OTHER_TARGET.test(target)) return { rule: 'target' };
  return interpreted({ bytes, text, from }, { method, target, minorVersion, end: lines });
}

/** The first byte that is not in the class, or `to`. */
function endOf(oneOf: number, bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && ((CLASSES[bytes[at] as number] as number) & oneOf) !== 0) at++;
  return at;
}

function readVersion(bytes: Buffer, from: number): 0 | 1 | HeadFault {
  for (let at = 0; at < VERSION.length; at++) {
    if (bytes[from + at] !== VERSION[at]) return { rule: 'version' };
  }
  const minor = (bytes[from + VERSION.length] as number) - 0x30;
  if (minor !== 0 && minor !== 1) return { rule: 'version' };
  const isEnd = bytes[from + VERSION_BYTES - 2] === CR && bytes[from + VERSION_BYTES - 1] === LF;
  return isEnd ? minor : { rule: 'line end' };
}

let headerCount = 0;

/** Finds every line's name and value, up to the empty line; returns the end of the head. */
function readLines(bytes: Buffer, from: number, to: number): number | HeadFault | undefined {
  headerCount = 0;
  let at = from;
  for (;;) {
    if (at + 1 >= to) return undefined;
    if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : { rule: 'line end' };
    const nameEnd = endOf(TOKEN, bytes, at, to);
    if (nameEnd === to) return undefined;
    if (bytes[nameEnd] !== COLON || nameEnd === at) return nameFault(bytes, at, nameEnd);
    let valueFrom = nameEnd + 1;
    while (valueFrom < to && isBlank(bytes[valueFrom] as number)) valueFrom++;
    const lineEnd = endOf(VALUE, bytes, valueFrom, to);
    if (lineEnd + 1 >= to) return undefined;
    if (bytes[lineEnd] !== CR) return { rule: bytes[lineEnd] === LF ? 'line end' : 'header value' };
    if (bytes[lineEnd + 1] !== LF) return { rule: 'line end' };
    let valueEnd = lineEnd;
    while (valueEnd > valueFrom && isBlank(bytes[valueEnd - 1] as number)) valueEnd--;
    if (headerCount === HEADERS_MAX) return { rule: 'header count' };
    const slot = 4 * headerCount++;
    spans[slot] = at;
    spans[slot + 1] = nameEnd;
    spans[slot + 2] = valueFrom;
    spans[slot + 3] = valueEnd;
    at = lineEnd + 2;
  }
}

/** A line that begins with a blank would continue the previous one in old programs. */
function nameFault(bytes: Buffer, from: number, at: number): HeadFault {
  if (at === from && isBlank(bytes[at] as number)) return { rule: 'folded line' };
  return { rule: bytes[at] === LF ? 'line end' : 'header name' };
}

const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;

type Line = Pick<Head, 'method' | 'target' | 'minorVersion' | 'end'>;

/** The bytes of a head from `from` on, and the same as text. */
type Source = { readonly bytes: Buffer; readonly text: string; readonly from: number };

/** Interprets the headers that describe the message itself. */
function interpreted({ bytes, text, from: base }: Source, line: Line): Head | HeadFault {
  const { minorVersion } = line;
  const headers = new NoFields();
  let hosts = 0;
  let lengths = 0;
  let codings = 0;
  for (let slot = 0; slot < 4 * headerCount; slot += 4) {
    const [nameFrom, nameTo] = [spans[slot] as number, spans[slot + 1] as number];
    const name =
      knownName(bytes, nameFrom, nameTo) ??
      text.slice(nameFrom - base, nameTo - base).toLowerCase();
    const value = text.slice(
      (spans[slot + 2] as number) - base,
      (spans[slot + 3] as number) - base,
    );
    if (name === 'host') hosts++;
    else if (name === 'content-length') lengths++;
    else if (name === 'transfer-encoding') codings++;
    addField(headers, name, value);
  }
  if (lengths > 1) return { rule: 'two lengths' };
  if (lengths > 0 && codings > 0) return { rule: 'length and coding' };
  const bodyBytes = codings > 0 ? codedBytes(headers, minorVersion) : declaredBytes(headers);
  if (typeof bodyBytes === 'object') return bodyBytes;
  const connection = headers['connection']?.toLowerCase();
  const expect = headers['expect'];
  return {
    ...line,
    headers,
    hosts,
    bodyBytes,
    keepsAlive: keepsAlive(connection, minorVersion),
    expectsContinue: expect !== undefined && minorVersion === 1 && isContinue(expect),
    isUpgrade:
      minorVersion === 1 &&
      headers['upgrade'] !== undefined &&
      connection !== undefined &&
      hasToken(connection, 'upgrade'),
  };
}

/**
 * Names that clients send, by length: recognised in the bytes, which is cheaper than making a text and looking
 * it up. They consist of letters and hyphens. Setting the bit that only small letters have turns no other byte
 * of a name into one of these: only a carriage return would become a hyphen, and a name has none.
 */
const KNOWN_NAMES: readonly (readonly string[])[] = Array.from({ length: 20 }, (_, length) =>
  (
    'accept accept-encoding accept-language accesskey authorization cache-control connection content-length ' +
    'content-type cookie expect host if-none-match nonce origin referer sec-fetch-dest sec-fetch-mode ' +
    'sec-fetch-site signature timestamp transfer-encoding upgrade user-agent x-forwarded-for'
  )
    .split(' ')
    .filter((name) => name.length === length),
);

function knownName(bytes: Buffer, from: number, to: number): string | undefined {
  for (const name of KNOWN_NAMES[to - from] ?? []) {
    let at = 0;
    while (
      at < name.length &&
      ((bytes[from + at] as number) | LOWERCASE_BIT) === name.charCodeAt(at)
    ) {
      at++;
    }
    if (at === name.length) return name;
  }
  return undefined;
}
const LOWERCASE_BIT = 0x20;

/** Only one coding is known, and HTTP/1.0 knows none. */
function codedBytes(headers: Fields, minorVersion: 0 | 1): number | HeadFault {
  const isChunked = headers['transfer-encoding']?.toLowerCase() === 'chunked';
  return isChunked && minorVersion === 1 ? CHUNKED : { rule: 'transfer coding' };
}

/** Fifteen digits are an exact number, and more than anybody sends. */
const LENGTH = /^\d{1,15}$/;

function declaredBytes(headers: Fields): number | HeadFault {
  const text = headers['content-length'];
  if (text === undefined) return 0;
  return LENGTH.test(text) ? Number.parseInt(text, 10) : { rule: 'content length' };
}

function keepsAlive(connection: string | undefined, minorVersion: 0 | 1): boolean {
  if (connection === undefined) return minorVersion === 1;
  if (hasToken(connection, 'close')) return false;
  return minorVersion === 1 || hasToken(connection, 'keep-alive');
}

const hasToken = (list: string, token: string): boolean =>
  list === token || list.split(',').some((one) => one.trim() === token);

const isContinue = (expect: string): boolean => /(?:^|\W)100-continue(?:$|\W)/i.test(expect);

/** An object with nothing inherited that is still laid out like a record, unlike a bare dictionary. */
class NoFields {
  [name: string]: string | undefined;

  static {
    Object.setPrototypeOf(NoFields.prototype, null);
    Reflect.deleteProperty(NoFields.prototype, 'constructor');
  }
}

/** Of these, the first value counts when sent twice; others are joined as a list. */
const FIRST_COUNTS = new Set(
  (
    'age authorization content-length content-type etag expires from host if-modified-since ' +
    'if-unmodified-since last-modified location max-forwards proxy-authorization referer ' +
    'retry-after server user-agent'
  ).split(' '),
);

function addField(headers: Record<string, string | undefined>, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (!FIRST_COUNTS.has(name)) {
    headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
}

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256);
  for (let byte = 0x20; byte < 256; byte++) {
    if (byte !== 0x7f) classes[byte] = VALUE;
    if (byte > 0x20 && byte < 0x7f) classes[byte] = VALUE | TARGET;
  }
  classes[TAB] = VALUE;
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const tokens = `${letters}${letters.toUpperCase()}0123456789!#$%&'*+-.^_\`|~`;
  for (const byte of Buffer.from(tokens)) classes[byte] = (classes[byte] as number) | TOKEN;
  return classes;
}
