import type {
  CoinWork,
  DepositWork,
  NetworkWork,
  SweepWork,
  WithdrawalWork,
} from '../../domain/chain-work.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  amount,
  type NetworkIndex,
} from '../../domain/units.ts';
import type { Views } from '../../domain/views.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import type { Deposit, Sweep, Withdrawal } from '../memory/wallet.ts';
import { assetIndexOf, crossedOf, holderIndex, type State } from '../state.ts';

/** Pending work of the chain connectors. Bounded by what is unfinished. */
export function chainWork(
  state: State,
  { deposits = 'waiting' }: Views['chainWork']['query'],
): NetworkWork[] {
  const { wallet } = state;
  const found = state.networks.map((spec, index): Work => {
    const { height, nextNonce, ways } = wallet.networks[index] as (typeof wallet.networks)[number];
    return {
      network: index as NetworkIndex,
      height,
      nextNonce,
      coin: coinOf(state, spec),
      ways: ways.map(({ asset, fee, feeSetAtMs, isFeeFixed }) => {
        const inside = insideOf(state, asset as AssetIndex);
        return { asset: asset as AssetIndex, fee, feeSetAtMs, isFeeFixed, inside };
      }),
      withdrawals: [],
      sweeps: [],
      deposits: [],
    };
  });
  for (const withdrawal of wallet.withdrawals.values()) {
    const { status } = withdrawal;
    if (status !== 'PENDING' && status !== 'IN SWEEPING' && status !== 'PROCESSING') continue;
    found[withdrawal.network]?.withdrawals.push(withdrawalWork(withdrawal, status));
  }
  for (const sweep of wallet.sweeps.values()) found[sweep.network]?.sweeps.push(sweepWork(sweep));
  // Those that are remembered may be many, and this is asked for several times a second.
  if (deposits === 'none') return found;
  for (const deposit of wallet.deposits.values()) {
    if (deposits === 'waiting' && deposit.status !== 'PENDING') continue;
    found[deposit.network]?.deposits.push(depositWork(deposit));
  }
  return found;
}

type Work = Omit<NetworkWork, 'withdrawals' | 'sweeps' | 'deposits'> & {
  readonly withdrawals: WithdrawalWork[];
  readonly sweeps: SweepWork[];
  readonly deposits: DepositWork[];
};

function coinOf(state: State, { coin }: NetworkSpec): CoinWork | undefined {
  const asset = coin === undefined ? undefined : assetIndexOf(state, coin);
  if (asset === undefined) return undefined;
  const purse = purseOf(state.ledger, holderIndex('network-costs'), asset);
  return { asset, costs: availableIn(state.ledger, purse), inside: insideOf(state, asset) };
}

function insideOf(state: State, asset: AssetIndex): Amount {
  const { genesis, deposits, withdrawals, gas } = crossedOf(state, asset);
  return amount(genesis + deposits - withdrawals - gas);
}

function withdrawalWork(withdrawal: Withdrawal, status: WithdrawalWork['status']): WithdrawalWork {
  const { id, asset, network, address, memo, debited, fee, nonce, sinceHeight } = withdrawal;
  return {
    id,
    asset,
    network,
    address,
    ...(memo === undefined ? {} : { memo }),
    status,
    leaving: amount(debited - fee),
    nonce,
    sinceHeight,
    versions: [...withdrawal.versions],
  };
}

const sweepWork = ({ network: _, account, asset, versions, ...rest }: Sweep): SweepWork => ({
  ...rest,
  account: account as AccountIndex,
  asset: asset as AssetIndex,
  versions: [...versions],
});

const depositWork = (deposit: Deposit): DepositWork => {
  const { network, txId, output, account, asset, height, status, isVanished } = deposit;
  return { network, txId, output, account, asset, height, status, isVanished };
};
