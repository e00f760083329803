import type { RialtoClient } from '../../src/client/index.ts';
import type { Permission } from '../../src/domain/terms.ts';
import * as access from '../../src/wire/access.ts';
import * as account from '../../src/wire/account.ts';
import { getClosedOrders } from '../../src/wire/closed-orders.ts';
import { getDepositAddress, getDeposits } from '../../src/wire/deposits.ts';
import { getFunding, getFundingEstimates, getFundingRates } from '../../src/wire/funding.ts';
import { getLiquidations } from '../../src/wire/liquidations.ts';
import * as data from '../../src/wire/market-data.ts';
import { inviteUser } from '../../src/wire/operator-accounts.ts';
import * as orders from '../../src/wire/orders.ts';
import * as protection from '../../src/wire/protection.ts';
import { getTime } from '../../src/wire/system.ts';
import { getTrades } from '../../src/wire/trades.ts';
import { getTransfers, requestTransfer } from '../../src/wire/transfers.ts';
import { getUnfinished, getWallet } from '../../src/wire/wallet.ts';
import { estimateMargin, previewOrder } from '../../src/wire/what-if.ts';
import * as withdrawals from '../../src/wire/withdrawals.ts';
import { codeAt } from '../pages/authenticator.ts';
import type { RecordedVenue } from './recorded-venue.ts';
import type { Recorder } from './recorder.ts';

const BTC = 'BTC-USD-SWAP-LIN';
const SPOT = 'BTC-USDT';
const ALL = ['read', 'trade', 'withdraw'];

/** A trader's day, in an order in which every endpoint has something to show. */
export async function restScenario(venue: RecordedVenue, recorder: Recorder): Promise<void> {
  const own = venue.clientOf(venue.keyOf(0, 'main', ...ALL));
  const other = venue.clientOf(venue.keyOf(1, 'main', 'read', 'trade'));
  const scene = { venue, recorder, own, other };
  await venue.pass(5);
  await quote(other);
  await trade(scene);
  await look(scene);
  await liquidated(scene);
  // An hour without half an hour of fresh prices pays no funding; they stay fresh for 30 seconds.
  await venue.pass(3_600, 10);
  await afterwards(scene);
  await money(scene);
  await protect(scene);
  await keysAndSessions(scene);
}

type Scene = {
  readonly venue: RecordedVenue;
  readonly recorder: Recorder;
  readonly own: RialtoClient;
  readonly other: RialtoClient;
};

const limit = (marketCode: string, side: 'BUY' | 'SELL', quantity: string, price: string) => ({
  ...{ marketCode, side, quantity, price },
  orderType: 'LIMIT' as const,
});

/** The other side of trades. */
async function quote(other: RialtoClient): Promise<void> {
  await other.placeOrders({
    orders: [
      limit(BTC, 'SELL', '2', '60010'),
      limit(BTC, 'SELL', '3', '60020'),
      limit(BTC, 'BUY', '2', '59990'),
      limit(BTC, 'BUY', '3', '59980'),
      limit(SPOT, 'SELL', '0.5', '60010'),
      limit(SPOT, 'SELL', '0.8', '60015.5'),
      limit(SPOT, 'BUY', '0.5', '59990'),
      limit(SPOT, 'BUY', '0.8', '59985.5'),
    ],
  });
}

async function trade({ recorder, venue, own }: Scene): Promise<void> {
  const order = limit(SPOT, 'BUY', '0.01', '59000');
  const [placed] = await recorder.call(own, orders.placeOrders, {
    responseType: 'FULL',
    orders: [
      { ...order, label: 'grid 1' },
      { ...order, price: '59000.005', label: 'grid 2' },
    ],
  });
  const buy = { marketCode: BTC, side: 'BUY', orderType: 'MARKET', quantity: '0.5' } as const;
  await recorder.call(own, previewOrder, buy);
  await own.placeOrders({ orders: [buy] });
  await own.placeOrders({ orders: [{ ...order, orderType: 'MARKET', quantity: '0.02' }] });
  await venue.pass(2);
  const { orderId } = placed;
  await recorder.call(own, orders.modifyOrders, {
    responseType: 'FULL',
    orders: [{ marketCode: SPOT, orderId, price: '59010', quantity: '0.02' }],
  });
  await recorder.call(own, orders.getOrderStatus, { orderId });
  await recorder.call(own, orders.getWorkingOrders, { marketCode: SPOT });
  await recorder.call(own, estimateMargin, {
    prices: [{ asset: 'BTC', price: '54000' }],
    fills: [{ marketCode: BTC, side: 'BUY', quantity: '1', price: '60010' }],
  });
  await venue.pass(1);
  await recorder.call(own, orders.cancelOrders, {
    responseType: 'FULL',
    orders: [
      { marketCode: SPOT, label: 'grid 1' },
      { marketCode: SPOT, label: 'grid 7' },
    ],
  });
  await own.placeOrders({ orders: [order] });
  await recorder.call(own, orders.cancelAllAfter, { timeout: '30000', marketCode: SPOT });
  await recorder.call(own, orders.cancelAllOrders, { marketCode: SPOT });
  await venue.pass(1);
}

/** Requests that change nothing. */
async function look({ recorder, own }: Scene): Promise<void> {
  const ask = (...call: [Parameters<Recorder['call']>[1], object]) => recorder.call(own, ...call);
  await ask(account.getAccount, {});
  await ask(account.getAccountNames, {});
  await ask(account.getBalances, { asset: 'USDT' });
  await ask(account.getPositions, { marketCode: BTC });
  await ask(getClosedOrders, { marketCode: SPOT, limit: '2' });
  await ask(getTrades, { marketCode: BTC, limit: '2' });
  await ask(data.getMarkets, { marketCode: BTC });
  await ask(data.getAssets, { asset: 'USDT' });
  await ask(data.getTickers, { marketCode: BTC });
  await ask(data.getDepth, { marketCode: BTC, level: '2' });
  await ask(data.getOperational, { marketCode: BTC });
  await ask(data.getExchangeTrades, { marketCode: BTC, limit: '2' });
  await ask(data.getLeverageTiers, { marketCode: BTC });
  await ask(data.getCandles, { marketCode: BTC, timeframe: '60s', limit: '2' });
  await ask(getTime, {});
}

/** A sub-account with a thousand dollars buys for eighteen thousand, and the price falls. */
export async function liquidate(
  venue: RecordedVenue,
  own: RialtoClient,
  other: RialtoClient,
  account: string,
): Promise<RialtoClient> {
  const permissions: Permission[] = ['read', 'trade'];
  const risky = venue.clientOf(await own.createApiKey({ account, permissions, label: account }));
  await risky.placeOrders({ orders: [limit(BTC, 'BUY', '0.3', '60010')] });
  await other.placeOrders({ orders: [limit(BTC, 'BUY', '5', '57000')] });
  venue.setPrice('BTC', '57200');
  return risky;
}

async function liquidated({ recorder, venue, own, other }: Scene): Promise<void> {
  const sub = await recorder.call(own, access.createSubAccount, { name: 'breakout' });
  await recorder.call(own, requestTransfer, {
    ...{ asset: 'USDT', quantity: '1000', fromAccount: 'main', toAccount: 'breakout' },
  });
  const risky = await liquidate(venue, own, other, 'breakout');
  await venue.pass(20);
  await recorder.call(risky, getLiquidations, { limit: '2' });
  venue.setPrice('BTC', '60000');
  const { accountId } = sub;
  await recorder.call(own, access.renameSubAccount, { accountId, name: 'lessons' });
  await recorder.call(own, access.freezeSubAccount, { accountId, frozen: true });
  await recorder.call(own, access.getSubAccounts, {});
}

/** An hour later: funding. */
async function afterwards({ recorder, own }: Scene): Promise<void> {
  const ask = (...call: [Parameters<Recorder['call']>[1], object]) => recorder.call(own, ...call);
  await ask(getFunding, { marketCode: BTC, limit: '2' });
  await ask(getFundingRates, { marketCode: BTC, limit: '2' });
  await ask(getFundingEstimates, { marketCode: BTC });
  await ask(account.getAccountHistory, { limit: '2' });
}

const PLACE = {
  ...{ asset: 'USDT', network: 'Ethereum' },
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
};

async function money({ recorder, venue, own }: Scene): Promise<void> {
  const ask = (...call: [Parameters<Recorder['call']>[1], object]) => recorder.call(own, ...call);
  await ask(getTransfers, { limit: '2' });
  await ask(getDepositAddress, { asset: 'USDT', network: 'Ethereum' });
  await venue.deposit('30011', 'USDT', '250');
  await venue.pass(5);
  await ask(getDeposits, { limit: '2' });
  await ask(protection.saveWithdrawalAddress, { ...PLACE, label: 'cold wallet' });
  await ask(withdrawals.getWithdrawalAddresses, { asset: 'USDT' });
  await ask(withdrawals.getWithdrawalFee, { ...PLACE, quantity: '25' });
  const sent = { ...PLACE, quantity: '25', externalFee: true };
  const { id } = await ask(withdrawals.requestWithdrawal, sent);
  await ask(getUnfinished, {});
  await ask(withdrawals.cancelWithdrawal, { id });
  await ask(withdrawals.getWithdrawals, { limit: '2' });
  await ask(protection.removeWithdrawalAddress, PLACE);
  await venue.pass(1);
  await ask(getWallet, { limit: '2' });
}

async function protect({ recorder, venue, own }: Scene): Promise<void> {
  const ask = (...call: [Parameters<Recorder['call']>[1], object]) => recorder.call(own, ...call);
  await ask(protection.setWhitelistMode, { enabled: true });
  await ask(protection.getWhitelistMode, {});
  const tfaType = 'GOOGLE';
  const { secret, enrolment } = await ask(protection.beginSecondFactor, { tfaType });
  const code = codeAt(secret, venue.nowMs());
  await ask(protection.confirmSecondFactor, { enrolment, code });
  await ask(protection.getSecondFactors, {});
  await venue.pass(60);
  const next = codeAt(secret, venue.nowMs());
  await ask(protection.removeSecondFactor, { tfaType, code: next });
}

async function keysAndSessions({ recorder, venue }: Scene): Promise<void> {
  const nobody = venue.clientOf({ accessKey: 'none', secret: 'none' });
  const password = 'correct horse battery';
  await recorder.call(nobody, access.signUp, { name: 'alice', password });
  const pair = await recorder.call(nobody, access.signIn, { name: 'alice', password });
  const alice = venue.clientOf(pair);
  await alice.createSubAccount({ name: 'desk' });
  await recorder.call(alice, access.createApiKey, {
    ...{ account: 'main', permissions: ['read', 'trade'], label: 'my bot' },
  });
  await recorder.call(alice, access.getApiKeys, {});
  const [key] = await alice.apiKeys();
  await recorder.call(alice, access.revokeApiKey, { accessKey: key?.accessKey ?? '' });
  await recorder.call(alice, access.openSession, { account: 'desk' });
  await recorder.call(alice, access.getSessions, {});
  const newPassword = 'even longer than before';
  await recorder.call(alice, access.setPassword, { password, newPassword });
  await recorder.call(alice, access.signOut, {});
  const { token } = await venue.operator().call(inviteUser, { family: 'alice' });
  await recorder.call(nobody, access.acceptInvitation, { token: token ?? '', password });
}
