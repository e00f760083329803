import { CLUSTER_HOST, type LocalCluster, type LocalNode } from '../scripts/local-cluster.ts';
import { type Figure, median } from './figures.ts';
import { runLoad } from './load.ts';
import { checkPlaced, Signer } from './rest.ts';

/**
 * C3: from kill -9 of the leading engine to the first answered order, as seen by a client of a gateway: the
 * order is sent when the leader is gone, and the gateway holds it for the next leader. 1.5 s of it are the
 * silence for which a standby waits.
 */
export async function benchPromotion(cluster: LocalCluster, kills: number): Promise<Figure[]> {
  for (const engine of cluster.engines) engine.start();
  const [gateway] = cluster.gateways as [LocalNode];
  gateway.start();
  const ports = [Number(new URL(gateway.url).port)];
  const signer = new Signer(cluster.handout, CLUSTER_HOST);
  const order = async (): Promise<void> => {
    const requests = signer.requests(1, 1);
    await runLoad({ ports, requests, connections: 1, check: checkPlaced });
  };
  const tookMs: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await cluster.untilAllUp();
    await order();
    const leader = await cluster.untilLed();
    const beganMs = performance.now();
    await leader.kill();
    await order();
    tookMs.push(performance.now() - beganMs);
    leader.start();
  }
  const figure = (name: string, value: number, mostMs: number): Figure => ({
    ...{ id: 'C3', name, value, unit: 'ms', goal: `<= ${mostMs} ms`, isMet: value <= mostMs },
  });
  return [
    figure(`first order after kill -9 of the leader, median of ${kills}`, median(tookMs), 3_000),
    figure(
      `first order after kill -9 of the leader, worst of ${kills}`,
      Math.max(...tookMs),
      3_000,
    ),
  ];
}
