import { STATUS_CODES } from 'node:http';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { failureText, HTTP_STATUS } from '../../wire/errors.ts';

/** What the parser of HTTP itself refuses; undefined where there is nobody to answer. */
export function parserRefusal(error: NodeJS.ErrnoException): Refusal | undefined {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return refuse('HEADERS_TOO_LARGE', 'at most 16384 bytes of request line and headers');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse('BODY_TOO_LARGE', 'extensions of chunks, at most 16384 bytes');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('REQUEST_TOO_SLOW', 'headers within 10 s, all of it within 30 s');
    default:
      if (error.code?.startsWith('HPE_') !== true) return undefined;
      return refuse('REQUEST_UNEXPECTED', `not HTTP/1.1: ${reasonOf(error)}`);
  }
}

const reasonOf = (error: Error): string =>
  (error as { readonly reason?: string }).reason ?? error.message;

/** An answer written past the server, for a request it never saw. The connection ends with it. */
export function rawAnswer(refusal: Refusal, requestId: string): string {
  const status = HTTP_STATUS[refusal.rejected];
  const body = failureText(refusal);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
    `Cache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`
  );
}
