import { accountIdText, accountIndexFromText } from '../../domain/ids.ts';
import { isRefusal, type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { AccountIndex, Amount } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import { sandboxChain, sandboxDeposit } from '../../wire/sandbox.ts';
import { amountText } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { readAssetNetwork } from '../request/asset-network.ts';
import { quantityParts } from '../request/quantity.ts';

/** The simulated chains of a `dev` venue. Undefined if a network has none. */
export type SandboxChains = {
  /**
   * Pays in a block made for it, and resolves once that is on disk; undefined if no simulated chain has the
   * asset.
   */
  pay(payment: SandboxPayment): Promise<SandboxPaid | undefined>;
  control(network: string, what: ChainControl): Promise<ControlResult | undefined>;
};
export type SandboxPayment = {
  readonly network: string;
  readonly asset: string;
  readonly account: AccountIndex;
  readonly quantity: Amount;
};
export type SandboxPaid = {
  readonly address: string;
  readonly memo?: string;
  readonly txId: string;
};
export type ChainControl = {
  readonly node?: 'well' | 'down' | 'slow' | 'wrong-chain';
  readonly price?: bigint;
  readonly reorganise?: number;
  readonly mine?: number;
};
export type ControlResult = { readonly height: number; readonly removed: readonly string[] };

/** More at once would delay everybody else. */
const BLOCKS_MAX = 200;
const PRICE_MAX = 10n ** 12n;

export const sandboxRoutes = (engine: Engine, chains: SandboxChains): Route[] => [
  route(sandboxDeposit, async ({ request }) => {
    const { directory } = engine;
    const account = readAccount(directory, request);
    if (typeof account === 'object') return account;
    const network = request.network ?? networkOf(directory, request.asset);
    const pair = readAssetNetwork(directory, { asset: request.asset, network });
    if (isRefusal(pair)) return pair;
    const quantity = quantityParts(directory, pair.asset, request.quantity);
    if (typeof quantity === 'object') return quantity;
    if (quantity <= 0n) return refuse('PARAMETER_INVALID', `quantity ${request.quantity}`);
    const paid = await chains.pay({ network, asset: request.asset, account, quantity });
    if (paid === undefined) {
      return refuse(
        'PARAMETER_INVALID',
        `no simulated chain brings ${request.asset} by ${network}`,
      );
    }
    const accountId = accountIdText(account);
    const text = amountText(directory, pair.asset, quantity);
    return { data: { accountId, asset: request.asset, network, quantity: text, ...paid } };
  }),

  route(sandboxChain, async ({ request }) => {
    const { network, node, price, reorganise, mine } = request;
    if (price !== undefined && BigInt(price) > PRICE_MAX) {
      return refuse('PARAMETER_INVALID', `price ${price}; at most ${PRICE_MAX}`);
    }
    for (const [name, count] of Object.entries({ reorganise, mine })) {
      if (count === undefined || BigInt(count) <= BLOCKS_MAX) continue;
      return refuse('PARAMETER_INVALID', `${name} ${count}; at most ${BLOCKS_MAX} blocks`);
    }
    const done = await chains.control(network, {
      ...(node === undefined ? {} : { node }),
      ...(price === undefined ? {} : { price: BigInt(price) }),
      ...(reorganise === undefined ? {} : { reorganise: Number.parseInt(reorganise, 10) }),
      ...(mine === undefined ? {} : { mine: Number.parseInt(mine, 10) }),
    });
    if (done === undefined) {
      return refuse('PARAMETER_INVALID', `${shortened(network)} has no simulated chain`);
    }
    return { data: { network, height: String(done.height), removed: [...done.removed] } };
  }),
];

type AccountSent = {
  readonly accountId?: string;
  readonly family?: string;
  readonly account?: string;
};

function readAccount(
  directory: Directory,
  { accountId, family, account = MAIN_ACCOUNT_NAME }: AccountSent,
): AccountIndex | Refusal {
  if (accountId !== undefined) {
    const index = accountIndexFromText(accountId) as AccountIndex | undefined;
    const found = index === undefined ? undefined : directory.account(index);
    return found?.account ?? refuse('RESULT_NOT_FOUND', `there is no account ${accountId}`);
  }
  if (family === undefined) return refuse('PARAMETER_MISSING', 'accountId, or family');
  const found = directory
    .families()
    .find(({ name }) => name === family)
    ?.accounts.find((one) => directory.account(one)?.name === account);
  return (
    found ??
    refuse('RESULT_NOT_FOUND', `there is no account ${shortened(family)}/${shortened(account)}`)
  );
}

/** The first network of the catalogue that has the asset. */
const networkOf = (directory: Directory, asset: string): string =>
  directory.networks().find(({ assets }) => assets.some((one) => one.asset === asset))?.name ?? '';
