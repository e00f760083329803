import { type Filter, type Kind, kindOf } from './kinds.ts';
import type { Span } from './pages.ts';

/** The view of History as its URL: a link or a reload shows the same. Pure. */

const DAY_MS = 86_400_000;

export const PERIODS = [
  { name: '1d', label: '24 h', days: 1 },
  { name: '7d', label: '7 d', days: 7 },
  { name: '30d', label: '30 d', days: 30 },
  { name: 'days', label: 'Days', days: 0 },
] as const;
export type Period = (typeof PERIODS)[number]['name'];

export type View = {
  readonly kind: Kind;
  readonly period: Period;
  /** Days as "2026-11-15", UTC, both included; used if the period is "days". */
  readonly from: string;
  readonly to: string;
  readonly filter: Filter;
};

const DAY = /^\d{4}-\d\d-\d\d$/;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function viewOf(search: string, nowMs: number): View {
  const sent = new URLSearchParams(search);
  const day = (name: string, otherwise: string): string => {
    const text = sent.get(name) ?? '';
    return DAY.test(text) && Number.isFinite(Date.parse(text)) ? text : otherwise;
  };
  const filter: Record<string, string> = {};
  const kind = kindOf(sent.get('kind'));
  for (const name of kind.takes) {
    const value = sent.get(name);
    if (value !== null && value !== '') filter[name] = value;
  }
  return {
    kind,
    period: PERIODS.find(({ name }) => name === sent.get('period'))?.name ?? '7d',
    from: day('from', dayOf(nowMs - 6 * DAY_MS)),
    to: day('to', dayOf(nowMs)),
    filter,
  };
}

export function searchOf({ kind, period, from, to, filter }: View): string {
  const sent = new URLSearchParams({ kind: kind.name });
  if (period !== '7d') sent.set('period', period);
  if (period === 'days') {
    sent.set('from', from);
    sent.set('to', to);
  }
  for (const name of kind.takes) {
    const value = filter[name];
    if (value !== undefined && value !== '') sent.set(name, value);
  }
  return `?${sent}`;
}

/** The longest range that is read page after page. */
const DAYS_MAX = 400;

export function spanOf({ period, from, to }: View, nowMs: number): Span {
  const days = PERIODS.find(({ name }) => name === period)?.days ?? 7;
  if (period !== 'days') return { fromMs: nowMs - days * DAY_MS, toMs: nowMs };
  const toMs = Math.min(nowMs, Date.parse(to) + DAY_MS - 1);
  return { fromMs: Math.max(Date.parse(from), toMs - DAYS_MAX * DAY_MS), toMs };
}
