import { expect, test } from 'vitest';
import { leaderToReplace } from './cluster-admin.ts';

test('only a standby can be handed over to: gateways do not count', () => {
  const leader = { node: 'engine-1', role: 'leader' } as const;
  const gateway = { node: 'gateway-1', role: 'gateway' } as const;
  const standby = { node: 'engine-2', role: 'standby' } as const;
  expect(() => leaderToReplace([])).toThrow('no node leads');
  expect(() => leaderToReplace([gateway, standby])).toThrow('no node leads');
  expect(() => leaderToReplace([leader])).toThrow('engine-1 is alone');
  expect(() => leaderToReplace([leader, gateway])).toThrow('engine-1 is alone');
  expect(leaderToReplace([leader, gateway, standby]).node).toBe('engine-1');
});
