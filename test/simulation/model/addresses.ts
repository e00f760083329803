import type { AddressFormat } from '../../../src/domain/market.ts';

/** Published addresses. Runs use these; the model treats all others as wrong. */
export const RIGHT_ADDRESSES: Readonly<Record<AddressFormat, readonly string[]>> = {
  evm: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xde709f2102306220921060314715629080e2fb77',
  ],
  bitcoin: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  ],
  solana: [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'SysvarC1ock11111111111111111111111111111111',
    '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  ],
  xrpl: ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'],
};

export const WRONG_ADDRESSES: readonly string[] = [
  'wrong way',
  // Each with one character changed.
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj',
];
