import { type Refusal, refuse } from '../../domain/rejections.ts';
import { EXTENSION_BYTES_MAX } from './chunked.ts';
import { HEAD_BYTES_MAX, HEADERS_MAX } from './head.ts';
import { HEAD_MS, type Malformed, REQUEST_MS } from './http-connection.ts';

/** The refusal of a malformed, too long or too slow request. */
export function refusalOfMalformed({ rule }: Malformed): Refusal {
  switch (rule) {
    case 'head size':
      return refuse(
        'HEADERS_TOO_LARGE',
        `at most ${HEAD_BYTES_MAX} bytes of request line and headers`,
      );
    case 'header count':
      return refuse('HEADERS_TOO_LARGE', `at most ${HEADERS_MAX} headers`);
    case 'chunk extensions':
      return refuse('BODY_TOO_LARGE', `extensions of chunks, at most ${EXTENSION_BYTES_MAX} bytes`);
    case 'too slow':
      return refuse(
        'REQUEST_TOO_SLOW',
        `headers within ${HEAD_MS / 1_000} s, all of it within ${REQUEST_MS / 1_000} s`,
      );
    case 'no room':
      return refuse('BUSY', 'too many requests are still arriving; nothing of this one was read');
    case 'proxy':
      return refuse('METHOD_UNKNOWN', 'CONNECT is for proxies');
    default:
      return refuse('REQUEST_UNEXPECTED', `not HTTP/1.1: ${WORDS[rule]}`);
  }
}

type PlainRule = Exclude<
  Malformed['rule'],
  'head size' | 'header count' | 'chunk extensions' | 'too slow' | 'no room' | 'proxy'
>;

const WORDS: Readonly<Record<PlainRule, string>> = {
  method: 'the request line begins with no method that is known',
  target: 'the target is no path of printable ASCII between two single spaces',
  version: 'the version is neither HTTP/1.0 nor HTTP/1.1',
  'line end': 'a line does not end with CR and LF',
  'folded line': 'a header is continued on a second line',
  'header name': 'the name of a header is no token followed by a colon',
  'header value': 'the value of a header has a control character',
  'content length': 'Content-Length is not 1 to 15 digits',
  'two lengths': 'two Content-Length headers',
  'transfer coding': 'the only Transfer-Encoding is chunked, of HTTP/1.1',
  'length and coding': 'Content-Length together with Transfer-Encoding',
  'chunk size': 'the size of a chunk is not 1 to 8 hexadecimal digits',
  'chunk end': 'a chunk does not end with CR and LF',
  'chunk extension': 'the extension of a chunk is no plain name',
  trailers: 'headers after the last chunk',
  'broken off': 'the connection was closed before the request was whole',
};
