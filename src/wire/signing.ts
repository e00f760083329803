import { pairsOf } from './query.ts';

/**
 * The text that is signed for a request. Client and server build it here; each passes in its own hash
 * (HMAC-SHA256, keyed with the UTF-8 bytes of the secret).
 */
export type SignedParts = {
  readonly timestamp: string;
  readonly nonce: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** The query of a GET, the body of any other method: exactly as sent. */
  readonly sixth: string;
};

export const messageToSign = (parts: SignedParts): string =>
  `${parts.timestamp}\n${parts.nonce}\n${parts.method}\n${parts.host}\n${parts.path}\n${parts.sixth}`;

/** What a stream session signs to log in. */
export const loginMessage = (timestamp: string): string => `${timestamp}GET/auth/self/verify`;

/** A request as received; its sender may have built the signed text in one of several ways. */
export type SignedRequest = Omit<SignedParts, 'host' | 'sixth'> & {
  readonly query: string;
  readonly body: string;
};

export type Candidate = {
  readonly message: string;
  readonly host: string;
  /** False when the signature does not cover the query, which must then be ignored. */
  readonly coversQuery: boolean;
};

/**
 * Every text that the sender may have signed, the likeliest first. Lazy: an ordinary client is recognised by
 * the first, and only a wrong signature costs all of them (about two dozen hashes).
 */
export function* candidates(request: SignedRequest, hosts: Iterable<string>): Generator<Candidate> {
  const known = [...hosts];
  for (const { sixth, coversQuery } of sixths(request)) {
    for (const host of known) {
      yield { message: messageToSign({ ...request, host, sixth }), host, coversQuery };
    }
  }
}

/** Only the common case, without a generator: the host as called, query and body as sent. */
export const likeliestMessage = (request: SignedRequest, host: string): string =>
  `${request.timestamp}\n${request.nonce}\n${request.method}\n${host}\n${request.path}\n${request.query}${request.body}`;

/**
 * The names that a sender may have signed for this host: as received, in lower case, without the port, as
 * forwarded by a trusted proxy, and the constants of published clients.
 */
export function hostCandidates(
  hostHeader: string,
  aliases: readonly string[],
  forwardedHost?: string,
): readonly string[] {
  const lower = hostHeader.toLowerCase();
  const hosts = [hostHeader, lower, withoutPort(lower)];
  if (forwardedHost !== undefined) hosts.push(forwardedHost, forwardedHost.toLowerCase());
  return [...new Set([...hosts, ...aliases])].filter((host) => host !== '');
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

type Sixth = { readonly sixth: string; readonly coversQuery: boolean };

function* sixths({ method, query, body }: SignedRequest): Generator<Sixth> {
  yield { sixth: query + body, coversQuery: true };
  if (method !== 'GET') {
    if (query !== '' && body !== '') yield { sixth: body, coversQuery: false };
    return;
  }
  const seen = new Set([query + body]);
  const queries = query === '' ? [query] : [query, reencoded(query), decoded(query)];
  // The body of a GET is ignored, so a signature over its query alone covers everything.
  for (const ending of body === '' ? [''] : [body, '']) {
    for (const text of queries) {
      const sixth = text === undefined ? undefined : text + ending;
      if (sixth === undefined || seen.has(sixth)) continue;
      seen.add(sixth);
      yield { sixth, coversQuery: true };
    }
  }
}

/** As the Java client does it: the first value of each name, form-encoded, in the order of the URL. */
function reencoded(query: string): string | undefined {
  try {
    const firstByName = new Map<string, string>();
    for (const [name, value] of pairsOf(query)) {
      if (!firstByName.has(name)) firstByName.set(name, value);
    }
    return [...firstByName].map(([name, value]) => `${name}=${formEncoded(value)}`).join('&');
  } catch {
    return undefined;
  }
}

/** `java.net.URLEncoder`: a space becomes a plus, and only letters, digits and `.-*_` stay unchanged. */
const formEncoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Some hand-written clients sign first and encode afterwards. */
function decoded(query: string): string | undefined {
  try {
    return decodeURIComponent(query);
  } catch {
    return undefined;
  }
}
