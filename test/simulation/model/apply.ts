import type {
  Command,
  Genesis,
  SetIndexPrices,
  SetMarketState,
} from '../../../src/domain/commands.ts';
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
import { cancelAll, cancelOrders } from './cancel.ts';
import { disturb } from './execute.ts';
import { setFeeTiers } from './fees.ts';
import { give } from './money.ts';
import { placeOrders } from './place.ts';
import { assetOf, isPerpetual, type Model, type ModelMarket, must, type Refusal } from './state.ts';
import { workOff } from './stops.ts';
import { line, type Told } from './told.ts';
import { divideHalfEven } from './values.ts';

/** Applies a command to the model and answers what it says must be observed. */
export function applyToModel(model: Model, timeMs: number, command: Command): Told[] {
  model.timeMs = timeMs;
  model.told = [];
  setFeeTiers(model);
  const reason = admit(model, command) ?? perform(model, command);
  if (reason !== undefined) model.told.push(line('refused', { reason }));
  // What follows from margins that break (rules 6.3 to 6.7) has its place here, before the stops.
  workOff(model);
  return model.told;
}

function admit(model: Model, command: Command): Refusal {
  if (!('by' in command)) return undefined;
  return checkRepeat(model, command) ?? checkSigner(model, command);
}

function perform(model: Model, command: Command | Genesis['steps'][number]): Refusal {
  switch (command.kind) {
    case 'genesis':
      for (const step of command.steps) performSure(model, step);
      return undefined;
    case 'define-asset':
      model.assets.push({ spec: command.asset, index: 0n });
      model.told.push(line('asset-defined'));
      return undefined;
    case 'define-network':
      model.told.push(line('network-defined'));
      return undefined;
    case 'define-market':
      if (command.market.type === 'FUTURE') model.nextRow++;
      model.markets.push({
        spec: command.market,
        state: command.market.state,
        mark: 0n,
        lastTicks: 0,
        matches: 0,
        clearing: 0n,
      });
      model.told.push(line('market-defined'));
      return undefined;
    case 'credit-genesis': {
      const account = must(accountNamed(model, command.account)).row;
      give(model, account, assetOf(model, command.asset), command.amount);
      model.nextEntry++;
      model.told.push(line('genesis-credited', { account, amount: command.amount }));
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
    case 'modify-orders':
      modifyOrders(model, command);
      return undefined;
    case 'continue':
      return undefined;
    default:
      throw new Error(`the model does not know the command ${(command as Command).kind}`);
  }
}

/** The steps of a genesis come from the program itself: all of them hold. */
function performSure(model: Model, step: Genesis['steps'][number]): void {
  const reason = perform(model, step);
  if (reason !== undefined) throw new Error(`a step of the genesis is refused: ${reason}`);
}

/** Today's mark is the index: base on a perpetual, base / counter (half to even) on spot. */
function setIndexPrices(model: Model, command: SetIndexPrices): Refusal {
  if (command.prices.some(({ price }) => price <= 0n)) return 'PARAMETER_INVALID';
  for (const { asset, price } of command.prices) {
    must(model.assets[assetOf(model, asset)]).index = price;
  }
  model.markets.forEach((market, index) => {
    const mark = indexOf(model, market);
    if (mark === 0n || mark === market.mark) return;
    market.mark = mark;
    disturb(model, index);
  });
  model.told.push(line('index-prices-set'));
  return undefined;
}

function indexOf(model: Model, market: ModelMarket): bigint {
  const indexPrice = (code: string): bigint => must(model.assets[assetOf(model, code)]).index;
  const base = indexPrice(market.spec.base);
  if (isPerpetual(market)) return base;
  const counter = indexPrice(market.spec.counter);
  return counter === 0n ? 0n : divideHalfEven(base * 100_000_000n, counter);
}

function setMarketState(model: Model, command: SetMarketState): Refusal {
  const index = model.markets.findIndex(({ spec }) => spec.code === command.market);
  if (index < 0) return 'MARKET_UNKNOWN';
  must(model.markets[index]).state = command.state;
  disturb(model, index);
  model.told.push(line('market-state-set', { market: index, state: command.state }));
  return undefined;
}
