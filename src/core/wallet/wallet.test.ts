import { expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../../test/support/core-venue.ts';
import type { Event } from '../../domain/events.ts';
import type { AccountIndex, KeyIndex, NetworkIndex } from '../../domain/units.ts';
import { type Amount, amount } from '../../domain/units.ts';
import type { RequestWithdrawal } from '../../domain/wallet-commands.ts';
import { audit } from '../audit/audit.ts';
import { isIdle } from '../venue.ts';
import { chainWork } from '../views/chain-work.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const DAY_MS = 86_400_000;
const NETWORKS = ['Ethereum', 'Arbitrum', 'Bitcoin', 'Solana', 'XRPL'];
const networkOf = (name: string): NetworkIndex => NETWORKS.indexOf(name) as NetworkIndex;

function scene() {
  const venue = venueWith({ alice: { main: { OX: '1000', USDT: '500', XRP: '50' }, desk: {} } });
  const account = venue.account('alice', 'main');
  const by = { key: venue.key('alice', 'main', 'trade', 'withdraw') };
  const ask = (sent: Partial<RequestWithdrawal> = {}): RequestWithdrawal => ({
    kind: 'request-withdrawal',
    by,
    asset: venue.asset('OX'),
    network: networkOf('Arbitrum'),
    address: ADDRESS,
    quantity: parts('100'),
    externalFee: false,
    ...sent,
  });
  return { venue, account, by, ask };
}

const balance = (venue: CoreVenue, account: AccountIndex, code: string) => {
  const purse = account * venue.state.ledger.stride + venue.asset(code);
  return [venue.state.ledger.available[purse], venue.state.ledger.reserved[purse]];
};

const statusIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.kind === 'withdrawal-changed' ? [event.withdrawal.status] : []));

/** A day later addresses are old. */
function released(venue: CoreVenue): void {
  venue.nowMs += DAY_MS;
  venue.apply({ kind: 'tick' });
}

test('a withdrawal reserves, waits a day for its new address, is sent and leaves the venue', () => {
  const { venue, account, ask } = scene();
  const fee = amount(parts('1'));
  const [network, asset] = [networkOf('Arbitrum'), venue.asset('OX')];
  venue.apply({ kind: 'set-withdrawal-fee', network, asset, fee });
  expect(statusIn(venue.apply(ask()))).toEqual(['ON HOLD']);
  expect(balance(venue, account, 'OX')).toEqual([parts('900'), parts('100')]);
  expect(venue.outcome({ kind: 'take-withdrawal', id: 1, nonce: 0 })).toBe('WITHDRAWAL_FAILED');
  released(venue);
  expect(venue.state.wallet.withdrawals.get(1)?.status).toBe('PENDING');
  expect(statusIn(venue.apply({ kind: 'take-withdrawal', id: 1 }))).toEqual(['IN SWEEPING']);
  expect(statusIn(venue.apply({ kind: 'take-withdrawal', id: 1, nonce: 4 }))).toEqual([
    'PROCESSING',
  ]);
  const sign = {
    kind: 'record-transaction',
    id: 1,
    nonce: 4,
    rawBytes: new Uint8Array(3),
  } as const;
  expect(venue.outcome({ ...sign, txId: 'a', nonce: 5 })).toBe('WITHDRAWAL_FAILED');
  expect(venue.outcome({ kind: 'confirm-withdrawal', id: 1, txId: 'a' })).toBe('WITHDRAWAL_FAILED');
  expect(venue.outcome({ ...sign, txId: 'a' })).toBe('transaction-recorded');
  expect(venue.outcome({ ...sign, txId: 'b' })).toBe('transaction-recorded');
  const gas = { asset: venue.asset('ETH'), amount: amount(7n) };
  const events = venue.apply({ kind: 'confirm-withdrawal', id: 1, txId: 'a', gas });
  expect(events.map(({ kind }) => kind)).toEqual(['gas-paid', 'withdrawal-changed']);
  expect(balance(venue, account, 'OX')).toEqual([parts('900'), 0n]);
  expect(venue.outcome({ kind: 'confirm-withdrawal', id: 1, txId: 'a' })).toBe('RESULT_NOT_FOUND');
  const { assets, faults } = audit(venue.state);
  expect(faults).toEqual([]);
  expect(assets.find((one) => one.asset === 'OX')).toMatchObject({
    withdrawals: '99',
    inside: '901',
  });
  expect(assets.find((one) => one.asset === 'ETH')).toMatchObject({ gas: '0.00000007' });
});

test('what is refused reserves nothing, and each rule says so by its code', () => {
  const { venue, account, ask } = scene();
  const before = balance(venue, account, 'OX');
  const trade = { key: venue.key('alice', 'main', 'trade') };
  const xrp = (memo?: string) => ({
    asset: venue.asset('XRP'),
    network: networkOf('XRPL'),
    address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    ...(memo === undefined ? {} : { memo }),
  });
  for (const [sent, reason] of [
    [{ by: trade }, 'PERMISSION_MISSING'],
    [{ network: networkOf('Bitcoin') }, 'WITHDRAWAL_SUSPENDED'],
    [{ address: '' }, 'WITHDRAWAL_ADDRESS_MISSING'],
    [{ address: '0x12' }, 'WITHDRAWAL_ADDRESS_FORMAT'],
    [{ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' }, 'WITHDRAWAL_ADDRESS_FORMAT'],
    [{ memo: '7' }, 'MEMO_FORMAT'],
    [xrp(), 'MEMO_FORMAT'],
    [xrp('word'), 'MEMO_FORMAT'],
    [xrp('4294967296'), 'MEMO_FORMAT'],
    [{ ...xrp('7'), address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj' }, 'WITHDRAWAL_ADDRESS_FORMAT'],
    [{ quantity: parts('0.00001') }, 'WITHDRAWAL_BELOW_MINIMUM'],
    [{ quantity: parts('-5') }, 'WITHDRAWAL_BELOW_MINIMUM'],
    [{ quantity: parts('1000.00000001') }, 'WITHDRAWAL_ABOVE_AVAILABLE'],
    [{ quantity: parts('20000000000') }, 'WITHDRAWAL_LIMIT'],
    [{ used: { factor: 'GOOGLE', step: 9 } }, 'SECOND_FACTOR_OFF'],
  ] as const) {
    expect([sent, venue.outcome(ask(sent))]).toEqual([sent, reason]);
  }
  expect(balance(venue, account, 'OX')).toEqual(before);
  expect(venue.state.wallet.withdrawals.size).toBe(0);
});

test('an enrolled factor is required and a step works once; five wrong codes lock for a day', () => {
  const { venue, by, ask } = scene();
  const enrol = {
    kind: 'enrol-factor',
    by,
    factor: 'GOOGLE',
    sealedSecret: new Uint8Array(4),
  } as const;
  expect(venue.outcome({ ...enrol, step: 10 })).toBe('factor-enrolled');
  const used = (step: number) => ({ used: { factor: 'GOOGLE', step } as const });
  expect(venue.outcome(ask())).toBe('PARAMETER_MISSING');
  expect(venue.outcome(ask(used(10)))).toBe('SECOND_FACTOR_WRONG');
  expect(venue.outcome(ask(used(11)))).toBe('withdrawal-changed');
  expect(venue.outcome(ask(used(11)))).toBe('SECOND_FACTOR_WRONG');
  venue.apply({ kind: 'note-wrong-code', by });
  expect(venue.outcome(ask(used(12)))).toBe('SECOND_FACTOR_TOO_SOON');
  venue.nowMs += 10_000;
  expect(venue.outcome(ask(used(12)))).toBe('withdrawal-changed');
  for (let wrong = 0; wrong < 4; wrong++) venue.apply({ kind: 'note-wrong-code', by });
  venue.nowMs += 60_000;
  expect(venue.outcome(ask(used(13)))).toBe('SECOND_FACTOR_LOCKED');
  venue.nowMs += DAY_MS;
  expect(venue.outcome(ask(used(13)))).toBe('withdrawal-changed');
  // Removed, it is still required for a day.
  expect(venue.outcome({ kind: 'remove-factor', by, factor: 'GOOGLE', ...used(14) })).toBe(
    'factor-removed',
  );
  expect(venue.outcome(ask())).toBe('PARAMETER_MISSING');
  venue.nowMs += DAY_MS;
  expect(venue.outcome(ask())).toBe('withdrawal-changed');
});

test('codes of time work once in any order, while they are young; counters only go forward', () => {
  for (const [factor, sent] of [
    [
      'GOOGLE',
      '10 no, 9 ok, 9 no, 8 ok, 7 no, 11 ok, 10 no, 9 no, 13 ok, 12 ok, 11 no, 20 ok, 18 ok, 17 no',
    ],
    ['YUBIKEY', '10 no, 9 no, 11 ok, 13 ok, 12 no, 13 no, 20 ok, 19 no'],
  ] as const) {
    const { venue, by, ask } = scene();
    venue.apply({ kind: 'enrol-factor', by, factor, sealedSecret: new Uint8Array(4), step: 10 });
    const outcomes = sent.split(', ').map((one) => {
      const step = Number.parseInt(one, 10);
      const isTaken = venue.outcome(ask({ used: { factor, step } })) === 'withdrawal-changed';
      return `${step} ${isTaken ? 'ok' : 'no'}`;
    });
    expect(outcomes.join(', ')).toBe(sent);
  }
});

test('the fee is the lower of now and of the one shown a minute ago', () => {
  const { venue, ask } = scene();
  const [network, asset] = [networkOf('Arbitrum'), venue.asset('OX')];
  const set = (text: string) =>
    venue.outcome({ kind: 'set-withdrawal-fee', network, asset, fee: parts(text) });
  const feeOf = () => {
    const [event] = venue.apply(ask({ quantity: parts('10') }));
    return event?.kind === 'withdrawal-changed' ? event.withdrawal.fee : undefined;
  };
  expect(set('1')).toBe('withdrawal-fee-set');
  expect(feeOf()).toBe(parts('1'));
  expect(set('3')).toBe('TOO_RAPID');
  venue.nowMs += 60_000;
  expect(set('3')).toBe('withdrawal-fee-set');
  expect(feeOf()).toBe(parts('1'));
  venue.nowMs += 60_000;
  expect(feeOf()).toBe(parts('3'));
  expect(set('2')).toBe('withdrawal-fee-set');
  expect(feeOf()).toBe(parts('2'));
});

test('above the limit it takes two different operators', () => {
  const { venue, ask } = scene();
  venue.apply({
    kind: 'set-withdrawal-limits',
    actor: 'ann',
    daily: parts('1000000'),
    automatic: parts('5'),
  });
  venue.apply(ask());
  const release = (actor: string) =>
    venue.outcome({ kind: 'operate-withdrawal', actor, id: 1, act: 'release', reason: '' });
  expect(release('ann')).toBe('withdrawal-changed');
  expect(release('ann')).toBe('REPEATED_CLICK');
  expect(release('bob')).toBe('withdrawal-changed');
  expect(venue.state.wallet.withdrawals.get(1)?.holds).toEqual(['new-address']);
  const cancel = {
    kind: 'operate-withdrawal',
    actor: 'ann',
    id: 1,
    act: 'cancel',
    reason: 'x',
  } as const;
  expect(statusIn(venue.apply(cancel))).toEqual(['CANCELED']);
});

test('a deposit is credited once, however often it is seen; one that vanished holds withdrawals up', () => {
  const { venue, account, ask } = scene();
  const name = { network: networkOf('Ethereum'), txId: '0x1', output: 0 };
  const sight = {
    kind: 'see-deposit',
    ...name,
    account,
    asset: venue.asset('USDT'),
    address: ADDRESS,
    height: 7,
    chainAmount: parts('25'),
  } as const;
  expect(venue.outcome({ kind: 'credit-deposit', ...name })).toBe('RESULT_NOT_FOUND');
  expect(venue.outcome(sight)).toBe('deposit-changed');
  expect(venue.apply(sight)).toEqual([]);
  expect(venue.outcome({ kind: 'lose-deposit', ...name })).toBe('deposit-changed');
  expect(venue.outcome({ kind: 'credit-deposit', ...name })).toBe('REPEATED_CLICK');
  expect(venue.outcome({ ...sight, height: 8 })).toBe('deposit-changed');
  expect(venue.outcome({ kind: 'credit-deposit', ...name })).toBe('deposit-changed');
  expect(venue.outcome({ kind: 'credit-deposit', ...name })).toBe('REPEATED_CLICK');
  expect(balance(venue, account, 'USDT')).toEqual([parts('525'), 0n]);
  venue.apply(ask());
  released(venue);
  venue.apply({ kind: 'lose-deposit', ...name });
  expect(venue.state.wallet.withdrawals.get(1)?.holds).toEqual(['restriction']);
  const reverse = { kind: 'operate-deposit', id: 1, act: 'reverse', reason: '' } as const;
  venue.apply({ ...reverse, actor: 'ann' });
  expect(balance(venue, account, 'USDT')).toEqual([parts('525'), 0n]);
  venue.apply({ ...reverse, actor: 'bob' });
  expect(balance(venue, account, 'USDT')).toEqual([parts('500'), 0n]);
  expect(venue.state.wallet.withdrawals.get(1)?.status).toBe('PENDING');
  expect(audit(venue.state).faults).toEqual([]);
});

test('a deposit below the minimum waits in suspense until an operator completes it', () => {
  const { venue, account } = scene();
  const name = { network: networkOf('Ethereum'), txId: '0x1', output: 0 };
  const asset = venue.asset('USDT');
  const sight = { ...name, account, asset, address: ADDRESS, height: 7, chainAmount: 1n };
  venue.apply({ kind: 'see-deposit', ...sight });
  venue.apply({ kind: 'credit-deposit', ...name });
  expect(balance(venue, account, 'USDT')).toEqual([parts('500'), 0n]);
  expect(audit(venue.state).faults).toEqual([]);
  const act = {
    kind: 'operate-deposit',
    actor: 'ann',
    id: 1,
    act: 'complete',
    reason: '',
  } as const;
  expect(venue.outcome(act)).toBe('deposit-changed');
  expect(venue.outcome(act)).toBe('REPEATED_CLICK');
  expect(balance(venue, account, 'USDT')).toEqual([parts('500.00000001'), 0n]);
});

test('a sweep is recorded before it is sent, one at a time from an address, and costs only its gas', () => {
  const { venue, account, ask } = scene();
  const network = networkOf('Arbitrum');
  const asset = venue.asset('USDT');
  const rawBytes = new Uint8Array(3);
  const place = { kind: 'record-sweep', network, account, asset, chainAmount: 5n } as const;
  const topUp = { ...place, step: 'top-up', nonce: 0, txId: 'a', rawBytes } as const;
  expect(venue.outcome({ ...topUp, txId: '' })).toBe('PARAMETER_INVALID');
  expect(venue.outcome({ ...topUp, account: 1_000 as AccountIndex })).toBe('SUB_ACCOUNT_INVALID');
  expect(venue.outcome({ ...topUp, chainAmount: 0n })).toBe('PARAMETER_INVALID');
  expect(venue.outcome(topUp)).toBe('sweep-recorded');
  expect(venue.apply(topUp)).toEqual([]);
  expect(venue.outcome({ ...topUp, txId: 'b' })).toBe('sweep-recorded');
  expect(venue.outcome({ ...topUp, nonce: 1, txId: 'c' })).toBe('REPEATED_CLICK');
  // Its nonce is the hot wallet's: no withdrawal gets it.
  venue.apply(ask());
  released(venue);
  expect(venue.outcome({ kind: 'take-withdrawal', id: 1, nonce: 0 })).toBe('WITHDRAWAL_FAILED');
  expect(chainWork(venue.state, {})[network]).toMatchObject({
    nextNonce: 1,
    sweeps: [{ account, step: 'top-up', versions: [{ txId: 'a', rawBytes }, { txId: 'b' }] }],
    withdrawals: [{ id: 1, status: 'PENDING', leaving: parts('100'), versions: [] }],
  });
  const gas = { asset: venue.asset('ETH'), amount: amount(7n) };
  const end = { kind: 'end-sweep', network, account, step: 'top-up', txId: 'b', gas } as const;
  expect(venue.apply(end).map(({ kind }) => kind)).toEqual(['gas-paid', 'sweep-ended']);
  expect(venue.outcome(end)).toBe('RESULT_NOT_FOUND');
  // A deposit address counts its own nonces.
  expect(venue.outcome({ ...topUp, step: 'sweep', nonce: 0, txId: 'd' })).toBe('sweep-recorded');
  expect(audit(venue.state).faults).toEqual([]);
});

test('a venue waits for holds that end with time, not for operators and senders', () => {
  const { venue, by, ask } = scene();
  expect(isIdle(venue.state)).toBe(true);
  venue.apply(ask());
  venue.apply(ask());
  expect(isIdle(venue.state)).toBe(false);
  venue.apply({ kind: 'cancel-withdrawal', by, id: 1 });
  expect(isIdle(venue.state)).toBe(false);
  released(venue);
  expect(venue.state.wallet.withdrawals.get(2)?.status).toBe('PENDING');
  expect(isIdle(venue.state)).toBe(true);
  // The address is old by now: only operators can end this hold.
  const automatic = amount(parts('1'));
  const daily = amount(parts('1000'));
  venue.apply({ kind: 'set-withdrawal-limits', actor: 'ann', daily, automatic });
  expect(statusIn(venue.apply(ask()))).toEqual(['ON HOLD']);
  expect(isIdle(venue.state)).toBe(true);
});

test('only a key that may withdraw arranges how money leaves; one that trades may call it back', () => {
  const { venue, by, ask } = scene();
  const trade = { key: venue.key('alice', 'main', 'trade') };
  const place = { asset: venue.asset('OX'), network: networkOf('Arbitrum'), address: ADDRESS };
  const sealedSecret = new Uint8Array(4);
  const arrangements = (who: { readonly key: KeyIndex }) =>
    [
      { kind: 'save-address', by: who, ...place, label: '', whitelisted: true },
      { kind: 'remove-address', by: who, ...place },
      { kind: 'set-whitelist-mode', by: who, isOn: false },
      { kind: 'enrol-factor', by: who, factor: 'GOOGLE', sealedSecret, step: 10 },
      { kind: 'remove-factor', by: who, factor: 'GOOGLE', used: { factor: 'GOOGLE', step: 11 } },
    ] as const;
  for (const command of arrangements(trade)) {
    expect([command.kind, venue.outcome(command)]).toEqual([command.kind, 'PERMISSION_MISSING']);
  }
  expect(arrangements(by).map((command) => venue.outcome(command))).toEqual([
    ...['address-saved', 'address-removed', 'whitelist-mode-set'],
    ...['factor-enrolled', 'factor-removed'],
  ]);
  venue.apply(ask({ used: { factor: 'GOOGLE', step: 12 } }));
  const canceled = venue.apply({ kind: 'cancel-withdrawal', by: trade, id: 1 });
  expect(statusIn(canceled)).toEqual(['CANCELED']);
});

test('in whitelist mode a saved address must be marked as well', () => {
  const { venue, by, ask } = scene();
  const place = { asset: venue.asset('OX'), network: networkOf('Arbitrum'), address: ADDRESS };
  const save = { kind: 'save-address', by, ...place, label: 'mine' } as const;
  venue.apply({ kind: 'set-whitelist-mode', by, isOn: true });
  expect(venue.outcome(ask())).toBe('WHITELIST_FIRST');
  venue.apply({ ...save, whitelisted: false });
  expect(venue.outcome(ask())).toBe('WHITELIST_FIRST');
  venue.apply({ ...save, whitelisted: true });
  expect(venue.outcome(ask())).toBe('withdrawal-changed');
});

test('a new label leaves the mark of a saved address, and a new mark its label', () => {
  const { venue, by } = scene();
  const place = { asset: venue.asset('OX'), network: networkOf('Arbitrum'), address: ADDRESS };
  const saved = (change: { readonly label?: string; readonly whitelisted?: boolean }) =>
    venue.apply({ kind: 'save-address', by, ...place, ...change })[0];
  expect(saved({ label: 'cold' })).toMatchObject({ label: 'cold', whitelisted: false });
  expect(saved({ whitelisted: true })).toMatchObject({ label: 'cold', whitelisted: true });
  expect(saved({ label: 'cold 2' })).toMatchObject({ label: 'cold 2', whitelisted: true });
  expect(saved({ label: '', whitelisted: false })).toMatchObject({ label: '', whitelisted: false });
});

test('the burn fee is its owner’s cost, and a quantity must be more than its fees', () => {
  const { venue, account, ask } = scene();
  const network = networkOf('Ethereum');
  const fee = amount(parts('1'));
  venue.apply({ kind: 'set-withdrawal-fee', network, asset: venue.asset('OX'), fee });
  // The catalogue burns 2 OX on Ethereum.
  const burning = (quantity: string, externalFee: boolean) =>
    ask({ network, quantity: parts(quantity), externalFee });
  expect(venue.outcome(burning('3', false))).toBe('WITHDRAWAL_FEE_NOT_COVERED');
  venue.apply(burning('3', true));
  expect(balance(venue, account, 'OX')).toEqual([parts('994'), parts('6')]);
  venue.apply(burning('3.00000001', false));
  expect(balance(venue, account, 'OX')[1]).toBe(parts('9.00000001'));
});

test('the limit of a day is the family’s, for 24 hours and without what was called back', () => {
  const { venue, by, ask } = scene();
  const [daily, automatic] = [amount(parts('250')), amount(parts('250'))];
  venue.apply({ kind: 'set-withdrawal-limits', actor: 'ann', daily, automatic });
  expect(venue.outcome(ask())).toBe('withdrawal-changed');
  expect(venue.outcome(ask())).toBe('withdrawal-changed');
  expect(venue.outcome(ask())).toBe('WITHDRAWAL_LIMIT');
  venue.apply({ kind: 'cancel-withdrawal', by, id: 2 });
  expect(venue.outcome(ask())).toBe('withdrawal-changed');
  venue.nowMs += DAY_MS - 1;
  expect(venue.outcome(ask())).toBe('WITHDRAWAL_LIMIT');
  venue.nowMs += 1;
  expect(venue.outcome(ask())).toBe('withdrawal-changed');
});

test('a request looks at what has become old, and not at what a family took out before', () => {
  const { venue, ask } = scene();
  const family = venue.state.wallet.families[0];
  expect(family).toBeDefined();
  const spent = new CountedMap();
  Object.assign(family as object, { spent });
  for (let count = 0; count < 300; count++) {
    venue.nowMs += 1_000;
    expect(venue.outcome(ask({ quantity: parts('1') }))).toBe('withdrawal-changed');
  }
  // Each looked at the oldest: by the request, for the limit, for the checks.
  expect(spent.steps).toBeLessThanOrEqual(3 * 300);
  expect(family?.spentSum).toBe(300n * parts('1'));
  // A day later all are dropped, once.
  spent.steps = 0;
  venue.nowMs += DAY_MS;
  venue.apply(ask({ quantity: parts('1') }));
  expect(spent.steps).toBeLessThan(310);
  expect([spent.size, family?.spentSum]).toEqual([1, parts('1')]);
  venue.apply({ kind: 'cancel-withdrawal', by: ask().by, id: 301 });
  expect([spent.size, family?.spentSum]).toEqual([0, 0n]);
});

/** Counts the entries that are looked at. */
class CountedMap extends Map<number, { readonly atMs: number; readonly value: Amount }> {
  steps = 0;

  override *[Symbol.iterator]() {
    for (const entry of super.entries()) {
      this.steps++;
      yield entry;
    }
    return undefined;
  }

  override *values() {
    for (const value of super.values()) {
      this.steps++;
      yield value;
    }
    return undefined;
  }
}

test('a refusal names withdrawals and deposits as operators know them', () => {
  const { venue } = scene();
  const said = (kind: 'operate-withdrawal' | 'operate-deposit') => {
    const act = kind === 'operate-withdrawal' ? ('release' as const) : ('reverse' as const);
    const command = { kind, actor: 'ann', id: 7, act, reason: '' } as Parameters<
      CoreVenue['apply']
    >[0];
    return venue
      .apply(command)
      .flatMap((event) => (event.kind === 'refused' ? [event.message] : []));
  };
  expect(said('operate-withdrawal').join()).toContain('withdrawal 980000000000000007');
  expect(said('operate-deposit').join()).toContain('deposit 985000000000000007');
  const [taken] = venue.apply({ kind: 'take-withdrawal', id: 7, nonce: 0 });
  expect(taken).toMatchObject({
    message: expect.stringContaining('withdrawal 980000000000000007'),
  });
});
