import { expect, test } from 'vitest';
import { handoutOf } from './handout.ts';

test('the handout holds the keys that every program here may use', () => {
  const key = { account: 0, permissions: ['read'], isRevoked: false, isSession: false };
  const keys = [
    { ...key, accessKey: 'given' },
    { ...key, accessKey: 'ends', expiresAtMs: 5 },
    { ...key, accessKey: 'elsewhere', addresses: ['10.1.1.1'] },
    { ...key, accessKey: 'revoked', isRevoked: true },
    { ...key, accessKey: 'of a page', isSession: true },
    { ...key, accessKey: 'made later' },
  ];
  const directory = {
    families: () => [{ name: 'demo-1', accounts: [0] }],
    account: () => ({ account: 0, family: 0, name: 'main', isActive: true, isMain: true }),
    factors: () => [],
    keys: () => keys,
  };
  const seal = { unseal: () => new Uint8Array() };
  const { families } = handoutOf({
    ...{ directory: directory as never, seal: seal as never },
    ...{ host: 'localhost:1', managementUrl: 'http://localhost:2' },
  });
  const handed = families[0]?.accounts[0]?.keys.map(({ accessKey }) => accessKey);
  expect(handed).toEqual(['given', 'made later']);
});
