import { type Refusal, refuse } from '../../domain/rejections.ts';

/** The largest time that a Date can hold. Every whole number up to it can be stored. */
const CALENDAR_END_MS = 8_640_000_000_000_000;

/** When a key is to expire; undefined if it is not. */
export function expiryIn(sent: string | undefined): number | undefined | Refusal {
  if (sent === undefined) return undefined;
  const expiresAtMs = Number(sent);
  if (expiresAtMs <= CALENDAR_END_MS) return expiresAtMs;
  return refuse('PARAMETER_INVALID', `expiresAt ${sent} is beyond any calendar`);
}
