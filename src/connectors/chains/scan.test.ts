import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Transfer, transferId } from './chain.ts';
import { expectFault } from './chain-stage.fixture.ts';
import { cursorFrom, REMEMBERED_BLOCKS, type ScanCursor, scan } from './scan.ts';
import { type SimulatedChain, simulatedChain } from './simulated-chain.ts';

const chainOf = (blocksPerCall: number): SimulatedChain =>
  simulatedChain({ network: 'Ethereum', confirmations: 3, blocksPerCall });

/** Every transfer in the current chain. */
async function rescanned(chain: SimulatedChain): Promise<ReadonlyMap<string, number>> {
  const heightById = new Map<string, number>();
  await followed(chain, await cursorFrom(chain, 0), heightById);
  return heightById;
}

/** Scans to the head and tracks which transfers were found and which vanished. */
async function followed(
  chain: SimulatedChain,
  cursor: ScanCursor,
  heightById: Map<string, number>,
): Promise<ScanCursor> {
  const step = await scan(chain, cursor);
  if ('isLost' in step) throw new Error('lost');
  const idOf = (transfer: Transfer): string => transferId(chain.network, transfer);
  for (const transfer of step.vanished) {
    if (!heightById.delete(idOf(transfer))) throw new Error('vanished without having been found');
  }
  for (const transfer of step.found) heightById.set(idOf(transfer), transfer.height);
  return step.isAtHead ? step.cursor : followed(chain, step.cursor, heightById);
}

test('whatever is paid, mined and replaced, a follower knows what a rescan would find', async () => {
  const act = fc.oneof(
    fc.constant({ kind: 'pay' as const }),
    fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      returns: fc.boolean(),
    }),
    fc.constant({ kind: 'scan' as const }),
  );
  const plan = fc.array(act, { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(plan, fc.integer({ min: 1, max: 5 }), async (acts, blocksPerCall) => {
      const chain = chainOf(blocksPerCall);
      await chain.observe([1]);
      chain.mine(7);
      const heightById = new Map<string, number>();
      let cursor = await cursorFrom(chain, 0);
      for (const next of acts) {
        if (next.kind === 'pay') {
          chain.payFromOutside({ to: chain.depositAddress(1).address, amount: 5n });
        } else if (next.kind === 'mine') chain.mine(next.count);
        else if (next.kind === 'reorganise') {
          const removed = chain.reorganise(next.depth);
          if (next.returns) for (const txId of removed) chain.sendAgain(txId);
        } else cursor = await followed(chain, cursor, heightById);
      }
      await followed(chain, cursor, heightById);
      expect(heightById).toEqual(await rescanned(chain));
    }),
    { numRuns: 100 },
  );
});

test('a cursor remembers a bounded number of blocks', async () => {
  const chain = chainOf(50);
  chain.mine(REMEMBERED_BLOCKS + 40);
  const cursor = await followed(chain, await cursorFrom(chain, 1), new Map());
  expect(cursor.blocks).toHaveLength(REMEMBERED_BLOCKS);
  chain.reorganise(REMEMBERED_BLOCKS - 1);
  const step = await scan(chain, cursor);
  expect(step).toMatchObject({ forkHeight: cursor.blocks[0]?.height });
});

test('a fork is found with few questions, however deep', async () => {
  const chain = chainOf(50);
  chain.mine(200);
  const cursor = await followed(chain, await cursorFrom(chain, 1), new Map());
  chain.reorganise(150);
  let questions = 0;
  const counted = {
    ...chain,
    hashAt: (height: number) => {
      questions++;
      return chain.hashAt(height);
    },
  };
  expect(await scan(counted, cursor)).toMatchObject({ forkHeight: 50 });
  expect(questions).toBeLessThanOrEqual(9);
});

test('blocks that change between two questions are read again later', async () => {
  const chain = chainOf(50);
  chain.mine(5);
  const cursor = await followed(chain, await cursorFrom(chain, 1), new Map());
  chain.mine();
  const changing = {
    ...chain,
    blocks: async (from: number, to: number) => {
      chain.reorganise(3);
      return chain.blocks(from, to);
    },
  };
  await expectFault(scan(changing, cursor), 'changed');
  expect(await scan(chain, cursor)).toMatchObject({ forkHeight: 3, isAtHead: true });
});

test('a start above the head waits for the chain', async () => {
  await expectFault(cursorFrom(chainOf(5), 10), 'behind');
});
