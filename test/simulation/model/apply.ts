import type {
  Command,
  Genesis,
  SetBackstop,
  SetMarketState,
  SetOrderLimits,
} from '../../../src/domain/commands.ts';
import { isAccessCommand, performOnAccess } from './access.ts';
import {
  accountNamed,
  checkRepeat,
  checkSigner,
  createAccount,
  createKey,
  revokeKey,
  setRestrictions,
  transfer,
} from './accounts.ts';
import { modifyOrders } from './amend.ts';
import { cancelAll, cancelAllAfter, cancelOrders, fireWhenOpen } from './cancel.ts';
import { drainPending } from './consequences.ts';
import { type EventLine, line, reviewedAccounts } from './event-lines.ts';
import { setFeeTiers } from './fees.ts';
import { give } from './money.ts';
import { cancelMarket, changeMarket, moveFunds, recordAct, setPrice } from './operate.ts';
import { placeOrders } from './place.ts';
import { restart, setIndexPrices } from './prices.ts';
import {
  assetOf,
  freshWork,
  isPerpetual,
  type Model,
  must,
  type Refusal,
  sweepStops,
} from './state.ts';
import { tick } from './tick.ts';
import { performOnWallet } from './wallet.ts';

/**
 * Applies a command to the model and returns the expected events. `seen` is what the venue emitted: only the
 * order of its account reviews is taken from there.
 */
export function applyToModel(
  model: Model,
  timeMs: number,
  command: Command,
  seen: readonly EventLine[] = [],
): EventLine[] {
  model.reviewedByVenue = reviewedAccounts(seen);
  model.timeMs = timeMs;
  model.emitted = [];
  model.work = freshWork();
  setFeeTiers(model);
  const reason = admit(model, command) ?? perform(model, command);
  if (reason !== undefined) model.emitted.push(line('refused', { reason }));
  else recordAct(model, command);
  drainPending(model);
  return model.emitted;
}

/** The third of the venue's own purses. */
const INSURANCE_HOLDER = 2;

function admit(model: Model, command: Command): Refusal {
  const refusal = checkRepeat(model, command);
  if (refusal !== undefined || !('by' in command)) return refusal;
  return checkSigner(model, command);
}

function perform(model: Model, command: Command | Genesis['steps'][number]): Refusal {
  switch (command.kind) {
    case 'genesis':
      for (const step of command.steps) performSure(model, step);
      return undefined;
    case 'define-asset':
      model.assets.push({
        spec: command.asset,
        index: 0n,
        indexAtMs: 0,
        jump: 0n,
        isQuoted: false,
      });
      model.emitted.push(line('asset-defined'));
      return undefined;
    case 'define-network':
      model.wallet.networks.push({ spec: command.network, height: 0, nextNonce: 0 });
      model.emitted.push(line('network-defined'));
      return undefined;
    case 'define-market':
      if (command.market.type === 'FUTURE') model.nextAccountIndex++;
      model.markets.push({
        spec: command.market,
        version: 1,
        state: command.market.state,
        mark: 0n,
        lastTicks: 0,
        matches: 0,
        clearing: 0n,
        samples: [],
        listedSecond: Math.floor(model.timeMs / 1_000),
        sampledSecond: 0,
        hour: 0,
        hourPremiums: [],
      });
      model.emitted.push(line('market-defined'));
      return undefined;
    case 'credit-genesis': {
      const account = must(accountNamed(model, command.account)).accountIndex;
      give(model, account, assetOf(model, command.asset), command.amount);
      model.emitted.push(line('genesis-credited', { account, amount: command.amount }));
      return undefined;
    }
    case 'fund-insurance': {
      const purse = `insurance/${assetOf(model, command.asset)}`;
      model.purses.set(purse, (model.purses.get(purse) ?? 0n) + command.amount);
      model.emitted.push(
        line('genesis-credited', { account: INSURANCE_HOLDER, amount: command.amount }),
      );
      return undefined;
    }
    case 'create-account':
      return createAccount(model, command);
    case 'create-key':
      return createKey(model, command);
    case 'revoke-key':
      return revokeKey(model, command);
    case 'set-restrictions':
      return setRestrictions(model, command);
    case 'set-index-prices':
      return setIndexPrices(model, command);
    case 'set-market-state':
      return setMarketState(model, command);
    case 'set-backstop':
      return setBackstop(model, command);
    case 'set-order-limits':
      return setOrderLimits(model, command);
    case 'set-price':
      return setPrice(model, command);
    case 'change-market':
      return changeMarket(model, command);
    case 'cancel-market':
      return cancelMarket(model, command);
    case 'move-funds':
      return moveFunds(model, command);
    case 'note-backup':
      return undefined;
    case 'note-operator':
      return command.fault?.rejected;
    case 'note-refusal':
      model.emitted.push(line('operator-refused', { actor: command.actor, act: command.act }));
      return undefined;
    case 'tick':
      tick(model);
      return undefined;
    case 'restart':
    case 'step-clock':
      restart(model);
      return undefined;
    case 'transfer':
      return transfer(model, command);
    case 'place-orders':
      placeOrders(model, command);
      return undefined;
    case 'cancel-orders':
      cancelOrders(model, command);
      return undefined;
    case 'cancel-all':
      cancelAll(model, command);
      return undefined;
    case 'cancel-all-after':
      return cancelAllAfter(model, command);
    case 'modify-orders':
      modifyOrders(model, command);
      return undefined;
    case 'continue':
      return undefined;
    case 'waive-delays': {
      const family = model.families.findIndex(({ name }) => name === command.family);
      model.wallet.hasty.add(family);
      return undefined;
    }
    case 'fund-network-costs':
      throw new Error('no run begins with network costs');
    default:
      return isAccessCommand(command)
        ? performOnAccess(model, command)
        : performOnWallet(model, command);
  }
}

/** The steps of a genesis come from the program itself: all of them succeed. */
function performSure(model: Model, step: Genesis['steps'][number]): void {
  const reason =
    step.kind === 'set-index-prices' ? setIndexPrices(model, step, true) : perform(model, step);
  if (reason !== undefined) throw new Error(`a step of the genesis is refused: ${reason}`);
}

function setMarketState(model: Model, command: SetMarketState): Refusal {
  const index = model.markets.findIndex(({ spec }) => spec.code === command.market);
  if (index < 0) return 'MARKET_UNKNOWN';
  must(model.markets[index]).state = command.state;
  sweepStops(model, index);
  if (command.state !== 'HALTED') fireWhenOpen(model, index);
  model.emitted.push(line('market-state-set', { market: index, state: command.state }));
  return undefined;
}

/** Takes over positions of failing accounts in a market, up to a size. */
function setBackstop(model: Model, command: SetBackstop): Refusal {
  const account = accountNamed(model, command.account)?.accountIndex;
  if (account === undefined) return 'SUB_ACCOUNT_INVALID';
  const market = model.markets.findIndex(({ spec }) => spec.code === command.market);
  const found = model.markets[market];
  if (found === undefined || !isPerpetual(found)) return 'MARKET_UNKNOWN';
  const { maxLots } = command;
  if (!Number.isSafeInteger(maxLots) || maxLots < 0) return 'PARAMETER_INVALID';
  const known = model.backstops.find((one) => one.account === account && one.market === market);
  if (known === undefined) model.backstops.push({ account, market, maxLots });
  else known.maxLots = maxLots;
  model.emitted.push(line('backstop-set', { account, market, maxLots }));
  return undefined;
}

function setOrderLimits(model: Model, { perMarket, inAll }: SetOrderLimits): Refusal {
  if (perMarket < 1 || inAll < 1) return 'PARAMETER_INVALID';
  model.orderLimits = { perMarket, inAll };
  model.emitted.push(line('order-limits-set', { perMarket, inAll }));
  return undefined;
}
