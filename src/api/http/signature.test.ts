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
  use('key 1');
  expect(unsealed).toBe(20_001);
  use('key 0');
  expect(unsealed).toBe(20_002);
});
