import { expect, test } from 'vitest';
import { createSignatureCheck } from './signature.ts';

test('secrets of keys that come and go do not collect: the oldest are unsealed again when they return', () => {
  const secret = new Uint8Array(32).fill(1);
  let unsealed = 0;
  const { proveLogin } = createSignatureCheck({
    entryOf: (accessKey) => ({ accessKey, sealedSecret: secret }),
    nowMs: () => 1_000,
    unseal: (sealed) => {
      unsealed++;
      return sealed;
    },
    ...{ toleranceMs: 60_000, hostAliases: [], trustProxy: false },
  });
  const use = (accessKey: string): void => {
    expect(proveLogin({ accessKey, timestamp: '1000', signature: '' })).toHaveProperty('rejected');
  };
  for (let key = 0; key < 20_000; key++) use(`key ${key}`);
  use('key 0');
  expect(unsealed).toBe(20_000);
  use('one more');
  // A hundredth is dropped at a time.
  for (const kept of [200, 201, 19_999]) use(`key ${kept}`);
  expect(unsealed).toBe(20_001);
  for (const dropped of [0, 199]) use(`key ${dropped}`);
  expect(unsealed).toBe(20_003);
});
