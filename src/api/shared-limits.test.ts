import { expect, test } from 'vitest';
import { countAttempts } from './access/attempts.ts';
import { shareLimits } from './http/shared-limits.ts';
import { createThrottle, type LimitRule } from './http/throttle.ts';

const RULES: readonly LimitRule[] = [
  { of: 'all', per: 'key', count: 10, perMs: 1_000 },
  { of: 'all', per: 'address', count: 1_000, perMs: 1_000 },
];

/** Nodes that share their limits, on a clock that only `pass` moves. */
function nodesOf(count: number) {
  let nowMs = 0;
  const receivers: ((text: string) => void)[] = [];
  const timers: (() => void)[] = [];
  const nodes = Array.from({ length: count }, (_, at) => {
    const throttle = createThrottle(RULES, () => nowMs, { isShared: true });
    const attempts = countAttempts(() => nowMs);
    shareLimits({
      channel: {
        node: `gateway-${at}`,
        send: (text) => {
          for (const receive of receivers) receive(text);
        },
        receive: (onText) => void receivers.push(onText),
      },
      every: (_periodMs, run) => {
        timers.push(run);
        return () => undefined;
      },
      throttle,
      attempts,
    });
    return { throttle, attempts };
  });
  return {
    nodes,
    send: (text: string) => {
      for (const receive of receivers) receive(text);
    },
    /** One exchange. */
    pass: () => {
      nowMs += 200;
      for (const run of timers) run();
    },
  };
}

const allowed = (
  { throttle }: ReturnType<typeof nodesOf>['nodes'][number],
  tries: number,
  accessKey = 'k',
): number => {
  let count = 0;
  for (let at = 0; at < tries; at++) {
    if (throttle.take({ accessKey, address: 'a' })?.isAllowed === true) count++;
  }
  return count;
};

test('what a key has used at one gateway is gone at the others after an exchange', () => {
  const { nodes, pass } = nodesOf(2);
  const [one, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
  expect(allowed(one, 20)).toBe(10);
  pass();
  expect(allowed(other, 20)).toBe(0);
  pass();
  // 200 ms have given back two.
  expect(allowed(other, 20)).toBe(2);
  expect(allowed(other, 20, 'somebody else')).toBe(10);
});

test('a caller who goes to all gateways at once gets the count once for each, and pays it back', () => {
  const GATEWAYS = 4;
  const { nodes, pass } = nodesOf(GATEWAYS);
  let total = 0;
  for (let round = 0; round < 50; round++) {
    for (const node of nodes) total += allowed(node, 20);
    pass();
  }
  // Ten seconds at 10 a second, the first ten, and ten more for each other gateway at most.
  expect(total).toBeLessThanOrEqual(100 + 10 * GATEWAYS);
  expect(total).toBeGreaterThanOrEqual(100);
});

test('failed sign-ins count at all gateways', () => {
  const { nodes, pass } = nodesOf(2);
  const [one, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
  for (let at = 0; at < 5; at++) one.attempts.failed('family', 'address');
  expect(other.attempts.waitMs('family', 'address')).toBe(0);
  pass();
  expect(other.attempts.waitMs('family', 'address')).toBeGreaterThan(0);
});

test('what is no count is no count', () => {
  const { nodes, send } = nodesOf(1);
  const [one] = nodes as [(typeof nodes)[0]];
  const wrong = ['', 'null', '[]', '{"node":"x"}', '{"node":"x","spent":[1],"failed":[1]}'];
  for (const text of wrong) send(text);
  send('{"node":"x","spent":[["key","k",[1e9]],["key","k",[-5]],["key","k",[1,2]]],"failed":[]}');
  expect(allowed(one, 20)).toBe(10);
});
