import { VERSION } from '../domain/version.ts';
import { LAYOUT } from './stamp.ts';

/** What a node announces about itself, a few times a second. A hint: nothing relies on it. */
export type Beat = {
  readonly node: string;
  readonly role: 'standby' | 'leader' | 'gateway';
  readonly url: string;
  readonly place: number;
  readonly sequence: number;
  /** How far the node's clock is ahead of the log's; null before the first comparison. */
  readonly clockMs: number | null;
  /** The place of the newest takeover that the node knows; 0 before the first. */
  readonly term: number;
  readonly version: string;
  /** Rules and data layout; empty for versions that did not send it. */
  readonly layout: string;
  /** Open stream connections of a gateway: a venue with listeners needs time and prices. */
  readonly listeners: number;
};

export const BEAT_MS = 250;

const ROLES: readonly string[] = ['standby', 'leader', 'gateway'] satisfies Beat['role'][];

export const beatText = (beat: Omit<Beat, 'version' | 'layout'>): string =>
  JSON.stringify({ ...beat, version: VERSION, layout: LAYOUT.name });

/** Undefined if this is not a beat: anybody may send to the servers. Earlier versions send fewer fields. */
export function beatFrom(text: string): Beat | undefined {
  try {
    const found = JSON.parse(text) as Partial<Beat>;
    const { node, role, url, place, sequence, clockMs } = found;
    if (typeof node !== 'string' || typeof url !== 'string') return undefined;
    if (typeof place !== 'number' || typeof sequence !== 'number') return undefined;
    if (role === undefined || !ROLES.includes(role)) return undefined;
    const { term, version, layout, listeners } = found;
    return {
      ...{ node, role, url, place, sequence, clockMs: clockMs ?? null },
      term: typeof term === 'number' ? term : 0,
      version: typeof version === 'string' ? version : '',
      layout: typeof layout === 'string' ? layout : '',
      listeners: typeof listeners === 'number' ? listeners : 0,
    };
  } catch {
    return undefined;
  }
}

/** How a node's clock differs from the log's, for people. */
export const clockWords = (aheadMs: number): string =>
  `${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} the log's`;
