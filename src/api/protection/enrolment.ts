import type { FamilyIndex } from '../../domain/units.ts';
import { SECOND_FACTORS, type SecondFactor } from '../../domain/wallet.ts';
import type { KeyMaker } from '../request/key-maker.ts';

/**
 * A second factor between its first step and its second. The caller keeps it, sealed with the master key: the
 * venue remembers nothing that may never be finished.
 */
export type Enrolment = {
  readonly family: FamilyIndex;
  readonly factor: SecondFactor;
  readonly secret: string;
};

const VALID_MS = 600_000;
/** Distinguishes it from other sealed secrets. */
const MARK = 'enrolment';

export function sealEnrolment(
  { seal }: Pick<KeyMaker, 'seal'>,
  { family, factor, secret }: Enrolment,
  nowMs: number,
): { readonly enrolment: string; readonly expiresAtMs: number } {
  const expiresAtMs = nowMs + VALID_MS;
  const text = JSON.stringify([MARK, family, factor, secret, expiresAtMs]);
  return { enrolment: Buffer.from(seal(text)).toString('base64url'), expiresAtMs };
}

/** Undefined for what was not sealed here, or is too old. */
export function openEnrolment(
  { unseal }: Pick<KeyMaker, 'unseal'>,
  text: string,
  nowMs: number,
): Enrolment | undefined {
  const members = opened(unseal, text);
  if (!Array.isArray(members) || members.length !== 5 || members[0] !== MARK) return undefined;
  const [, family, factor, secret, expiresAtMs] = members;
  if (typeof expiresAtMs !== 'number' || nowMs > expiresAtMs) return undefined;
  if (!SECOND_FACTORS.includes(factor)) return undefined;
  return { family, factor, secret };
}

function opened(unseal: KeyMaker['unseal'], text: string): unknown {
  try {
    const bytes = unseal(new Uint8Array(Buffer.from(text, 'base64url')));
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
