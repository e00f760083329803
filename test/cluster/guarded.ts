import { CLUSTER_HOST, type LocalCluster, type LocalNode } from '../../scripts/local-cluster.ts';
import type { HandoutKey } from '../../src/cli/handout.ts';
import { getWorkingOrders } from '../../src/wire/orders.ts';
import { keyOf, rawCall, type Venue } from '../http/venue.ts';
import { StreamClient } from '../stream/stream-client.ts';

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
/** Longer than the interval in which a node announces its guarded keys. */
const ANNOUNCED_MS = 1_000;
const ORDER = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', price: '58000' };

/**
 * A connection to each gateway, of an account of its own, that asks for cancelOnDisconnect, and an order of each. The
 * returned function names the gateways that have ended and whose orders are still open.
 */
export async function placeGuarded(cluster: LocalCluster): Promise<() => Promise<string[]>> {
  const { gateways, handout } = cluster;
  const accounts = handout.families[1]?.accounts ?? [];
  const guarded: { readonly gateway: LocalNode; readonly key: HandoutKey }[] = [];
  for (const [at, gateway] of gateways.entries()) {
    const account = accounts[at];
    if (account === undefined) throw new Error('there is an account for each gateway');
    const key = keyOf(account, 'read', 'trade');
    const client = await StreamClient.open(Number(new URL(gateway.url).port));
    await client.login(key, { cancelOnDisconnect: true });
    const data = { ...ORDER, quantity: '0.001' };
    const answer = await client.ask({ op: 'placeorder', data }, 'guarded');
    if (answer.submitted !== true) throw new Error(`not placed: ${JSON.stringify(answer)}`);
    guarded.push({ gateway, key });
  }
  await pause(ANNOUNCED_MS);
  return async () => {
    const faults: string[] = [];
    for (const { gateway, key } of guarded) {
      if (gateway.exits.length === 0) continue;
      const request = { key, path: getWorkingOrders.path, signedHost: CLUSTER_HOST };
      const isOpen = async (): Promise<boolean> => {
        const venue = { baseUrl: gateways[0]?.url, handout } as Venue;
        const { status, data } = await rawCall(venue, { ...request, nonce: String(++nonces) });
        return status !== 200 || data.length > 0;
      };
      let isStill = await isOpen();
      for (let tries = 0; isStill && tries < 100; tries++) {
        await pause(100);
        isStill = await isOpen();
      }
      if (isStill) faults.push(`orders of a connection to ${gateway.name}, which ended, are open`);
    }
    return faults;
  };
}
let nonces = 0;
