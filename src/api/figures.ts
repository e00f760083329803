import { textFromParts } from '../domain/decimal.ts';
import { accountIdText } from '../domain/ids.ts';
import { NATIVE_ASSET } from '../domain/terms.ts';
import type { AccountIndex, AssetIndex } from '../domain/units.ts';
import type { Directory } from '../domain/views.ts';
import type { Destination } from '../domain/wallet.ts';
import { HOUR_MS } from '../wire/periods.ts';

/** Numbers become text here, for every subject: REST and stream share the shapes built from them. */

export const amountText = (directory: Directory, asset: AssetIndex, parts: bigint): string =>
  textFromParts(parts, directory.asset(asset).scale);

/** Native parts as text: with at least one decimal; zero is "0". */
export const nativeText = (directory: Directory, parts: bigint): string =>
  parts === 0n ? '0' : textFromParts(parts, nativeScale(directory), 1);

export function nativeScale(directory: Directory): number {
  const native = directory.assetByCode(NATIVE_ASSET);
  return native === undefined ? 0 : directory.asset(native).scale;
}

export const ownerShape = (
  directory: Directory,
  account: AccountIndex,
): { accountId: string; name: string } => ({
  accountId: accountIdText(account),
  name: directory.account(account)?.name ?? '',
});

/** When funding is paid next: on the next full hour. */
export const nextHourMs = (nowMs: number): number => (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;

/** The source or destination on a chain. */
export const placeShape = (
  directory: Directory,
  { asset, network, address, memo }: Destination & { readonly asset: AssetIndex },
): { asset: string; network: string; address: string; memo?: string } => ({
  asset: directory.asset(asset).code,
  network: directory.networks()[network]?.name ?? '',
  address,
  ...(memo === undefined ? {} : { memo }),
});
