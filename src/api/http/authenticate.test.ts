import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Rejection } from '../../domain/rejections.ts';
import type { Access } from '../../wire/endpoint.ts';
import { DEFAULT_API_CONFIG } from '../config.ts';
import { directory, NOW_MS, SECRET, type Sent, signedHeaders } from '../venue.fixture.ts';
import {
  type Authenticator,
  type AuthenticatorOptions,
  type Caller,
  createAuthenticator,
} from './authenticate.ts';
import type { SignedHead } from './signature.ts';

const OPTIONS: AuthenticatorOptions = {
  directory,
  nowMs: () => NOW_MS,
  unseal: (sealed) => sealed,
  toleranceMs: 60_000,
  hostAliases: DEFAULT_API_CONFIG.hostAliases,
  trustProxy: false,
};

type Tried = Sent & {
  readonly access?: Access;
  readonly address?: string;
  readonly localAddress?: string;
  readonly headers?: Record<string, string | undefined>;
};

type Whole = SignedHead & { readonly body: string; readonly access: Access };

/** Both steps at once, as for a request whose body is there. */
function proved(authenticator: Authenticator, { body, access, ...head }: Whole) {
  const claimed = authenticator.identify(head);
  return 'rejected' in claimed ? claimed : authenticator.prove(claimed, body, { access });
}

function tryWith(tried: Tried, options: Partial<AuthenticatorOptions> = {}) {
  return proved(createAuthenticator({ ...OPTIONS, ...options }), {
    method: tried.method ?? 'GET',
    path: tried.path ?? '/v3/balances',
    query: tried.query ?? '',
    body: tried.body ?? '',
    access: tried.access ?? 'read',
    address: tried.address ?? '127.0.0.1',
    localAddress: tried.localAddress ?? '127.0.0.1',
    headers: { ...signedHeaders(tried), ...tried.headers },
  });
}

const reason = (tried: Tried, options?: Partial<AuthenticatorOptions>): Rejection | 'ok' => {
  const answer = tryWith(tried, options);
  return 'rejected' in answer ? answer.rejected : 'ok';
};

test('a refused request gets the first reason in the order in which it is read', () => {
  // Each row mends one fault of the row above it, so the next reason comes to light.
  const bad = {
    secret: 'wrong',
    access: 'parent-trade',
    timestamp: '2020-01-01T00:00:00',
  } as const;
  const rows: [Tried, string][] = [
    [{ ...bad, accessKey: 'nobody', headers: { accesskey: undefined } }, 'AccessKey'],
    [{ ...bad, accessKey: 'nobody', headers: { timestamp: undefined } }, 'Timestamp'],
    [{ ...bad, accessKey: 'nobody', headers: { nonce: '' } }, 'Nonce'],
    [{ ...bad, accessKey: 'nobody', headers: { signature: undefined } }, 'Signature'],
    [{ ...bad, accessKey: 'nobody' }, 'API key is invalid'],
    [{ ...bad, accessKey: 'main-read' }, 'Timestamp exceeds'],
    [{ accessKey: 'main-read', secret: 'wrong', access: 'parent-trade' }, 'Signature is invalid'],
    [{ accessKey: 'main-read', access: 'parent-trade' }, 'the key may not trade'],
    [{ accessKey: 'desk-trade', access: 'parent-trade' }, 'only a key of the main account'],
  ];
  for (const [tried, words] of rows) {
    expect((tryWith(tried) as { message: string }).message, words).toContain(words);
  }
  expect(reason({ accessKey: 'main-full', access: 'parent-trade' })).toBe('ok');
});

test('a revoked key answers exactly like one that never was', () => {
  expect(tryWith({ accessKey: 'revoked' })).toEqual(tryWith({ accessKey: 'nobody' }));
});

test('only who holds the secret learns that a key has expired or is bound to an address', () => {
  expect(reason({ accessKey: 'expired', secret: 'wrong' })).toBe('SIGNATURE_INVALID');
  expect(reason({ accessKey: 'expired' })).toBe('KEY_UNKNOWN');
  expect(reason({ accessKey: 'bound', secret: 'wrong' })).toBe('SIGNATURE_INVALID');
  expect(reason({ accessKey: 'bound' })).toBe('ADDRESS_NOT_ALLOWED');
  expect(reason({ accessKey: 'bound', address: '10.0.0.1' })).toBe('ok');
});

test('what each access needs', () => {
  const rows: [Access, readonly string[]][] = [
    ['read', ['main-full', 'main-read', 'desk-trade']],
    ['parent-read', ['main-full', 'main-read']],
    ['trade', ['main-full', 'desk-trade']],
    ['parent-trade', ['main-full']],
    ['withdraw', ['main-full']],
  ];
  for (const [access, allowed] of rows) {
    for (const accessKey of ['main-full', 'main-read', 'desk-trade']) {
      const expected = allowed.includes(accessKey) ? 'ok' : 'PERMISSION_MISSING';
      expect(reason({ accessKey, access }), `${accessKey} ${access}`).toBe(expected);
    }
  }
});

test('the tolerance holds to the millisecond, both ways, by the clock of the engine', () => {
  const at = (text: string): Rejection | 'ok' =>
    reason({ accessKey: 'main-read', timestamp: text });
  expect(at('2025-03-04T05:05:07.000Z')).toBe('ok');
  expect(at('2025-03-04T05:05:06.999Z')).toBe('TIMESTAMP_OUT_OF_RANGE');
  expect(at('2025-03-04T05:07:07')).toBe('ok');
  expect(at('2025-03-04T05:07:07.001')).toBe('TIMESTAMP_OUT_OF_RANGE');
  expect(at('yesterday')).toBe('TIMESTAMP_OUT_OF_RANGE');
  const wide = { toleranceMs: 300_000 };
  expect(reason({ accessKey: 'main-read', timestamp: '2025-03-04T05:11:07' }, wide)).toBe('ok');
});

test('a time refused states both clocks and the difference', () => {
  const { message } = tryWith({ accessKey: 'main-read', timestamp: '2025-03-04T05:08:07Z' }) as {
    message: string;
  };
  expect(message).toContain('2025-03-04T05:08:07Z is 120000 ms ahead');
  expect(message).toContain("the venue's clock is 2025-03-04T05:06:07.000Z");
});

test('every client is let in, whatever it takes for the host', () => {
  for (const signedHost of ['localhost:8080', 'localhost', 'api.ox.fun', 'v2api.coinflex.com']) {
    expect(reason({ accessKey: 'main-read', signedHost }), signedHost).toBe('ok');
  }
  expect(reason({ accessKey: 'main-read', signedHost: 'evil.example' })).toBe('SIGNATURE_INVALID');
});

test('a client that signs a constant is recognised at the first try the second time', () => {
  const authenticate = createAuthenticator(OPTIONS);
  const claim = (signedHost: string) => ({
    method: 'GET',
    path: '/v3/balances',
    query: '',
    body: '',
    access: 'read' as const,
    address: '',
    localAddress: '',
    headers: signedHeaders({ accessKey: 'main-read', signedHost }),
  });
  for (const host of ['api.ox.fun', 'api.ox.fun', 'localhost:8080', 'api.opnx.com', 'localhost']) {
    expect('rejected' in proved(authenticate, claim(host)), host).toBe(false);
  }
});

test('a forwarded host is believed only of a trusted proxy', () => {
  const tried = {
    accessKey: 'main-read',
    signedHost: 'rialto.example',
    headers: { 'x-forwarded-host': 'rialto.example' },
  };
  expect(reason(tried)).toBe('SIGNATURE_INVALID');
  expect(reason(tried, { trustProxy: true })).toBe('ok');
});

test('a signature of another form or another request is refused', () => {
  for (const signature of ['', 'AAAA', 'A'.repeat(43), `${'A'.repeat(43)}=`, '='.repeat(44)]) {
    const tried = { accessKey: 'main-read', headers: { signature } };
    expect(reason(tried)).toBe(signature === '' ? 'HEADER_MISSING' : 'SIGNATURE_INVALID');
  }
  const body = '{"quantity":"1"}';
  const changed = { accessKey: 'main-full', method: 'POST', body: '{"quantity":"9"}', sixth: body };
  expect(reason(changed)).toBe('SIGNATURE_INVALID');
});

test('a body of every length and alphabet is proved by its signature, and by no other', () => {
  const tried = (body: string, sixth = body) =>
    reason({ accessKey: 'main-full', method: 'POST', access: 'trade', body, sixth });
  for (let length = 0; length <= 420; length++) {
    expect(tried('x'.repeat(length)), String(length)).toBe('ok');
    expect(tried(`${'x'.repeat(length)}y`, `${'x'.repeat(length)}z`)).toBe('SIGNATURE_INVALID');
  }
  for (const character of ['é', '€', '\u{1F600}', '\u0000']) {
    for (const count of [1, 60, 95, 100, 150, 300, 400]) {
      expect(tried(character.repeat(count)), `${count} x ${character}`).toBe('ok');
    }
  }
});

test('a nonce may be any text up to 128 characters, used as often as one likes', () => {
  const long = { accessKey: 'main-read', headers: { nonce: 'x'.repeat(129) } };
  expect(reason(long)).toBe('PARAMETER_INVALID');
});

test('the caller carries the start of the HMAC and the end of its time', () => {
  // Many bodies, because a digit of base64 may lie across the end of the part.
  for (let at = 0; at < 64; at++) {
    const body = `{"at":${at}}`;
    const caller = tryWith({
      accessKey: 'main-full',
      method: 'POST',
      path: '/v3/transfer',
      body,
    }) as Caller;
    const message = `2025-03-04T05:06:07\n1\nPOST\nlocalhost:8080\n/v3/transfer\n${body}`;
    const hmac = createHmac('sha256', SECRET).update(message).digest();
    expect(caller.fingerprint).toBe(hmac.subarray(0, 16).toString('base64'));
    expect(caller.expiresAtMs).toBe(NOW_MS + 60_000);
    expect(caller).toMatchObject({ account: 0, family: 0, isMain: true, coversQuery: true });
  }
});

test('a body signed without the query beside it leaves the query uncovered', () => {
  const sent = { accessKey: 'main-full', method: 'POST', query: 'a=1', body: '{}', sixth: '{}' };
  expect(tryWith(sent)).toMatchObject({ coversQuery: false });
});

test('a secret is unsealed once', () => {
  let unsealed = 0;
  const unseal = (sealed: Uint8Array): Uint8Array => {
    unsealed++;
    return sealed;
  };
  const authenticate = createAuthenticator({ ...OPTIONS, unseal });
  for (let times = 0; times < 3; times++) {
    proved(authenticate, {
      method: 'GET',
      path: '/v3/balances',
      query: '',
      body: '',
      access: 'read',
      address: '',
      localAddress: '',
      headers: signedHeaders({ accessKey: 'main-read' }),
    });
  }
  expect(unsealed).toBe(1);
});
