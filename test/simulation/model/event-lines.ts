import type { Event } from '../../../src/domain/events.ts';
import type { OrderRecord } from '../../../src/domain/orders.ts';
import { isByAmount, type ModelOrder } from './state.ts';

/**
 * What can be observed of a command, as text: one line per event, without the text of messages. The venue's
 * events and the model's are converted to this form and must be equal, in order.
 */
export type EventLine = string;

type Facts = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

export const line = (kind: string, facts: Facts = {}): EventLine =>
  [kind, ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)].join(' ');

/** The venue's event as a line. */
export function eventLine(event: Event): EventLine {
  switch (event.kind) {
    case 'refused':
      return line('refused', { reason: event.reason });
    case 'order-refused':
      return line('order-refused', { element: event.element, reason: event.reason });
    case 'order-opened':
    case 'order-modified':
    case 'order-triggered':
      return line(event.kind, { element: event.element, order: recordText(event.order) });
    case 'order-closed':
      return line('order-closed', {
        element: event.element,
        state: event.state,
        reason: event.reason,
        order: recordText(event.order),
      });
    case 'order-matched':
      return line('order-matched', {
        market: event.market,
        match: event.match,
        price: event.priceTicks,
        lots: event.lots,
        takerSide: event.takerSide,
        taker: sideText({ ...event.taker, label: event.taker.texts?.label }),
        maker: sideText({ ...event.maker, label: event.maker.texts?.label }),
      });
    case 'transferred':
      return line('transferred', {
        asset: event.asset,
        amount: event.amount,
        from: event.from,
        to: event.to,
      });
    case 'fee-tier-set':
      return line('fee-tier-set', { family: event.family, feeTier: event.feeTier });
    case 'account-created':
      return line('account-created', { account: event.account });
    case 'key-created':
      return line('key-created', { key: event.key });
    case 'genesis-credited':
      return line('genesis-credited', { account: event.account, amount: event.amount });
    case 'market-state-set':
      return line('market-state-set', { market: event.market, state: event.state });
    default:
      return riskEventLine(event);
  }
}

function riskEventLine(event: Event): EventLine {
  switch (event.kind) {
    case 'funding-set': {
      const { market, rate, index, atMs, seconds } = event;
      return line(event.kind, { market, rate, index, atMs, seconds });
    }
    case 'funding-paid': {
      const { account, market, payment, rate, lots, index, collateral, unrealised } = event;
      const facts = { account, market, payment, rate, lots, index };
      return line(event.kind, { ...facts, collateral, unrealised });
    }
    case 'liquidation-started':
    case 'liquidation-ended': {
      const { account, collateral, maintenanceMargin: maintenance } = event;
      return line(event.kind, { account, collateral, maintenance });
    }
    case 'liquidation-step':
      return line(event.kind, {
        account: event.account,
        market: event.market,
        phase: event.phase,
        collateral: event.collateral,
        maintenance: event.maintenanceMargin,
        lots: event.lots,
        slice: event.sliceLots,
        pb: event.bankruptcyTicks,
        mark: event.mark,
        filled: event.filledLots,
        help: event.help,
        fee: event.fee,
      });
    case 'collateral-sold': {
      const { account, phase, asset, given, repaid, debt } = event;
      return line(event.kind, { account, phase, asset, given, repaid, debt });
    }
    case 'index-prices-set': {
      const marks = event.marks?.map(({ market, mark }) => `${market}:${mark}`).join(',');
      return line(event.kind, { marks });
    }
    case 'index-price-refused':
      return line(event.kind, { asset: event.asset, price: event.price });
    case 'deadline-set':
      return line(event.kind, { account: event.account, market: event.market, atMs: event.atMs });
    case 'deadline-passed':
      return line(event.kind, { account: event.account, market: event.market });
    case 'backstop-set': {
      const { account, market, maxLots } = event;
      return line(event.kind, { account, market, maxLots });
    }
    case 'order-limits-set':
      return line(event.kind, { perMarket: event.perMarket, inAll: event.inAll });
    default:
      return lineOfWallet(event);
  }
}

function lineOfWallet(event: Event): EventLine {
  switch (event.kind) {
    case 'withdrawal-changed': {
      const { id, account, asset, quantity, fee, debited, status } = event.withdrawal;
      const holds = [...event.withdrawal.holds].sort().join('+');
      return line(event.kind, { id, account, asset, quantity, fee, debited, status, holds });
    }
    case 'deposit-changed': {
      const { id, account, asset, quantity, status, hold, isVanished } = event.deposit;
      const { credited } = event;
      return line(event.kind, { id, account, asset, quantity, credited, status, hold, isVanished });
    }
    case 'funds-moved': {
      const { from, to, asset, amount } = event;
      return line(event.kind, { from, to, asset, amount });
    }
    case 'operator-acted':
    case 'operator-refused':
      return line(event.kind, { actor: event.actor, act: event.act });
    case 'gas-paid':
      return line(event.kind, { amount: event.amount });
    case 'sweep-recorded': {
      const { step, txId, nonce } = event;
      return line(event.kind, { step, txId, nonce });
    }
    case 'sweep-ended':
      return line(event.kind, { txId: event.txId });
    case 'factor-removed':
      return line(event.kind, { atMs: event.atMs });
    case 'withdrawal-fee-set':
      return line(event.kind, { fee: event.fee });
    default:
      return line(event.kind);
  }
}

/** Accounts that lost orders because of their margin or entered liquidation, in the order of events. */
export const reviewedAccounts = (emitted: readonly EventLine[]): number[] =>
  emitted.flatMap((text) => {
    const found = STARTED.exec(text) ?? CANCELLED.exec(text);
    return found === null ? [] : [Number(found[1])];
  });
const STARTED = /^liquidation-started account=(\d+) /;
const CANCELLED =
  /^order-closed element=255 state=CANCELED_BY_USER reason=(?:MARGIN_TOO_LOW|ACCOUNT_STATUS) order=\(\d+ of (\d+) /;

/** The payments of one funding may be in any order. */
export function inOneOrder(emitted: readonly EventLine[]): EventLine[] {
  const ordered: EventLine[] = [];
  let payments: EventLine[] = [];
  for (const text of [...emitted, '']) {
    if (text.startsWith('funding-paid')) payments.push(text);
    else {
      ordered.push(...payments.sort(), text);
      payments = [];
    }
  }
  return ordered.slice(0, -1);
}

type Side = {
  readonly orderId: number;
  readonly account: number;
  readonly openLots: number;
  readonly feeAsset: number;
  readonly fee: bigint;
  readonly realised: bigint;
  readonly label: string | undefined;
};

export const sideText = (side: Side): string =>
  `(${side.orderId} of ${side.account} left ${side.openLots}` +
  ` fee ${side.fee} in ${side.feeAsset} realised ${side.realised} label ${side.label})`;

/** An open order as the venue shows it. */
export const recordText = (order: OrderRecord): string =>
  orderText({
    ...order,
    label: order.texts?.label,
    fees: order.fees.native + order.fees.usdt + order.fees.other,
  });

/** An open order of the model. */
export const modelOrderText = (order: ModelOrder): string =>
  orderText({
    ...order,
    // An order by amount has no size of its own that could be shown.
    displayLots: isByAmount(order) ? 0 : (order.displayLots ?? order.totalLots),
    fees: [...order.paidFees.values()].reduce((sum, fee) => sum + fee, 0n),
  });

/** `fees` adds parts of different assets: a number that differs if any of them does. */
const orderText = (order: {
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly label: string | undefined;
  readonly account: number;
  readonly market: number;
  readonly side: string;
  readonly orderType: string;
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly totalLots: number;
  readonly openLots: number;
  readonly displayLots: number;
  readonly amountParts: bigint;
  readonly filledCost: bigint;
  readonly isTriggered: boolean;
  readonly fees: bigint;
}): string =>
  `(${order.orderId} of ${order.account} in ${order.market} ${order.side} ${order.orderType}` +
  ` client ${order.clientOrderId} label ${order.label} price ${order.priceTicks} stop ${order.stopTicks}` +
  ` open ${order.openLots}/${order.totalLots} shows ${order.displayLots}` +
  ` amount ${order.amountParts} cost ${order.filledCost} fees ${order.fees}` +
  `${order.isTriggered ? ' triggered' : ''})`;
