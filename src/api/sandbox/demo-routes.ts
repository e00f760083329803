import { accountIdText, accountIndexFromText } from '../../domain/ids.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { type AccountIndex, amount } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import { demoAccounts, demoSession } from '../../wire/sandbox.ts';
import { amountText } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import type { KeyMaker } from '../request/key-maker.ts';
import { newSession, sessionOf } from '../request/sessions.ts';

export type DemoParts = {
  readonly engine: Engine;
  readonly keys: KeyMaker;
  readonly sandboxToken: string;
  /** Undefined if there is no living market. */
  readonly marketSeed: number | undefined;
};

/** What the page of a demo venue offers before anyone has signed in. */
export const demoRoutes = (parts: DemoParts): Route[] => [
  route(demoAccounts, async ({ address, host }) => {
    const wrong = checkLocal(address, host);
    if (wrong !== undefined) return wrong;
    const { directory } = parts.engine;
    const demo = await parts.engine.view('demoFamilies', {});
    const accounts = demo.flatMap((index) => {
      const { name: family, accounts: own } = directory.family(index);
      return own.flatMap((account) => {
        const entry = directory.account(account);
        if (entry?.isActive !== true) return [];
        return [{ account, family, name: entry.name }];
      });
    });
    const held = await parts.engine.view('balances', {
      accounts: accounts.map(({ account }) => account),
    });
    const data = accounts.map(({ account, ...named }, at) => ({
      accountId: accountIdText(account),
      ...named,
      balances: (held[at]?.balances ?? []).map(({ asset, available, reserved }) => ({
        asset: directory.asset(asset).code,
        total: amountText(directory, asset, amount(available + reserved)),
      })),
    }));
    const { sandboxToken, marketSeed: seed } = parts;
    const market = seed === undefined ? { on: false } : { on: true, seed };
    return { data: { accounts: data, sandboxToken, market } };
  }),

  route(demoSession, async ({ request, address, host }) => {
    const wrong = checkLocal(address, host);
    if (wrong !== undefined) return wrong;
    const account = accountIndexFromText(request.accountId) as AccountIndex | undefined;
    if (account === undefined) return refuse('RESULT_NOT_FOUND', `accountId ${request.accountId}`);
    const session = newSession(parts, account);
    return sessionOf(parts, await parts.engine.submit({ kind: 'open-demo-session', ...session }));
  }),
];

const LOCAL_ADDRESS = /^(::1|(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
const LOCAL_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i;

/**
 * The address check keeps other machines out. The Host check keeps out pages under other names that resolve
 * to this machine: a browser sends the page's own host.
 */
function checkLocal(address: string, host: string): Refusal | undefined {
  if (LOCAL_ADDRESS.test(address) && LOCAL_HOST.test(host)) return undefined;
  return refuse('PERMISSION_MISSING', 'demo accounts are open to this machine only');
}
