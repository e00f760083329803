import { addressFault } from '../../domain/addresses.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';

/** For networks whose format is not known. */
const ANY_ADDRESS = /^[\x21-\x7e]{4,128}$/;
const ANY_MEMO = /^[\x21-\x7e]{1,64}$/;
/** A destination tag of XRPL: 32 bits. */
const TAG = /^(0|[1-9]\d{0,9})$/;
const TAG_MAX = 2 ** 32 - 1;

export function checkDestination(
  network: NetworkSpec,
  address: string,
  memo: string | undefined,
): Refusal | undefined {
  if (address === '') return refuse('WITHDRAWAL_ADDRESS_MISSING');
  const fault = faultOf(network, address);
  if (fault !== undefined) {
    return refuse(
      'WITHDRAWAL_ADDRESS_FORMAT',
      `${shortened(address)} is no ${network.name} address: ${fault}`,
    );
  }
  if (memo === undefined) {
    if (!network.needsMemo) return undefined;
    return refuse('MEMO_FORMAT', `${network.name} needs a memo`);
  }
  if (!network.needsMemo) return refuse('MEMO_FORMAT', `${network.name} takes no memo`);
  return checkMemo(network, memo);
}

function faultOf({ addressFormat }: NetworkSpec, address: string): string | undefined {
  if (addressFormat !== undefined) return addressFault(addressFormat, address);
  return ANY_ADDRESS.test(address) ? undefined : 'malformed';
}

function checkMemo({ addressFormat }: NetworkSpec, memo: string): Refusal | undefined {
  if (addressFormat !== 'xrpl') {
    return ANY_MEMO.test(memo)
      ? undefined
      : refuse('MEMO_FORMAT', `${shortened(memo)} is not 1 to 64 printable characters`);
  }
  return TAG.test(memo) && BigInt(memo) <= TAG_MAX
    ? undefined
    : refuse('MEMO_FORMAT', `${shortened(memo)} is no destination tag, 0 to ${TAG_MAX}`);
}
