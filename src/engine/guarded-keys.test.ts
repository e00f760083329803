import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import type { KeyIndex } from '../domain/units.ts';
import type { Engine } from './engine.ts';
import { announceGuarded, GUARDS_TOPIC, GuardedKeys } from './guarded-keys.ts';

const keysOf = (...keys: number[]): KeyIndex[] => keys as KeyIndex[];

/** A leader that receives from two gateways, and its timers by hand. */
function cluster() {
  let nowMs = 0;
  const timers: { readonly periodMs: number; readonly run: () => void; isStopped: boolean }[] = [];
  const every = (periodMs: number, run: () => void) => {
    const timer = { periodMs, run, isStopped: false };
    timers.push(timer);
    return () => {
      timer.isStopped = true;
    };
  };
  const guards = new GuardedKeys(() => nowMs);
  let isCutOff = false;
  const dead = new Set<string>();
  const gateway = (node: string, keys: () => readonly KeyIndex[]) => {
    const send = (topic: string, text: string): void => {
      if (topic === GUARDS_TOPIC && !isCutOff && !dead.has(node)) guards.onAnnouncement(text);
    };
    return announceGuarded({ node, signals: { send } }, keys, every);
  };
  const cancelled: number[] = [];
  const engine = {
    submit: async (command: Command) => {
      if (command.kind === 'cancel-all') cancelled.push(Number(command.by.key));
    },
  } as unknown as Engine;
  guards.watch(engine, every);
  return {
    ...{ gateway, cancelled, dead, guards },
    setCutOff: (cutOff: boolean) => {
      isCutOff = cutOff;
    },
    jump: (ms: number) => {
      nowMs += ms;
    },
    pass: (ms: number) => {
      for (const end = nowMs + ms; nowMs < end; ) {
        nowMs += 250;
        if (!isCutOff) guards.onMessage();
        for (const timer of timers) {
          if (!timer.isStopped && nowMs % timer.periodMs === 0) timer.run();
        }
      }
    },
  };
}

test('when a node falls silent the orders of its guarded connections are cancelled, once', () => {
  const { gateway, pass, dead, cancelled } = cluster();
  gateway('g1', () => keysOf(3, 7));
  gateway('g2', () => keysOf(9));
  pass(10_000);
  expect(cancelled).toEqual([]);
  dead.add('g1');
  pass(2_500);
  expect(cancelled).toEqual([]);
  pass(2_000);
  expect(cancelled).toEqual([3, 7]);
  pass(10_000);
  expect(cancelled).toEqual([3, 7]);
});

test('a node that was stopped, or whose connections have ended, has done it itself', () => {
  const { gateway, pass, dead, cancelled } = cluster();
  let keys = keysOf(3);
  gateway('g1', () => keys);
  const stop = gateway('g2', () => keysOf(4));
  pass(2_000);
  keys = [];
  stop();
  pass(1_000);
  dead.add('g1');
  pass(20_000);
  expect(cancelled).toEqual([]);
});

test('the next start of a node does not speak for the connections of the one that was killed', () => {
  const { gateway, pass, dead, cancelled } = cluster();
  gateway('g1', () => keysOf(3));
  pass(1_000);
  dead.add('g1');
  gateway('g1 again', () => keysOf(5));
  pass(5_000);
  expect(cancelled).toEqual([3]);
});

test('a leader that receives nothing, or was suspended itself, takes nobody for dead', () => {
  const { gateway, pass, setCutOff, jump, cancelled } = cluster();
  gateway('g1', () => keysOf(3));
  pass(2_000);
  setCutOff(true);
  pass(30_000);
  setCutOff(false);
  pass(5_000);
  expect(cancelled).toEqual([]);
  jump(60_000);
  pass(5_000);
  expect(cancelled).toEqual([]);
});

test('what is no announcement is ignored', () => {
  const { guards, pass, cancelled } = cluster();
  for (const text of ['', '{', '{"run":1,"keys":[1]}', '{"run":"x","keys":["1"]}', '{"run":"x"}']) {
    guards.onAnnouncement(text);
  }
  pass(10_000);
  expect(cancelled).toEqual([]);
});
