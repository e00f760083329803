import type { getAccount, getPositions } from '../../wire/account.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { tableText } from '../table.ts';
import { traderCommand } from './credential.ts';

type Account = ReplyOf<typeof getAccount>[number];

export const balances = traderCommand({
  name: 'balances',
  description: 'What the account holds, and its margin',
  args: {},
  run: (client) => client.account(),
  text: (all) => all.map(accountText).join('\n\n'),
});

function accountText({ name, accountId, balances: held, ...margin }: Account): string {
  const rows = tableText(held, {
    asset: ({ asset }) => asset,
    total: ({ total }) => total,
    available: ({ available }) => available,
    reserved: ({ reserved }) => reserved,
  });
  const { collateral, maintenanceMargin, marginRatio } = margin;
  const about = `collateral ${collateral}, maintenance margin ${maintenanceMargin}, margin ratio ${marginRatio}`;
  return `${name} (${accountId}): ${about}\n${held.length === 0 ? 'no balances' : rows}`;
}

type Held = ReplyOf<typeof getPositions>[number]['positions'][number];

export const positions = traderCommand({
  name: 'positions',
  description: 'Open positions of the account',
  args: {},
  run: async (client) => (await client.positions()).flatMap(({ positions: open }) => open),
  text: (all) => (all.length === 0 ? 'no open positions' : tableText(all, POSITION_COLUMNS)),
});

const POSITION_COLUMNS: Readonly<Record<string, (one: Held) => string>> = {
  market: ({ marketCode }) => marketCode,
  position: ({ position }) => position,
  entry: ({ entryPrice }) => entryPrice,
  mark: ({ markPrice }) => markPrice,
  pnl: ({ positionPnl }) => positionPnl,
  'liquidation about': ({ estLiquidationPrice }) => estLiquidationPrice,
};
