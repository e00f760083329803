import { type CommandDef, defineCommand } from 'citty';
import { VERSION } from '../domain/version.ts';

/** The commands for people. Each is loaded only when asked for, so that `--help` is quick. */
export const rialto: CommandDef = defineCommand({
  meta: {
    name: 'rialto',
    description: 'A complete trading venue in one program',
    version: VERSION,
  },
  subCommands: {
    dev: () => import('./dev.ts').then(({ dev }) => dev),
    serve: () => import('./serve.ts').then(({ serve }) => serve),
    init: () => import('./init.ts').then(({ init }) => init),
    config: () => import('./config.ts').then(({ config }) => config),
    health: () => import('./health.ts').then(({ health }) => health),
    balances: () => import('./trader/holdings.ts').then(({ balances }) => balances),
    positions: () => import('./trader/holdings.ts').then(({ positions }) => positions),
    order: () => import('./trader/order.ts').then(({ order }) => order),
    book: () => import('./trader/book.ts').then(({ book }) => book),
    candles: () => import('./trader/candles.ts').then(({ candles }) => candles),
    tail: () => import('./trader/tail.ts').then(({ tail }) => tail),
    catalogue: () => import('./catalogue.ts').then(({ catalogue }) => catalogue),
    account: () => import('./account.ts').then(({ account }) => account),
    key: () => import('./key.ts').then(({ key }) => key),
    market: () => import('./market.ts').then(({ market }) => market),
    family: () => import('./family.ts').then(({ family }) => family),
    withdrawal: () => import('./withdrawal.ts').then(({ withdrawal }) => withdrawal),
    deposit: () => import('./deposit.ts').then(({ deposit }) => deposit),
    network: () => import('./money.ts').then(({ network }) => network),
    fees: () => import('./money.ts').then(({ fees }) => fees),
    price: () => import('./money.ts').then(({ price }) => price),
    funds: () => import('./money.ts').then(({ funds }) => funds),
    overview: () => import('./reports.ts').then(({ overview }) => overview),
    risk: () => import('./reports.ts').then(({ risk }) => risk),
    solvency: () => import('./reports.ts').then(({ solvency }) => solvency),
    audit: () => import('./reports.ts').then(({ audit }) => audit),
    search: () => import('./reports.ts').then(({ search }) => search),
    backup: () => import('./backup.ts').then(({ backup }) => backup),
    restore: () => import('./backup.ts').then(({ restore }) => restore),
    limits: () => import('./limits.ts').then(({ limits }) => limits),
    operator: () => import('./operator.ts').then(({ operator }) => operator),
    cluster: () => import('./cluster.ts').then(({ cluster }) => cluster),
    clock: () => import('./clock.ts').then(({ clock }) => clock),
    verify: () => import('./verify.ts').then(({ verify }) => verify),
    completion: () =>
      import('./completion.ts').then(({ completionOf }) => completionOf(() => rialto)),
  },
});
