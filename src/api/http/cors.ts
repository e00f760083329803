import type { Head } from './head.ts';
import type { PageServed } from './page.ts';

/**
 * Which pages of other sites may call the venue from a browser. An origin that is not allowed gets no CORS
 * headers, so its browser refuses; programs send no Origin and are not affected. No cookies are used, so
 * credentials are not allowed.
 */
export type Cors = {
  /** The response to a preflight of an allowed origin; undefined for any other request. */
  preflight(head: Head): PageServed | undefined;
  /** The response with the CORS headers of its origin, or unchanged. */
  allow(origin: string, served: PageServed): PageServed;
};

/**
 * In the list it stands for pages of this machine, on any port: whoever serves them could call the venue
 * anyway.
 */
export const LOOPBACK_ORIGINS = 'loopback';

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;
const PREFLIGHT_SECONDS = 600;
const PREFLIGHT = [
  ...['Access-Control-Allow-Methods', 'GET, POST, DELETE'],
  ...['Access-Control-Allow-Headers', 'AccessKey, Timestamp, Signature, Nonce, Content-Type'],
  ...['Access-Control-Max-Age', String(PREFLIGHT_SECONDS)],
  ...['Content-Type', 'text/plain'],
];
const EXPOSED = [
  'Access-Control-Expose-Headers',
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replayed',
];

/** Undefined if no origin is allowed: then no request is checked. */
export function corsFor(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined;
  const allowed = new Set(origins);
  const allowsLoopback = allowed.delete(LOOPBACK_ORIGINS);
  const isAllowed = (origin: string): boolean =>
    allowed.has(origin) || (allowsLoopback && LOOPBACK.test(origin));
  return {
    preflight: ({ method, headers }) => {
      const origin = headers['origin'];
      if (method !== 'OPTIONS' || origin === undefined) return undefined;
      if (headers['access-control-request-method'] === undefined) return undefined;
      return isAllowed(origin) ? { status: 200, body: '', headers: PREFLIGHT } : undefined;
    },
    allow: (origin, served) => {
      if (!isAllowed(origin)) return served;
      const own = ['Access-Control-Allow-Origin', origin, 'Vary', 'Origin', ...EXPOSED];
      return { ...served, headers: [...served.headers, ...own] };
    },
  };
}

/** What is wrong with a configured origin; undefined if it is spelled as browsers send it. */
export function originFault(text: string): string | undefined {
  if (text === LOOPBACK_ORIGINS) return undefined;
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin === text && /^https?:/.test(origin)) return undefined;
  const nearest = /^https?:/.test(origin) ? `; nearest ${JSON.stringify(origin)}` : '';
  return `is an origin such as "https://app.example", or "${LOOPBACK_ORIGINS}", not ${JSON.stringify(text.slice(0, 60))}${nearest}`;
}
