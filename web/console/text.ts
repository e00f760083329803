import { partsFromText, textFromParts } from '../../src/domain/decimal.ts';
import { depositIdText, withdrawalIdText } from '../../src/domain/ids.ts';
import {
  decimalsOf,
  fixed,
  grouped,
  NONE,
  nativeText,
  plain,
  shown,
  timeText,
} from '../shared/number-text.ts';

/** Texts and figures of the console: pure, exact, and truncated where "covered" must not be rounded up. */

/** "2 h 14 min", "48 min", "6 s". */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit));
  if (days !== undefined && days > 0) return `${days} d ${(hours ?? 0) % 24} h`;
  if (hours !== undefined && hours > 0) return `${hours} h ${(minutes ?? 0) % 60} min`;
  return minutes !== undefined && minutes > 0 ? `${minutes} min` : `${seconds} s`;
}

/** One as a percentage of the other, truncated to two decimals: 99.999 is never shown as 100. */
export function coveredText(one: string, other: string): string {
  const scale = Math.max(decimalsOf(one), decimalsOf(other));
  const [part, whole] = [partsFromText(one, scale), partsFromText(other, scale)];
  if (part === undefined || whole === undefined || whole <= 0n) return NONE;
  return `${grouped(textFromParts((part * 10_000n) / whole, 2, 2))} %`;
}

/** How far a price is from another, in basis points with one decimal. */
export function basisPoints(price: string, from: string): string {
  const scale = Math.max(decimalsOf(price), decimalsOf(from));
  const [one, other] = [partsFromText(price, scale), partsFromText(from, scale)];
  if (one === undefined || other === undefined || other <= 0n) return NONE;
  const tenths = ((one - other) * 100_000n) / other;
  const text = grouped(textFromParts(tenths, 1, 1));
  return tenths > 0n ? `+${text}` : text;
}

/**
 * The native asset for tables: from ten million on in millions, "52,036.29 M". The full value is the title.
 */
export function nativeShort(text: string | undefined): string {
  const whole = text?.replace(/^-/, '').split('.')[0] ?? '';
  if (text === undefined || whole.length < 8) return nativeText(text);
  const hundredths = BigInt(fixed(text, 0)) / 10_000n;
  return `${grouped(textFromParts(hundredths, 2, 2))} M`;
}

/** At least six digits, then whole numbers: columns of assets with very different prices stay narrow. */
export function amountText(text: string): string {
  const whole = text.replace(/^-/, '').split('.')[0]?.length ?? 0;
  return plain(text, whole > 6 ? 0 : whole > 4 ? 2 : whole > 2 ? 4 : 6);
}

/** A price with one decimal more than its tick: marks lie between ticks. */
export const priceText = (price: string, tick: string): string =>
  shown(price, decimalsOf(tick) + 1);

export const sumText = (texts: readonly string[]): string => {
  const scale = Math.max(0, ...texts.map(decimalsOf));
  const sum = texts.reduce((all, text) => all + (partsFromText(text, scale) ?? 0n), 0n);
  return textFromParts(sum, scale);
};

export const shortened = (text: string, head = 6, tail = 4): string =>
  text.length > head + tail + 2 ? `${text.slice(0, head)}…${text.slice(-tail)}` : text;

/** "operator:local" is shown as "local". */
export const nameOf = (actor: string): string => actor.replace(/^operator:/, '');
export const initialOf = (actor: string): string => nameOf(actor).slice(0, 1).toUpperCase();

const HOLDS: Readonly<Record<string, string>> = {
  'above-limit': 'Above limit',
  'new-address': 'New address',
  review: 'Review',
  restriction: 'Restriction',
  'below-minimum': 'Below minimum',
  'deposits-closed': 'Deposits closed',
  inactive: 'Inactive account',
  'too-large': 'Too large',
};
export const holdText = (hold: string): string => HOLDS[hold] ?? hold;

const FACTORS: Readonly<Record<string, string>> = {
  GOOGLE: 'authenticator',
  AUTHY_SECRET: 'Authy',
  YUBIKEY: 'YubiKey',
};
export const factorText = (factor: string): string => FACTORS[factor] ?? factor;

/** "ON HOLD" is shown as "On hold". */
export const statusText = (status: string): string =>
  status.slice(0, 1).toUpperCase() + status.slice(1).toLowerCase().replaceAll('_', ' ');

const ACTS: Readonly<Record<string, string>> = {
  'operate-withdrawal release': 'released',
  'operate-withdrawal hold': 'put on hold',
  'operate-withdrawal cancel': 'canceled and returned',
  'operate-deposit complete': 'completed',
  'operate-deposit reverse': 'reversed',
  'set-market-state': 'set the state of',
  'cancel-market': 'canceled orders of',
  'change-market': 'changed the terms of',
  'set-restrictions': 'set restrictions of',
  'create-account': 'created account',
  'create-key': 'created',
  'revoke-key': 'revoked',
  'invite-user': 'invited the user of',
  'note-operator': 'set operator',
  'note-backup': 'backed up to',
  'set-price': 'set the price of',
  'move-funds': 'moved',
  'set-backstop': 'set backstop',
  'set-order-limits': 'set the limits of',
  'set-withdrawal-limits': 'set the limits of',
  'set-network-state': 'opened or closed',
  'set-withdrawal-fee': 'set the fee of',
  'step-clock': 'confirmed the',
  'define-asset': 'defined asset',
  'define-network': 'defined network',
  'define-market': 'defined market',
};
export const actText = (act: string): string => ACTS[act] ?? act;

/** "halted market", "was refused: POST /operator/v1/markets/halt": what was tried must not look done. */
export const didText = ({ act, refused }: { readonly act: string; readonly refused: boolean }) =>
  refused ? `was refused: ${act}` : actText(act);

/** The audit log has the numbers of withdrawals and deposits; people know them by their ids. */
export function subjectText(subject: string): string {
  const [, kind, number] = /^(withdrawal|deposit) (\d{1,15})$/.exec(subject) ?? [];
  if (number === undefined) return subject;
  const idText = kind === 'withdrawal' ? withdrawalIdText : depositIdText;
  return `${kind} ${idText(Number(number))}`;
}

/** What reversing a deposit does now: the second of two operators takes the money. */
export function reversalText([first]: readonly string[]): string {
  const when =
    first === undefined
      ? 'when a second operator has reversed it, too'
      : `at once: ${nameOf(first)} has reversed it already`;
  return `It is taken back from what is available, then from the deficit, ${when}.`;
}

/** What was before or after an act. The log has moments in milliseconds; people read a time. */
export const standingText = (standing: string): string =>
  standing.replace(/\buntil (\d{13})\b/, (_, ms) => `until ${timeText(Number(ms))}`);

/** The path of the page about an act's subject. */
export function subjectPath(subject: string): string | undefined {
  const named = subjectText(subject);
  const [, kind, id] = /^(withdrawal|deposit) (\d+)$/.exec(named) ?? [];
  if (id !== undefined) return `/console/${kind}s/${id}`;
  return undefined;
}

/** Bytes as people read them: "41.2 GB". */
export function bytesText(text: string): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let value = Number(text);
  let at = 0;
  while (value >= 1_000 && at < units.length - 1) {
    value /= 1_000;
    at++;
  }
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`;
}

/** The height of a histogram bar on a log scale, from 0 to 1; a single account is still visible. */
export function logHeight(count: number, most: number): number {
  if (count <= 0) return 0;
  return Math.log10(1 + count) / Math.log10(1 + Math.max(most, 9));
}
