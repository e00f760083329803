import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RialtoClient } from '../../src/client/index.ts';
import { accountOf, clientFor, clientOf, keyOf, startVenue, type Venue } from '../http/venue.ts';

/** The result of the kills. */
export type ChainKillReport = {
  readonly kills: number;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly faults: readonly string[];
};

/**
 * The real program with its simulated chains, repeatedly killed (kill -9) during deposits and withdrawals.
 * Each payment has a unique amount, so that history shows which arrived and how often; at the end the
 * solvency of the chains is compared with deposits and withdrawals.
 */
export async function runChainKills(
  kills: number,
  random: () => number,
  losesChains = false,
): Promise<ChainKillReport> {
  const faults: string[] = [];
  let venue = await startVenue();
  const { data } = venue;
  const sent = { deposits: new Map<string, string>(), withdrawals: new Map<string, string>() };
  const before = await balanceOf(clientFor(venue));
  for (let kill = 0; kill <= kills; kill++) {
    for (let each = 0; each < 2; each++) {
      const n = sent.deposits.size + 1;
      const quantity = `${n}.00${String(n).padStart(2, '0')}`;
      sent.deposits.set(await pay(venue, quantity), quantity);
      const request = { asset: 'USDT', network: 'Ethereum', address: FRIEND, externalFee: false };
      const { id } = await withdrawer(venue).withdraw({ ...request, quantity });
      sent.withdrawals.set(id, quantity);
    }
    if (kill === kills) break;
    await new Promise((resolve) => setTimeout(resolve, random() * 1_500));
    await venue.kill();
    if (losesChains) rmSync(join(data, 'chains'), { recursive: true });
    venue = await startVenue({ data });
  }
  const came = await untilAll(sent.deposits, async (txId) => {
    const found = (await clientFor(venue).deposits({ asset: 'USDT', limit: '200' })).filter(
      (one) => one.txId === txId,
    );
    if (found.length > 1) faults.push(`deposit ${txId} is there ${found.length} times`);
    const [one] = found;
    if (one === undefined || one.status === 'PENDING') return undefined;
    return one.status === 'COMPLETED' ? one.quantity : '0';
  });
  const went = await untilAll(sent.withdrawals, async (id) => {
    const [found] = await withdrawer(venue).withdrawals({ id });
    return found?.status === 'COMPLETED' ? found.quantity : undefined;
  });
  for (const [txId, quantity] of sent.deposits) {
    const credited = came.get(txId);
    if (credited !== quantity && !(losesChains && credited === '0')) {
      faults.push(`${quantity} was paid, ${credited} was credited`);
    }
  }
  for (const [id, quantity] of sent.withdrawals) {
    if (went.get(id) !== quantity) faults.push(`${quantity} was asked, ${went.get(id)} went`);
  }
  const expected = before + sum(came) - sum(went);
  const after = await balanceOf(clientFor(venue));
  if (after !== expected) faults.push(`the account has ${after}, it should have ${expected}`);
  if ((await venue.stop()) !== 0) faults.push('the venue did not stop cleanly');
  const { deposits, withdrawals } = sent;
  return { kills, deposits: deposits.size, withdrawals: withdrawals.size, faults };
}

const FRIEND = '0x0000000000000000000000000000000000000b0b';

const withdrawer = (venue: Venue): RialtoClient =>
  clientOf(venue, keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw'));

async function pay(venue: Venue, quantity: string): Promise<string> {
  const response = await fetch(`${venue.baseUrl}/sandbox/v1/deposit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${venue.handout.sandboxToken}` },
    body: JSON.stringify({ family: 'demo-1', asset: 'USDT', network: 'Ethereum', quantity }),
  });
  const { data } = (await response.json()) as { data: { txId: string } };
  return data.txId;
}

/** In parts of 10^-8. */
const partsOf = (text: string): bigint => {
  const [whole = '0', digits = ''] = text.split('.');
  return BigInt(whole) * 10n ** 8n + BigInt(digits.padEnd(8, '0'));
};
const sum = (values: ReadonlyMap<string, string>): bigint =>
  [...values.values()].reduce((all, one) => all + partsOf(one), 0n);

async function balanceOf(client: RialtoClient): Promise<bigint> {
  const [account] = await client.balances({ asset: 'USDT' });
  return partsOf(account?.balances[0]?.total ?? '0');
}

/** Polls each until it has ended; otherwise the test times out. */
async function untilAll(
  names: ReadonlyMap<string, string>,
  look: (name: string) => Promise<string | undefined>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  while (found.size < names.size) {
    for (const name of names.keys()) {
      if (found.has(name)) continue;
      const value = await look(name);
      if (value !== undefined) found.set(name, value);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return found;
}
