import { STATUS_CODES } from 'node:http';
import type { Output } from './exchange.ts';
import type { Head } from './head.ts';
import { IDLE_MS } from './http-connection.ts';
import type { PageServed } from './page.ts';

/** What an HTTP response is built from. */
export type Responding = {
  readonly head: Head;
  readonly served: PageServed;
  readonly requestId: string;
  /** The connection closes after it. */
  readonly isLast: boolean;
  /** The value of the Date header, and headers that every answer has. */
  readonly date: string;
};

/** A head and a body, or a head and pieces. Names and values of headers are ours, and plain ASCII. */
export function outputOf({ head, served, requestId, isLast, date }: Responding): Output {
  const { status, body, headers } = served;
  const type = headers.includes('Content-Type') ? '' : JSON_HEADERS;
  const id = `X-Request-Id: ${requestId}\r\n${headers.length === 0 ? '' : linesOf(headers)}`;
  if (typeof body === 'string') {
    const bytes = Buffer.byteLength(body);
    const start = `${startOf(status)}${type}Content-Length: ${bytes}\r\n${id}`;
    const text = start + endOf(isLast, date) + (head.method === 'HEAD' ? '' : body);
    return { text, bytes: text.length - body.length + bytes, isLast };
  }
  if (Buffer.isBuffer(body)) {
    const text = `${startOf(status)}${type}Content-Length: ${body.length}\r\n${id}${endOf(isLast, date)}`;
    const shared = head.method === 'HEAD' ? {} : { shared: body };
    return { text, bytes: text.length, isLast, ...shared };
  }
  // HTTP/1.0 has no chunks: the end of the connection is the end of the answer.
  const isChunked = head.minorVersion === 1;
  const ends = isLast || !isChunked;
  const coding = isChunked ? 'Transfer-Encoding: chunked\r\n' : '';
  const text = `${startOf(status)}${type}${id}${coding}${endOf(ends, date)}`;
  if (head.method === 'HEAD') return { text, bytes: text.length, isLast: ends };
  const pieces = { isChunked, heldBytes: body.heldBytes, next: () => body.next() };
  return { text, bytes: text.length, pieces, isLast: ends };
}

const JSON_HEADERS = 'Content-Type: application/json\r\nCache-Control: no-store\r\n';

const startByStatus = new Map<number, string>();

function startOf(status: number): string {
  const known = startByStatus.get(status);
  if (known !== undefined) return known;
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  startByStatus.set(status, start);
  return start;
}

const KEPT = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${IDLE_MS / 1_000}\r\n\r\n`;

const endOf = (isLast: boolean, date: string): string =>
  isLast ? `Date: ${date}\r\nConnection: close\r\n\r\n` : `Date: ${date}${KEPT}`;

function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return lines;
}
