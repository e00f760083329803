import { expect, test } from 'vitest';
import { defaultCatalogue } from '../../defaults/catalogue.ts';
import { type EvmTerms, refuseOtherTerms, withEvmNetworks } from './evm-catalogue.ts';

const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const TERMS: EvmTerms = { confirmations: 3, tokens: { USDT: { tokenId: TOKEN, decimals: 6 } } };

function networkOf(terms: EvmTerms | undefined) {
  const configured = terms === undefined ? {} : { Ethereum: terms };
  for (const step of withEvmNetworks(defaultCatalogue('test'), configured)) {
    if (step.kind === 'define-network' && step.network.name === 'Ethereum') return step.network;
  }
  throw new Error('the default catalogue has Ethereum');
}

test('a network is served only as the venue was made with it', () => {
  const made = networkOf(TERMS);
  const { confirmations: _, ...byDefault } = TERMS;
  refuseOtherTerms(made, TERMS);
  refuseOtherTerms(made, byDefault);
  refuseOtherTerms(made, { tokens: { USDT: { tokenId: TOKEN.toLowerCase(), decimals: 6 } } });
  refuseOtherTerms(networkOf(undefined), undefined);
  const rows: [EvmTerms | undefined, string][] = [
    [undefined, 'chains.Ethereum is missing in the configuration'],
    [{ ...TERMS, confirmations: 6 }, 'coin ETH, 6 confirmations'],
    [{}, 'coin ETH, 3 confirmations, ETH with 18 decimals, and the venue was made with'],
    [{ ...TERMS, coinDecimals: 8 }, 'ETH with 8 decimals'],
    [{ tokens: { USDT: { tokenId: TOKEN, decimals: 18 } } }, `USDT ${TOKEN.toLowerCase()} with 18`],
    [
      { tokens: { USDT: { tokenId: `0x${'1'.repeat(40)}`, decimals: 6 } } },
      `USDT 0x${'1'.repeat(40)}`,
    ],
  ];
  for (const [terms, words] of rows) expect(() => refuseOtherTerms(made, terms)).toThrow(words);
  expect(() => refuseOtherTerms(networkOf(undefined), TERMS)).toThrow(
    'the venue was made with simulated',
  );
});

test('every configuration that init takes is taken by the starts after it', () => {
  const tokens = { USDT: { tokenId: TOKEN, decimals: 6 } };
  const rows: Record<string, EvmTerms>[] = [
    { Ethereum: {} },
    { Ethereum: { coinDecimals: 8, tokens } },
    // The default catalogue has its coin, ETH, for gas alone.
    { Arbitrum: {} },
    { Arbitrum: { tokens } },
    { Arbitrum: { coin: 'OX', tokens } },
    { Base: { coin: 'ETH' } },
    { Base: { coin: 'ETH', coinDecimals: 8, confirmations: 1, tokens } },
  ];
  for (const configured of rows) {
    for (const step of withEvmNetworks(defaultCatalogue('test'), configured)) {
      if (step.kind !== 'define-network') continue;
      refuseOtherTerms(step.network, configured[step.network.name]);
    }
  }
});
