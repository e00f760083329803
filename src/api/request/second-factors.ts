import type { Command } from '../../domain/commands.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { FamilyIndex } from '../../domain/units.ts';
import type { FactorView, FamilyWalletView } from '../../domain/views.ts';
import { isUnusedStep, type SecondFactor } from '../../domain/wallet.ts';
import type { FactorUse } from '../../domain/wallet-commands.ts';
import type { Engine, Submitted } from '../../engine/engine.ts';
import type { Caller } from '../http/authenticate.ts';
import { stepsOf } from './one-time-codes.ts';
import { refusalOf } from './outcome.ts';
import { signedOnce } from './submit-elements.ts';

/**
 * Codes are verified here, because the core opens no secrets; the core accepts each step once and counts
 * wrong codes. For one family, one code is verified at a time: guesses that arrive together are then stopped
 * by the block after the first.
 *
 * A wrong code is answered 10 s later. Memory is bounded: the number of delayed answers, in total and of one
 * family.
 */
export type SecondFactors = {
  /** Submits the command that `make` returns for the code sent. Undefined: no code was sent. */
  submit(
    caller: Caller,
    sent: CodeSent,
    make: (used: FactorUse | undefined) => Command,
  ): Promise<Submitted | Refusal>;
};
export type CodeSent = { readonly tfaType?: SecondFactor; readonly code?: string };

/** For a caller without a key: the step of a correct code, undefined if none was sent. */
export async function provenStep(
  { engine, keys }: { readonly engine: Engine; readonly keys: Pick<SecondFactorParts, 'unseal'> },
  family: FamilyIndex,
  { tfaType, code = '' }: CodeSent,
): Promise<FactorUse | undefined | Refusal> {
  if (code === '') return undefined;
  const { factors } = await engine.view('familyWallet', { family });
  const factor = factorOf(factors, tfaType);
  if (isRefusal(factor)) return factor;
  const secret = openedSecret(keys.unseal, factor);
  if (secret === undefined) return CANNOT_CHECK;
  const step = unusedStep(factor, secret, code, engine.nowMs());
  return step === undefined ? refuse('SECOND_FACTOR_WRONG') : { factor: factor.factor, step };
}

const unusedStep = (
  used: FactorView,
  secret: string,
  code: string,
  nowMs: number,
): number | undefined =>
  stepsOf(used.factor, secret, code, nowMs).find((step) => isUnusedStep(used, step));

export type SecondFactorParts = {
  readonly engine: Engine;
  /** Opens what was sealed with the master key. */
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly after: (delayMs: number, call: () => void) => void;
};

const WRONG_CODE_MS = 10_000;
const WAITING_MAX = 1_000;
const WAITING_PER_FAMILY_MAX = 8;

export function secondFactors({ engine, unseal, after }: SecondFactorParts): SecondFactors {
  const turnByFamily = new Map<FamilyIndex, { last: Promise<unknown>; count: number }>();
  let waiting = 0;

  /** One after another within a family. */
  async function inTurn<Result>(family: FamilyIndex, work: () => Promise<Result>): Promise<Result> {
    const turn = turnByFamily.get(family) ?? { last: Promise.resolve(), count: 0 };
    turnByFamily.set(family, turn);
    const mine = turn.last.then(work);
    turn.last = mine.catch(() => undefined);
    return await mine;
  }

  async function verify(
    caller: Caller,
    { tfaType, code = '' }: CodeSent,
    make: (used: FactorUse | undefined) => Command,
  ): Promise<Submitted | Refusal> {
    const kept = await engine.view('familyWallet', { family: caller.family });
    // The core refuses by its own rule; and bytes that were sent before get their first answer.
    if (isBlocked(kept, engine.nowMs())) return engine.submit(make(undefined));
    const factor = factorOf(kept.factors, tfaType);
    if (isRefusal(factor)) return factor;
    const secret = openedSecret(unseal, factor);
    if (secret === undefined) return CANNOT_CHECK;
    const step = unusedStep(factor, secret, code, engine.nowMs());
    return engine.submit(
      step === undefined
        ? { kind: 'note-wrong-code', by: signedOnce(caller) }
        : make({ factor: factor.factor, step }),
    );
  }

  return {
    submit: async (caller, sent, make) => {
      if (sent.code === undefined || sent.code === '') return engine.submit(make(undefined));
      const { family } = caller;
      const ahead = turnByFamily.get(family)?.count ?? 0;
      if (ahead >= WAITING_PER_FAMILY_MAX) return refuse('SECOND_FACTOR_TOO_SOON');
      if (waiting >= WAITING_MAX) return refuse('BUSY', `${WAITING_MAX} codes are being checked`);
      waiting++;
      try {
        const checked = inTurn(family, () => verify(caller, sent, make));
        const turn = turnByFamily.get(family) as { count: number };
        turn.count++;
        try {
          const result = await checked;
          if (!isWrong(result)) return result;
          await new Promise<void>((resolve) => after(WRONG_CODE_MS, resolve));
          return { ...refuse('SECOND_FACTOR_WRONG'), isRepeat: result.isRepeat };
        } finally {
          turn.count--;
          if (turn.count === 0) turnByFamily.delete(family);
        }
      } finally {
        waiting--;
      }
    },
  };
}

const isBlocked = (kept: FamilyWalletView, nowMs: number): boolean =>
  nowMs < Math.max(kept.blockedUntilMs, kept.lockedUntilMs);

function factorOf(
  factors: readonly FactorView[],
  requested: SecondFactor | undefined,
): FactorView | Refusal {
  const found = factors.filter(({ factor }) => factor === (requested ?? factor));
  const [only, another] = found;
  if (only === undefined) return refuse('SECOND_FACTOR_OFF', requested);
  if (another === undefined) return only;
  const names = found.map(({ factor }) => factor).join(', ');
  return refuse('PARAMETER_MISSING', `tfaType: the account has ${names}`);
}

const CANNOT_CHECK = refuse(
  'WALLET_UNAVAILABLE',
  'the second factor cannot be checked: its secret was sealed with another master key',
);

function openedSecret(
  unseal: SecondFactorParts['unseal'],
  { sealedSecret }: FactorView,
): string | undefined {
  try {
    return Buffer.from(unseal(sealedSecret)).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Recorded as wrong just now, or found to be used already by the core. */
function isWrong(result: Submitted | Refusal): result is Submitted {
  if (isRefusal(result)) return false;
  const isNoted = result.outcome.events.some(({ kind }) => kind === 'wrong-code-noted');
  return isNoted || refusalOf(result.outcome)?.rejected === 'SECOND_FACTOR_WRONG';
}
