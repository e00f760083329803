import type { IconName } from '../shared/icons.tsx';
import type { Operator } from './session.ts';

/** The routes of the console. The venue answers every path below /console with this page. */
export const ROUTES = [
  { path: '/console', label: 'Overview', icon: 'home' },
  { path: '/console/withdrawals', label: 'Withdrawals', icon: 'out' },
  { path: '/console/deposits', label: 'Deposits', icon: 'inn' },
  { path: '/console/risk', label: 'Risk', icon: 'shield' },
  { path: '/console/markets', label: 'Markets', icon: 'chart' },
  { path: '/console/accounts', label: 'Accounts', icon: 'users' },
  { path: '/console/solvency', label: 'Solvency', icon: 'scale', isApart: true },
  { path: '/console/audit', label: 'Audit log', icon: 'book' },
  { path: '/console/health', label: 'Health', icon: 'pulse' },
] as const satisfies readonly {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly isApart?: boolean;
}[];

/** The props of a page: the operator and the subject. */
export type Place = {
  readonly operator: Operator;
  readonly subject: string;
  readonly query: URLSearchParams;
};

export const SEARCH_PATH = '/console/search';

/** "/console/withdrawals/98..." belongs to the route of withdrawals, with the rest as its subject. */
export function placeOf(address: string): {
  readonly route: string;
  readonly subject: string;
  readonly query: URLSearchParams;
} {
  const { pathname, searchParams: query } = new URL(address, 'http://console');
  const [, , section = '', ...rest] = pathname.replace(/\/$/, '').split('/');
  const route = section === '' ? '/console' : `/console/${section}`;
  return { route, subject: rest.join('/'), query };
}
