import { describe, expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../test/support/core-venue.ts';
import { limitOrder } from '../../test/support/limit-order.ts';
import { newState } from '../core/state.ts';
import type { Command, Transfer } from '../domain/commands.ts';
import { usdPrice } from '../domain/units.ts';
import { openMemory } from '../journal/memory.ts';
import { manualClock } from './clock.ts';
import { DiskWatch } from './disk-watch.ts';
import { EngineStopped, type Submitted } from './engine.ts';
import { memoryPoison } from './poison.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import { replay } from './recovery.ts';
import { Sequencer } from './sequencer.ts';

/** A sequencer over a journal that becomes durable when the test says so. */
function setUp(
  options: {
    readonly lagMax?: number;
    readonly soon?: (run: () => void) => void;
    readonly groupBytesMax?: number;
    readonly waitingMax?: number;
    readonly appendsMax?: number;
  } = {},
  venue = venueWith({ alice: { main: { USDT: '50' }, desk: {} } }),
) {
  venue.state.sequence = 0; // The genesis was not journaled here: only what follows matters.
  const { groupBytesMax, waitingMax, appendsMax = 1 } = options;
  const limit = groupBytesMax === undefined ? {} : { groupBytesMax };
  const journal = Object.assign(openMemory({ isManual: true, appendsMax }), limit);
  const clock = manualClock(venue.nowMs);
  const failures: Error[] = [];
  const durable: number[] = [];
  const names: number[] = [];
  const poison = memoryPoison();
  const recent = new RecentOutcomes({
    nextSequence: 1,
    readOlder: () => Promise.reject(new Error('nothing older')),
    ...(options.lagMax === undefined ? {} : { limits: { lagMax: options.lagMax } }),
  });
  const disk = { free: 10_000, watch: undefined as unknown as DiskWatch };
  disk.watch = new DiskWatch({
    freeBytes: () => disk.free,
    spareFailure: () => undefined,
    limits: { warnBytes: 0, minBytes: 1_000 },
    onNotice: () => undefined,
  });
  const sequencer = new Sequencer({
    disk: disk.watch,
    state: venue.state,
    journal,
    clock,
    poison,
    recent,
    ...(waitingMax === undefined ? {} : { waitingMax }),
    soon: options.soon ?? ((run) => run()),
    onDurable: (sequence, namesSequence) => {
      durable.push(sequence);
      names.push(namesSequence);
    },
    onFailure: (reason) => failures.push(reason),
  });
  return { disk, venue, journal, clock, failures, durable, names, poison, recent, sequencer };
}

const transfer = (venue: CoreVenue, quantity: string, fingerprint?: string): Transfer => ({
  kind: 'transfer',
  by: {
    key: venue.key('alice', 'main', 'trade'),
    ...(fingerprint === undefined ? {} : { fingerprint, expiresAtMs: venue.nowMs + 60_000 }),
  },
  asset: venue.asset('USDT'),
  amount: parts(quantity),
  from: venue.account('alice', 'main'),
  to: venue.account('alice', 'desk'),
});

/** Lets everything that can go on go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('no outcome leaves before its command is durable', async () => {
  const { venue, journal, sequencer, durable } = setUp();
  let answered = 0;
  const answers = ['1', '2', '3'].map((quantity) =>
    sequencer.submit(transfer(venue, quantity)).then(() => answered++),
  );
  await settled();
  expect([answered, durable]).toEqual([0, []]);
  journal.settle();
  await settled();
  // The first went alone; the others waited together for the next append.
  expect([answered, durable, journal.waitingEntries]).toEqual([1, [1], 2]);
  journal.settle();
  await Promise.all(answers);
  expect([answered, durable]).toEqual([3, [1, 3]]);
});

test('it says which durable command was the last that does more than place or cancel orders', async () => {
  const { venue, journal, sequencer, durable, names } = setUp();
  const by = { key: venue.key('alice', 'main', 'trade') };
  const submit = async (command: Parameters<typeof sequencer.submit>[0]): Promise<void> => {
    const submitted = sequencer.submit(command);
    journal.settle();
    await submitted;
  };
  await submit({ kind: 'cancel-orders', by, orders: [] });
  await submit(transfer(venue, '1'));
  await submit({ kind: 'place-orders', by, source: 0, orders: [] });
  expect([durable, names]).toEqual([
    [1, 2, 3],
    [0, 2, 2],
  ]);
});

test('a journal that takes several appends gets them, and outcomes leave in their order', async () => {
  const { venue, journal, sequencer, durable } = setUp({ appendsMax: 2 });
  const answered: number[] = [];
  const answers = ['1', '2', '3', '4'].map((quantity, at) =>
    sequencer.submit(transfer(venue, quantity)).then(() => answered.push(at)),
  );
  expect([journal.appendsInFlight, sequencer.status().waiting]).toEqual([2, 2]);
  journal.settle();
  await settled();
  // The two that waited go together as soon as one is durable.
  expect([answered, durable, journal.appendsInFlight]).toEqual([[0], [1], 2]);
  journal.settle();
  await settled();
  expect([answered, durable, journal.waitingEntries]).toEqual([[0, 1], [1, 2], 2]);
  journal.settle();
  await Promise.all(answers);
  expect([answered, durable]).toEqual([
    [0, 1, 2, 3],
    [1, 2, 4],
  ]);
});

test('a view waits for what it saw, not for what comes after', async () => {
  const { venue, journal, sequencer } = setUp();
  const first = sequencer.submit(transfer(venue, '5'));
  let isSeen = false;
  const look = sequencer.view('clock', {}).then(() => {
    isSeen = true;
  });
  void sequencer.submit(transfer(venue, '6'));
  await settled();
  expect(isSeen).toBe(false);
  journal.settle();
  await first;
  await look;
  expect(journal.appendsInFlight).toBe(1);
});

test('when several appends fail, all who wait learn it, and the venue stops once', async () => {
  const { venue, journal, sequencer, failures } = setUp({ appendsMax: 3 });
  const waiting: Promise<unknown>[] = [];
  for (const quantity of ['1', '2', '3', '4']) {
    waiting.push(sequencer.submit(transfer(venue, quantity)), sequencer.view('clock', {}));
  }
  expect(journal.appendsInFlight).toBe(3);
  journal.fail(new Error('EIO'));
  for (const one of await Promise.allSettled(waiting)) {
    expect(one.status === 'rejected' && one.reason).toBeInstanceOf(EngineStopped);
  }
  expect(failures).toHaveLength(1);
});

test('where the journal takes only so much at once, what waits goes in several groups, in order', async () => {
  const { venue, journal, sequencer, durable } = setUp({ groupBytesMax: 700 });
  const answered: number[] = [];
  const answers = Array.from({ length: 9 }, (_, at) =>
    sequencer.submit(transfer(venue, String(at + 1))).then(() => answered.push(at)),
  );
  const groups: number[] = [];
  while (durable.at(-1) !== 9) {
    groups.push(journal.waitingEntries);
    journal.settle();
    await settled();
  }
  await Promise.all(answers);
  expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(groups.length).toBeGreaterThan(2);
  expect(Math.max(...groups)).toBeLessThan(9);
  const bytes = [...journal.read(1)].map((entry) => entry.bytes.length + 4);
  expect(Math.max(...bytes)).toBeLessThan(700);
});

test('what may wait for the journal is bounded: further commands are busy, and go again later', async () => {
  const { venue, journal, sequencer } = setUp({ waitingMax: 3 });
  const taken = ['1', '2', '3', '4'].map((quantity) => sequencer.submit(transfer(venue, quantity)));
  const { outcome } = await sequencer.submit(transfer(venue, '5'));
  expect(outcome.events).toMatchObject([{ kind: 'refused', reason: 'BUSY' }]);
  expect(JSON.stringify(outcome.events)).toMatch(/3 commands wait for the log.*sent again/);
  journal.settle();
  await settled();
  journal.settle();
  await Promise.all(taken);
  const after = sequencer.submit(transfer(venue, '6'));
  journal.settle();
  expect((await after).outcome.events[0]?.kind).not.toBe('refused');
});

test('a look at now waits until what it saw is durable', async () => {
  const { venue, journal, sequencer } = setUp();
  const account = venue.account('alice', 'desk');
  void sequencer.submit(transfer(venue, '5'));
  let seen: unknown;
  const look = sequencer.view('balances', { accounts: [account] }).then((view) => {
    seen = view;
  });
  await settled();
  expect(seen).toBeUndefined();
  journal.settle();
  await look;
  expect(seen).toMatchObject([{ balances: [{ available: parts('5') }] }]);
});

test('the same signed request again waits for the first and gets the first answer', async () => {
  const { venue, journal, sequencer } = setUp();
  const order = transfer(venue, '5', 'same');
  const first = sequencer.submit(order);
  let repeated: Submitted | undefined;
  const second = sequencer.submit(order).then((answer) => {
    repeated = answer;
  });
  await settled();
  expect(repeated).toBeUndefined();
  journal.settle();
  const { outcome } = await first;
  await second;
  expect(repeated?.outcome).toEqual(outcome);
  expect(repeated?.isRepeat).toBe(true);
  expect(journal.lastSequence).toBe(1);
});

test('a refusal of the core is remembered like any other answer', async () => {
  const { venue, journal, sequencer } = setUp();
  const order = transfer(venue, '51', 'too much');
  const first = sequencer.submit(order);
  journal.settle();
  await first;
  const again = await sequencer.submit(order);
  expect(again.outcome).toEqual((await first).outcome);
  expect(again.isRepeat).toBe(true);
});

test('when the journal fails, everything that waits learns that its outcome is unknown', async () => {
  const { venue, journal, sequencer, failures } = setUp();
  const waiting = [
    sequencer.submit(transfer(venue, '1')),
    sequencer.submit(transfer(venue, '2')),
    sequencer.view('clock', {}),
  ];
  await settled();
  journal.fail(new Error('ENOSPC'));
  for (const one of await Promise.allSettled(waiting)) {
    expect(one.status === 'rejected' && one.reason).toBeInstanceOf(EngineStopped);
  }
  expect(failures).toHaveLength(1);
  await expect(sequencer.submit(transfer(venue, '1'))).rejects.toBeInstanceOf(EngineStopped);
  await expect(sequencer.view('clock', {})).rejects.toBeInstanceOf(EngineStopped);
});

test('a command that breaks an invariant is set aside and never reaches the journal', async () => {
  const { venue, journal, sequencer, failures, poison } = setUp();
  const good = sequencer.submit(transfer(venue, '1'));
  // A planted bug: the ledger has lost what the account should have.
  venue.state.ledger.mayOwe.fill(0);
  venue.state.ledger.touchedAtMs = new Float64Array(0);
  Object.defineProperty(venue.state.ledger, 'available', {
    get: () => {
      throw new Error('planted');
    },
  });
  const order = transfer(venue, '2');
  await expect(sequencer.submit(order)).rejects.toBeInstanceOf(EngineStopped);
  journal.settle();
  await good;
  expect(journal.lastSequence).toBe(1);
  expect(failures[0]?.message).toContain('planted');
  expect(failures[0]?.message).toContain('refused from now on: start the venue again');
  expect(poison.has(order)).toBe(true);
});

test('a command that cannot be written is not applied either: it fails alone, and replay agrees', async () => {
  const { venue, journal, sequencer, failures } = setUp();
  const before = sequencer.status().digest;
  const unwritable = { kind: 'cancel-withdrawal', by: transfer(venue, '1').by, id: 2 ** 63 };
  await expect(sequencer.submit(unwritable as Command)).rejects.toThrow('only whole numbers');
  expect(sequencer.status()).toMatchObject({ sequence: 0, digest: before, isStopped: false });
  const good = sequencer.submit(transfer(venue, '1'));
  journal.settle();
  await good;
  expect([journal.lastSequence, failures]).toEqual([1, []]);
  const again = venueWith({ alice: { main: { USDT: '50' }, desk: {} } });
  again.state.sequence = 0;
  // It throws at an entry whose digest differs.
  replay(again.state, journal.read(1));
  expect(again.state.sequence).toBe(1);
});

test('a command that was set aside is refused after the restart', async () => {
  const { venue, sequencer, poison } = setUp();
  const order = transfer(venue, '2');
  poison.add(order, new Error('planted'));
  const { outcome } = await sequencer.submit(order);
  expect(outcome.events).toMatchObject([{ kind: 'refused', reason: 'COMMAND_SET_ASIDE' }]);
});

test('when the follower falls too far behind, commands are refused rather than memory filled', async () => {
  const { venue, journal, sequencer, recent } = setUp({ lagMax: 2 });
  const first = [sequencer.submit(transfer(venue, '1')), sequencer.submit(transfer(venue, '1'))];
  const { outcome } = await sequencer.submit(transfer(venue, '1'));
  expect(outcome.events).toMatchObject([{ kind: 'refused', reason: 'BUSY' }]);
  journal.settle();
  await settled();
  journal.settle();
  await Promise.all(first);
  recent.stored(2);
  const next = sequencer.submit(transfer(venue, '1'));
  await settled();
  journal.settle();
  expect((await next).outcome.events).toMatchObject([{ kind: 'transferred' }]);
});

test('time never runs backwards, whatever the clock does', async () => {
  const { venue, journal, clock, sequencer } = setUp();
  const first = sequencer.submit(transfer(venue, '1'));
  clock.advance(-10_000);
  const second = sequencer.submit(transfer(venue, '1'));
  journal.settle();
  await settled();
  journal.settle();
  expect((await second).outcome.timeMs).toBeGreaterThanOrEqual((await first).outcome.timeMs);
});

test('a step of the clock is a command: time has stepped, prices from before do not count', async () => {
  const { venue, journal, sequencer } = setUp();
  venue.state.assets.forEach((asset) => {
    asset.indexAtMs = venue.nowMs;
  });
  const step = { kind: 'step-clock', actor: 'clock', fromMs: venue.nowMs } as const;
  const stepped = sequencer.submit({ ...step, toMs: venue.nowMs + 7_000 });
  const next = sequencer.submit(transfer(venue, '1'));
  journal.settle();
  await settled();
  journal.settle();
  expect((await stepped).outcome).toMatchObject({ timeMs: venue.nowMs + 7_000, events: [] });
  expect((await next).outcome.timeMs).toBe(venue.nowMs + 7_000);
  expect(venue.state.assets.every(({ indexAtMs }) => indexAtMs === 0)).toBe(true);
});

test('a step of the clock that the clocks do not bear out is refused and not journaled', async () => {
  const { venue, clock, journal, sequencer } = setUp();
  clock.stepTo = () => 'the wall clock is not ahead';
  const step = { kind: 'step-clock', actor: 'ops', fromMs: venue.nowMs, toMs: 0 } as const;
  const { outcome } = await sequencer.submit(step);
  expect(outcome.events).toMatchObject([
    { kind: 'refused', message: expect.stringContaining('the wall clock is not ahead') },
  ]);
  expect(journal.waitingEntries).toBe(0);
});

test('on a full disk new business is refused without a trace, and cancels are taken', async () => {
  const { venue, journal, sequencer, disk } = setUp();
  disk.free = 10;
  disk.watch.check();
  const request = transfer(venue, '1', 'print');
  const { outcome } = await sequencer.submit(request);
  expect(outcome.events).toMatchObject([
    { kind: 'refused', reason: 'UNAVAILABLE', message: expect.stringContaining('10 bytes left') },
  ]);
  expect(journal.waitingEntries).toBe(0);
  const cancelled = sequencer.submit({ kind: 'cancel-all', by: request.by });
  journal.settle();
  expect((await cancelled).outcome.sequence).toBe(1);
  disk.free = 10_000;
  disk.watch.check();
  const taken = sequencer.submit({ ...request, by: { ...request.by, fingerprint: 'other' } });
  await settled();
  journal.settle();
  expect((await taken).outcome.events).toMatchObject([{ kind: 'transferred' }]);
});

test('draining answers what was taken and takes no more', async () => {
  const { venue, journal, sequencer } = setUp();
  const taken = sequencer.submit(transfer(venue, '1'));
  const drained = sequencer.drain();
  await expect(sequencer.submit(transfer(venue, '1'))).rejects.toBeInstanceOf(EngineStopped);
  journal.settle();
  await drained;
  expect((await taken).outcome.sequence).toBe(1);
});

test('an entry that replays to another digest is refused with the reason', async () => {
  const { venue, journal, sequencer } = setUp();
  const taken = sequencer.submit(transfer(venue, '1'));
  journal.settle();
  await taken;
  expect(() => replay(newState(), journal.read(1))).toThrow(/digest .* the journal says/);
});

describe('consequences beyond what one command works off', () => {
  const BTC = usdPrice(6_060_000_000_000n);

  /** 2,500 stops that fire at 60,600: two commands more than the one that moves the price. */
  function turmoil() {
    const venue = venueWith({ alice: { main: { USDT: '50', OX: '1000' }, desk: {} } });
    const market = venue.market('BTC-USD-SWAP-LIN');
    const by = { key: venue.key('alice', 'main', 'trade') };
    venue.apply({ kind: 'set-order-limits', actor: 'test', perMarket: 5_000, inAll: 5_000 });
    const order = { ...limitOrder(market, 'BUY', 61_000, 1), stopTicks: 60_600 } as const;
    const stop = { ...order, orderType: 'STOP_LIMIT', timeInForce: 'IOC' } as const;
    for (let placed = 0; placed < 2_500; placed += 10) {
      venue.apply({ kind: 'place-orders', by, source: 11, orders: Array(10).fill(stop) });
    }
    const tasks: (() => void)[] = [];
    const parts = setUp({ soon: (run) => tasks.push(run) }, venue);
    /** One turn of the event loop. */
    const turn = async (): Promise<void> => {
      for (const run of tasks.splice(0)) run();
      await settled();
    };
    const move = { kind: 'set-index-prices', prices: [{ asset: 'BTC', price: BTC }] } as const;
    return { ...parts, turn, move };
  }

  test('come before any client, a turn each; in between views are answered and outcomes leave', async () => {
    const { venue, journal, sequencer, turn, move } = turmoil();
    const log: string[] = [];
    void sequencer.submit(move).then(({ outcome }) => log.push(`moved ${outcome.sequence}`));
    // Arrives while 1,500 stops are still to fire.
    const waiting = sequencer.submit(transfer(venue, '1', 'once'));
    const again = sequencer.submit(transfer(venue, '1', 'once'));
    void waiting.then(({ outcome }) => log.push(`transferred ${outcome.sequence}`));
    void sequencer.view('clock', {}).then(() => log.push('looked'));
    expect([venue.state.sequence, sequencer.status().waiting]).toEqual([1, 4]);
    await turn();
    journal.settle();
    await settled();
    // The price has moved and can be seen; the transfer has not been looked at.
    expect(log).toEqual(['moved 1', 'looked']);
    expect(venue.state.sequence).toBe(2);
    for (let i = 0; i < 6; i++) {
      await turn();
      journal.settle();
    }
    await sequencer.drain();
    expect(log.at(-1)).toBe('transferred 4');
    expect(await again).toMatchObject({ isRepeat: true, outcome: { sequence: 4 } });
    expect(venue.state.orders.openCount).toBe(0);
  });

  test('a venue that closes works them off and answers what it has taken', async () => {
    const { venue, journal, sequencer, turn, move } = turmoil();
    const moved = sequencer.submit(move);
    const waiting = sequencer.submit(transfer(venue, '1'));
    const drained = sequencer.drain();
    await expect(sequencer.submit(transfer(venue, '1'))).rejects.toBeInstanceOf(EngineStopped);
    for (let i = 0; i < 8; i++) {
      await turn();
      journal.settle();
    }
    await drained;
    expect([(await moved).outcome.sequence, (await waiting).outcome.sequence]).toEqual([1, 4]);
  });

  test('a venue that breaks fails what waits', async () => {
    const { venue, journal, sequencer, turn, move } = turmoil();
    const moved = sequencer.submit(move);
    const waiting = sequencer.submit(transfer(venue, '1'));
    await turn();
    journal.fail(new Error('ENOSPC'));
    await expect(moved).rejects.toBeInstanceOf(EngineStopped);
    await expect(waiting).rejects.toBeInstanceOf(EngineStopped);
  });

  test('what a crash has left pending is worked off before the first client', async () => {
    const { venue, move } = turmoil();
    venue.apply(move);
    const tasks: (() => void)[] = [];
    const { sequencer, journal } = setUp({ soon: (run) => tasks.push(run) }, venue);
    const first = sequencer.submit(transfer(venue, '1'));
    for (let i = 0; i < 8; i++) {
      for (const run of tasks.splice(0)) run();
      await settled();
      journal.settle();
    }
    expect((await first).outcome.sequence).toBe(3);
  });

  test('more clients than can wait are refused', async () => {
    const { venue, sequencer, move } = turmoil();
    void sequencer.submit(move);
    for (let i = 0; i < 10_000; i++) void sequencer.submit(transfer(venue, '1'));
    const { outcome } = await sequencer.submit(transfer(venue, '1'));
    expect(outcome.events).toMatchObject([{ kind: 'refused', reason: 'BUSY' }]);
  });
});
