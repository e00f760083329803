import { ByteWriter } from '../../src/bytes/pack.ts';
import { newState, type State } from '../../src/core/state.ts';
import { apply } from '../../src/core/venue.ts';
import type { Command } from '../../src/domain/commands.ts';
import { decodeEvents } from '../../src/domain/event-codec.ts';
import { sequence, timeMs } from '../../src/domain/units.ts';
import { differenceInEvents, differencesInState } from './compare.ts';
import { brokenInvariants } from './invariants.ts';
import { applyToModel } from './model/apply.ts';
import { eventLine } from './model/event-lines.ts';
import { type Model, newModel } from './model/state.ts';
import { differencesInPreviews } from './previews.ts';

/** A command and its time: all that is needed to repeat it. */
export type Timed = { readonly timeMs: number; readonly command: Command };

export type Divergence = { readonly at: number; readonly differences: readonly string[] };

/** A way to break the venue on purpose, to see that the simulator finds it. */
export type Sabotage = (state: State, command: Command, step: number) => void;

/**
 * Core and model alone, without disk and crashes: the first command after which they differ. Events are
 * compared every time; the state may be compared less often. Before the last command both are asked what it
 * would do.
 */
export function firstDivergence(
  commands: readonly Timed[],
  sabotage?: Sabotage,
  lookEvery = 1,
): Divergence | undefined {
  const state = newState();
  const model = newModel();
  const out = new ByteWriter();
  for (const [at, { timeMs: nowMs, command }] of commands.entries()) {
    let emitted: string[];
    try {
      const isLast = at === commands.length - 1;
      const previewed = isLast ? differencesInPreviews(state, model, command) : [];
      if (previewed.length > 0) return { at, differences: previewed };
      out.clear();
      apply(state, { sequence: sequence(state.sequence + 1), timeMs: timeMs(nowMs), command }, out);
      emitted = decodeEvents(out.view()).map(eventLine);
      sabotage?.(state, command, at);
    } catch (cause) {
      return { at, differences: [`the venue breaks: ${(cause as Error).message}`] };
    }
    const seen = at % lookEvery === 0 ? state : undefined;
    const differences = differencesAfter(seen, model, { timeMs: nowMs, command }, emitted);
    if (differences.length > 0) return { at, differences };
  }
  return undefined;
}

/** Applies a command to the model and compares the venue with it, in every way. */
export function differencesAfter(
  state: State | undefined,
  model: Model,
  { timeMs: nowMs, command }: Timed,
  emitted: readonly string[],
): string[] {
  const expected = applyToModel(model, nowMs, command, emitted);
  const differences = differenceInEvents(emitted, expected);
  if (state === undefined) return differences;
  return [...differences, ...differencesInState(state, model), ...brokenInvariants(state)];
}
