import type { SetupCommand } from '../domain/commands.ts';
import { partsFromText } from '../domain/decimal.ts';
import {
  type AddressFormat,
  type AssetSpec,
  type LeverageTier,
  type MarketSpec,
  type NetworkSpec,
  RATE_SCALE,
} from '../domain/market.ts';
import { exactNumber, USD_SCALE, usdPrice } from '../domain/units.ts';

/**
 * The catalogue of a new venue: assets, networks, markets and first prices, in readable form. An operator
 * changes it by commands; nothing reads this list afterwards.
 */
export function defaultCatalogue(actor: string): SetupCommand[] {
  return [
    ...ASSETS.map((row) => ({ kind: 'define-asset', actor, asset: assetFrom(row) }) as const),
    ...NETWORKS.map(
      (row) => ({ kind: 'define-network', actor, network: networkFrom(row) }) as const,
    ),
    ...PERPETUALS.map(
      (row) => ({ kind: 'define-market', actor, market: perpetualFrom(row) }) as const,
    ),
    ...SPOT_MARKETS.map(
      (row) => ({ kind: 'define-market', actor, market: spotFrom(row) }) as const,
    ),
    { kind: 'set-index-prices', prices: startPrices() },
  ];
}

/** Start prices in USD; the built-in price source repeats them until there is a better source. */
export const startPrices = () =>
  Object.entries(START_PRICES).map(([asset, text]) => ({
    asset,
    price: usdPrice(exact(text, USD_SCALE)),
  }));

const START_PRICES: Readonly<Record<string, string>> = {
  OX: '0.01',
  USDT: '1',
  USDC: '1',
  BTC: '60000',
  ETH: '3000',
  SOL: '150',
  XRP: '0.5',
};

/** Every asset of the default catalogue has eight decimals. */
export const ASSET_SCALE = 8;

type AssetRow = readonly [code: string, loanToValue: string];
const ASSETS: readonly AssetRow[] = [
  ['OX', '1'],
  ['USDT', '0.95'],
  ['USDC', '0.95'],
  ['BTC', '0.95'],
  ['ETH', '0.95'],
  ['SOL', '0.85'],
  ['XRP', '0.85'],
];

type NetworkRow = {
  readonly name: string;
  readonly assets: readonly string[];
  readonly confirmations: number;
  readonly needsMemo?: boolean;
  readonly format: AddressFormat;
  readonly coin: string;
  /** What a token burns with every withdrawal. */
  readonly burnFees?: Readonly<Record<string, string>>;
};
const NETWORKS: readonly NetworkRow[] = [
  {
    name: 'Ethereum',
    assets: ['ETH', 'USDT', 'USDC', 'OX'],
    confirmations: 12,
    format: 'evm',
    coin: 'ETH',
    burnFees: { OX: '2' },
  },
  { name: 'Arbitrum', assets: ['OX', 'USDT'], confirmations: 20, format: 'evm', coin: 'ETH' },
  { name: 'Bitcoin', assets: ['BTC'], confirmations: 2, format: 'bitcoin', coin: 'BTC' },
  { name: 'Solana', assets: ['SOL'], confirmations: 32, format: 'solana', coin: 'SOL' },
  { name: 'XRPL', assets: ['XRP'], confirmations: 1, needsMemo: true, format: 'xrpl', coin: 'XRP' },
];

/** Leverage up to a notional cap in millions of OX. */
type Tier = readonly [leverage: number, capMillions: number];
type PerpetualRow = {
  readonly base: string;
  readonly tick: string;
  readonly lot: string;
  readonly maxOrder: string;
  readonly band: string;
  /** Impact notional in OX. */
  readonly impact: string;
  readonly tiers: readonly Tier[];
};
const LARGE_TIERS: readonly Tier[] = [
  [20, 100],
  [10, 300],
  [5, 1_000],
  [2, 3_000],
];
const PERPETUALS: readonly PerpetualRow[] = [
  {
    base: 'BTC',
    tick: '1',
    lot: '0.0001',
    maxOrder: '100',
    band: '0.1',
    impact: '1000000',
    tiers: LARGE_TIERS,
  },
  {
    base: 'ETH',
    tick: '0.1',
    lot: '0.001',
    maxOrder: '2000',
    band: '0.1',
    impact: '1000000',
    tiers: LARGE_TIERS,
  },
  {
    base: 'SOL',
    tick: '0.01',
    lot: '0.01',
    maxOrder: '50000',
    band: '0.06',
    impact: '200000',
    tiers: [
      [10, 200],
      [5, 500],
      [2, 1_000],
    ],
  },
  {
    base: 'OX',
    tick: '0.00001',
    lot: '1',
    maxOrder: '100000000',
    band: '0.3',
    impact: '200000',
    tiers: [
      [5, 50],
      [2, 200],
    ],
  },
];

type SpotRow = Omit<PerpetualRow, 'tiers' | 'impact'>;
const SPOT_MARKETS: readonly SpotRow[] = [
  { base: 'BTC', tick: '0.01', lot: '0.00001', maxOrder: '100', band: '0.1' },
  { base: 'ETH', tick: '0.01', lot: '0.0001', maxOrder: '2000', band: '0.1' },
  { base: 'SOL', tick: '0.001', lot: '0.01', maxOrder: '50000', band: '0.1' },
  { base: 'XRP', tick: '0.0001', lot: '0.1', maxOrder: '1000000', band: '0.1' },
  { base: 'OX', tick: '0.00001', lot: '1', maxOrder: '100000000', band: '0.3' },
];

const assetFrom = ([code, loanToValue]: AssetRow): AssetSpec => ({
  code,
  scale: ASSET_SCALE,
  loanToValue: exact(loanToValue, RATE_SCALE),
});

const networkFrom = (row: NetworkRow): NetworkSpec => ({
  name: row.name,
  chain: 'simulated',
  confirmations: row.confirmations,
  needsMemo: row.needsMemo === true,
  addressFormat: row.format,
  coin: row.coin,
  assets: row.assets.map((asset) => ({
    asset,
    tokenId: undefined,
    transactionPrecision: ASSET_SCALE,
    minDeposit: exact('0.0001', ASSET_SCALE),
    minWithdrawal: exact('0.0001', ASSET_SCALE),
    ...burnFeeFrom(row.burnFees?.[asset]),
  })),
});

const burnFeeFrom = (text: string | undefined): { burnFee?: bigint } =>
  text === undefined ? {} : { burnFee: exact(text, ASSET_SCALE) };

function perpetualFrom(row: PerpetualRow): MarketSpec {
  return {
    ...gridFrom(row),
    code: `${row.base}-USD-SWAP-LIN`,
    name: `${row.base}/USD Perp`,
    type: 'FUTURE',
    counter: 'USD',
    impactNotional: exact(row.impact, ASSET_SCALE),
    tiers: row.tiers.map(
      ([leverage, capMillions]): LeverageTier => ({
        leverage,
        notionalCap: exact(`${capMillions}000000`, ASSET_SCALE),
      }),
    ),
  };
}

const spotFrom = (row: SpotRow): MarketSpec => ({
  ...gridFrom(row),
  code: `${row.base}-USDT`,
  name: `${row.base}/USDT`,
  type: 'SPOT',
  counter: 'USDT',
  impactNotional: 0n,
  tiers: [],
});

/** The terms that both kinds share. Prices have the scale of the tick, quantities that of the lot. */
function gridFrom(row: SpotRow) {
  const priceScale = decimalsOf(row.tick);
  const quantityScale = decimalsOf(row.lot);
  const lotParts = exact(row.lot, quantityScale);
  return {
    referencePair: `${row.base}/USDT`,
    base: row.base,
    priceScale,
    tickParts: exact(row.tick, priceScale),
    quantityScale,
    lotParts,
    maxOrderLots: exactNumber(exact(row.maxOrder, quantityScale) / lotParts),
    band: exact(row.band, RATE_SCALE),
    state: 'OPEN',
  } as const;
}

const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;

function exact(text: string, scale: number): bigint {
  const parts = partsFromText(text, scale);
  if (parts === undefined)
    throw new Error(`the catalogue holds ${text}, finer than ${scale} digits`);
  return parts;
}
