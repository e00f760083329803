import type { Command } from '../../src/domain/commands.ts';
import { firstDivergence, type Sabotage, type Timed } from './side-by-side.ts';

/** The commands that are needed to reproduce the failure, and what is seen after the last of them. */
export function shortenedReport(
  failure: { readonly commands: readonly Timed[] },
  sabotage?: Sabotage,
): string[] {
  const { commands } = failure;
  const whole = firstDivergence(commands, sabotage);
  if (whole === undefined) {
    return ['without disk and crashes it holds: look at the journal, the recovery, the repeats'];
  }
  const what = kindOf(whole.differences);
  const kept = shorten(
    commands.slice(0, whole.at + 1),
    (some) => kindOf(firstDivergence(some, sabotage)?.differences ?? []) === what,
  );
  const found = firstDivergence(kept, sabotage);
  return [
    `shortened from ${whole.at + 1} to ${kept.length} commands:`,
    ...commandLines(kept),
    ...(found?.differences ?? []).slice(0, 12),
  ];
}

/** The first difference, without its numbers: otherwise a shorter list may show another failure. */
const kindOf = ([first]: readonly string[]): string | undefined =>
  first?.split('\n')[0]?.replace(/\d+|\([^)]*\)/g, '');

/**
 * Removes what a failing list does not need: chunks, from half of it down to one command, then single
 * elements of requests with several. The first command, the genesis, stays.
 */
export function shorten(
  commands: readonly Timed[],
  fails: (commands: readonly Timed[]) => boolean,
  attemptsMax = 2_000,
): Timed[] {
  let kept = [...commands];
  let attempts = 0;
  const tryThis = (candidate: Timed[]): boolean => {
    if (attempts++ >= attemptsMax || !fails(candidate)) return false;
    kept = candidate;
    return true;
  };
  for (let chunk = Math.ceil(kept.length / 2); chunk >= 1; ) {
    const before = kept.length;
    for (let start = 1; start < kept.length; ) {
      const candidate = [...kept.slice(0, start), ...kept.slice(start + chunk)];
      if (!tryThis(candidate)) start += chunk;
    }
    // What could not be removed at first may be removable once something else is gone.
    if (chunk > 1 || kept.length === before) chunk = Math.floor(chunk / 2);
  }
  for (let at = 1; at < kept.length; at++) {
    for (let element = 0; element < elementsOf(kept[at]); ) {
      const smaller = kept.map((timed, index) =>
        index === at ? { ...timed, command: withoutElement(timed.command, element) } : timed,
      );
      if (!tryThis(smaller)) element++;
    }
  }
  return kept;
}

const elementsOf = (timed: Timed | undefined): number =>
  timed !== undefined && 'orders' in timed.command && timed.command.orders.length > 1
    ? timed.command.orders.length
    : 0;

function withoutElement(command: Command, element: number): Command {
  if (!('orders' in command)) return command;
  const orders = command.orders.filter((_, index) => index !== element);
  return { ...command, orders } as Command;
}

/** A list of commands as lines to read, or to paste: bigints as "12n". */
export const commandLines = (commands: readonly Timed[]): string[] =>
  commands.map(({ timeMs, command }) => {
    if (command.kind === 'genesis') return `${timeMs} genesis: ${genesisText(command)}`;
    return `${timeMs} ${JSON.stringify(command, bigintText)}`;
  });

const bigintText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value;

/** The catalogue is the default one; what matters is who has what. */
const genesisText = (command: Extract<Command, { kind: 'genesis' }>): string =>
  command.steps
    .flatMap((step) => {
      if (step.kind === 'create-account') {
        return [`${step.account.family}/${step.account.name} ${step.accountType}`];
      }
      return step.kind === 'credit-genesis' ? [`  ${step.amount} ${step.asset}`] : [];
    })
    .join('; ');
