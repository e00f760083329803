import { near } from '../../domain/nearest.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import type { AssetIndex, NetworkIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import { namedAsset } from './names.ts';

/** Other names that existing clients use for networks. */
const ALSO_CALLED: ReadonlyMap<string, string> = new Map([
  ['ERC20', 'Ethereum'],
  ['BEP20', 'BNBSmartChain'],
  ['TRC20', 'Tron'],
  ['SPL', 'Solana'],
]);

/** The network that a client means, by its name in GET /v3/assets, which all responses use. */
export function registeredNetwork(directory: Directory, sent: string): string {
  if (directory.networkByName(sent) !== undefined) return sent;
  const name = ALSO_CALLED.get(sent);
  return name === undefined || directory.networkByName(name) === undefined ? sent : name;
}

/** An asset and a network by the names that callers send. */
export function readAssetNetwork(
  directory: Directory,
  sent: { readonly asset: string; readonly network: string },
): { readonly asset: AssetIndex; readonly network: NetworkIndex } | Refusal {
  const asset = namedAsset(directory, sent.asset);
  if (typeof asset === 'object') return asset;
  const network = namedNetwork(directory, sent.network);
  return typeof network === 'object' ? network : { asset, network };
}

export function namedNetwork(directory: Directory, sent: string): NetworkIndex | Refusal {
  const found = directory.networkByName(sent);
  if (found !== undefined) return found;
  const known = directory.networks().map(({ name }) => name);
  const meant = near(sent, known);
  return refuse(
    'PARAMETER_INVALID',
    `network ${shortened(sent)} is none of ${known.join(', ')}` +
      (meant === undefined ? '' : `; did you mean ${meant}?`),
  );
}
