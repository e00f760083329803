import type { AddressFormat, NetworkSpec } from '../../domain/market.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';

/** What an address looks like; a checksum is the business of its chain's connector. */
const SHAPE: Readonly<Record<AddressFormat, RegExp>> = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  bitcoin: /^(bc1|tb1|bcrt1)[02-9ac-hj-np-z]{11,87}$|^[123mn][1-9A-HJ-NP-Za-km-z]{25,39}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  xrpl: /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/,
};
const ANY = /^[\x21-\x7e]{4,128}$/;
/** A tag is a number of 32 bits or a short word. */
const MEMO = /^[\x21-\x7e]{1,64}$/;
const ADDRESS_CHARACTERS_MAX = 128;

export function checkDestination(
  network: NetworkSpec,
  address: string,
  memo: string | undefined,
): Refusal | undefined {
  if (address === '') return refuse('WITHDRAWAL_ADDRESS_MISSING');
  const shape = network.addressFormat === undefined ? ANY : SHAPE[network.addressFormat];
  if (address.length > ADDRESS_CHARACTERS_MAX || !shape.test(address)) {
    return refuse(
      'WITHDRAWAL_ADDRESS_FORMAT',
      `${shortened(address)} is no ${network.name} address`,
    );
  }
  if (memo === undefined) {
    if (!network.needsMemo) return undefined;
    return refuse('MEMO_FORMAT', `${network.name} needs a memo`);
  }
  if (!network.needsMemo) return refuse('MEMO_FORMAT', `${network.name} takes no memo`);
  return MEMO.test(memo)
    ? undefined
    : refuse('MEMO_FORMAT', `${shortened(memo)} is not 1 to 64 printable characters`);
}
