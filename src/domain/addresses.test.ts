import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { addressFault, addressFrom } from './addresses.ts';
import type { AddressFormat } from './market.ts';

/** Published addresses: EIP-55, BIP-173, BIP-350, the first block of Bitcoin, programs of Solana, XRPL's own. */
const RIGHT: Readonly<Record<AddressFormat, readonly string[]>> = {
  evm: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x0000000000000000000000000000000000000b0b',
  ],
  bitcoin: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
  ],
  solana: [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'SysvarC1ock11111111111111111111111111111111',
    '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  ],
  xrpl: ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'],
};

/** Wrong in ways that are hard to see. */
const WRONG: Readonly<Record<AddressFormat, readonly string[]>> = {
  evm: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
    `0x${'0'.repeat(40)}`,
  ],
  bitcoin: [
    // One character too many, a test network, the other checksum, a program of the wrong length.
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNaa',
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
    'bc1pw5dgrnzv',
    'bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1',
  ],
  solana: [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D',
    '11111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA1',
    '0okenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  ],
  xrpl: [
    'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb',
  ],
};

const FORMATS = Object.keys(RIGHT) as AddressFormat[];

test('addresses that others have published are right, each on its own network alone', () => {
  for (const format of FORMATS) {
    for (const address of RIGHT[format]) {
      const takes = FORMATS.filter((one) => addressFault(one, address) === undefined);
      expect([address, takes]).toEqual([address, [format]]);
    }
    for (const address of WRONG[format]) {
      expect([address, addressFault(format, address)]).not.toEqual([address, undefined]);
    }
  }
});

test('one character changed is a wrong address, wherever there is a checksum', () => {
  for (const format of ['evm', 'bitcoin', 'xrpl'] as const) {
    for (const address of RIGHT[format]) {
      if (address === address.toLowerCase() && format === 'evm') continue;
      if (address === `0x${address.slice(2).toUpperCase()}`) continue;
      for (let at = 2; at < address.length; at++) {
        const other = address[at] === '7' ? '8' : '7';
        const changed = address.slice(0, at) + other + address.slice(at + 1);
        expect([changed, addressFault(format, changed)]).not.toEqual([changed, undefined]);
      }
    }
  }
});

test('addresses made from bytes are right, and different for different bytes', () => {
  for (const format of FORMATS) {
    const made = Array.from({ length: 50 }, (_, at) =>
      addressFrom(format, createHash('sha256').update(`${at}`).digest()),
    );
    for (const address of made)
      expect([address, addressFault(format, address)]).toEqual([address, undefined]);
    expect(new Set(made).size).toBe(made.length);
  }
  const zeros = addressFrom('bitcoin', new Uint8Array(32));
  expect(zeros).toBe('bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs');
});
