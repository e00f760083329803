import { readFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { faultOf } from './config-faults.ts';
import type { Genesis, SetupCommand } from './domain/commands.ts';
import { decimalFromText, partsFromDecimal, textFromParts } from './domain/decimal.ts';
import { type MarketSpec, type NetworkSpec, RATE_SCALE } from './domain/market.ts';
import { nearest } from './domain/nearest.ts';
import { ACCOUNT_TYPES, MARKET_STATES, MARKET_TYPES } from './domain/terms.ts';
import { AMOUNT_LIMIT, type Amount, amount, USD_SCALE, usdPrice } from './domain/units.ts';
import { withoutComments } from './json-comments.ts';

/**
 * A user's own catalogue, and what the venue starts with, as JSON with comments. A file is refused with the
 * member that is wrong, what it may be and the nearest name. Whether everything fits together is checked by
 * the core.
 */
const closed = { additionalProperties: false } as const;

const NetworkAssetFile = Type.Object(
  {
    asset: Type.String(),
    tokenId: Type.Optional(Type.String()),
    precision: Type.Integer({ minimum: 0, maximum: 30 }),
    minDeposit: Type.String(),
    minWithdrawal: Type.String(),
    burnFee: Type.Optional(Type.String()),
    feeFree: Type.Optional(Type.Boolean()),
  },
  closed,
);

const CatalogueFile = Type.Object(
  {
    assets: Type.Array(
      Type.Object(
        {
          code: Type.String(),
          decimals: Type.Integer({ minimum: 0, maximum: 18 }),
          loanToValue: Type.String(),
        },
        closed,
      ),
      { minItems: 1 },
    ),
    networks: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          chain: Type.Enum(['simulated', 'evm']),
          confirmations: Type.Integer({ minimum: 1, maximum: 10_000 }),
          needsMemo: Type.Boolean(),
          addressFormat: Type.Optional(Type.Enum(['evm', 'bitcoin', 'solana', 'xrpl'])),
          coin: Type.Optional(Type.String()),
          assets: Type.Array(NetworkAssetFile),
        },
        closed,
      ),
    ),
    markets: Type.Array(
      Type.Object(
        {
          code: Type.String(),
          name: Type.String(),
          type: Type.Enum([...MARKET_TYPES]),
          referencePair: Type.String(),
          base: Type.String(),
          counter: Type.String(),
          tick: Type.String(),
          lot: Type.String(),
          maxOrder: Type.String(),
          band: Type.String(),
          impactNotional: Type.Optional(Type.String()),
          tiers: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  leverage: Type.Integer({ minimum: 1, maximum: 1_000 }),
                  notionalCap: Type.String(),
                },
                closed,
              ),
            ),
          ),
          state: Type.Optional(Type.Enum([...MARKET_STATES])),
        },
        closed,
      ),
    ),
    prices: Type.Record(Type.String(), Type.String()),
  },
  closed,
);
export type CatalogueFile = Static<typeof CatalogueFile>;

const Funds = Type.Record(Type.String(), Type.String());
const GenesisFile = Type.Object(
  {
    families: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          noDelays: Type.Optional(Type.Boolean()),
          accounts: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                type: Type.Optional(Type.Enum([...ACCOUNT_TYPES])),
                funds: Type.Optional(Funds),
              },
              closed,
            ),
            { minItems: 1 },
          ),
        },
        closed,
      ),
    ),
    insurance: Type.Optional(Funds),
    networkCosts: Type.Optional(Funds),
  },
  closed,
);
type GenesisFile = Static<typeof GenesisFile>;

/** Names the file, the member and what it may be. */
class FileFault extends Error {
  constructor(file: string, words: string) {
    super(`${file}: ${words}`);
    this.name = 'FileFault';
  }
}

function readFile<Found>(file: string, schema: object): Found {
  let found: unknown;
  try {
    found = JSON.parse(withoutComments(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new FileFault(file, (cause as Error).message);
  }
  const fault = faultOf(schema, found);
  if (fault !== undefined) throw new FileFault(file, fault);
  return found as Found;
}

/** The commands of a genesis that define assets, networks, markets and first prices. */
export function catalogueFrom(file: string, actor: string): SetupCommand[] {
  const found = readFile<CatalogueFile>(file, CatalogueFile);
  const reader = new Reader(file, found);
  return [
    ...found.assets.map(({ code, decimals, loanToValue }, at): SetupCommand => {
      const ltv = reader.parts(`assets[${at}].loanToValue`, loanToValue, RATE_SCALE);
      return { kind: 'define-asset', actor, asset: { code, scale: decimals, loanToValue: ltv } };
    }),
    ...found.networks.map((one, at): SetupCommand => {
      return {
        kind: 'define-network',
        actor,
        network: networkFrom(reader, one, `networks[${at}]`),
      };
    }),
    ...found.markets.map((one, at): SetupCommand => {
      return { kind: 'define-market', actor, market: marketFrom(reader, one, `markets[${at}]`) };
    }),
    {
      kind: 'set-index-prices',
      prices: Object.entries(found.prices).map(([asset, text]) => {
        reader.scaleOf('prices', asset);
        return { asset, price: usdPrice(reader.parts(`prices.${asset}`, text, USD_SCALE)) };
      }),
    },
  ];
}

/** Families, their money and the initial balances of the venue's own funds, after a catalogue. */
export function genesisFrom(
  file: string,
  actor: string,
  catalogue: readonly SetupCommand[],
): Genesis['steps'] {
  const found = readFile<GenesisFile>(file, GenesisFile);
  const assets = catalogue.flatMap((step) =>
    step.kind === 'define-asset' ? [{ code: step.asset.code, decimals: step.asset.scale }] : [],
  );
  const reader = new Reader(file, { assets });
  const steps: Genesis['steps'][number][] = [];
  for (const [at, family] of found.families.entries()) {
    for (const [index, { name, type = 'PORTFOLIO', funds = {} }] of family.accounts.entries()) {
      const account = { family: family.name, name };
      steps.push({ kind: 'create-account', actor, account, accountType: type });
      const path = `families[${at}].accounts[${index}].funds`;
      for (const { asset, parts } of reader.funds(path, funds)) {
        steps.push({ kind: 'credit-genesis', account, asset, amount: parts });
      }
    }
    if (family.noDelays === true) steps.push({ kind: 'waive-delays', family: family.name });
  }
  for (const { asset, parts } of reader.funds('insurance', found.insurance ?? {})) {
    steps.push({ kind: 'fund-insurance', asset, amount: parts });
  }
  for (const { asset, parts } of reader.funds('networkCosts', found.networkCosts ?? {})) {
    steps.push({ kind: 'fund-network-costs', asset, amount: parts });
  }
  return steps;
}

type Assets = readonly { readonly code: string; readonly decimals: number }[];

/** Reads numbers and names of a file, and reports where they are wrong. */
class Reader {
  readonly #file: string;
  readonly #assets: Assets;
  readonly #given = new Map<string, bigint>();

  constructor(file: string, { assets }: { readonly assets: Assets }) {
    this.#file = file;
    this.#assets = assets;
  }

  scaleOf(path: string, code: string): number {
    const found = this.#assets.find((asset) => asset.code === code);
    if (found !== undefined) return found.decimals;
    const codes = this.#assets.map((asset) => asset.code);
    throw this.fault(
      `${path} names ${JSON.stringify(code)}, which is no asset; did you mean ${nearest(code, codes)}?` +
        ` There are ${codes.join(', ')}`,
    );
  }

  /** A decimal number in quotes, exact at the scale and not negative. */
  parts(path: string, text: string, scale: number): bigint {
    const read = decimalFromText(text);
    const parts = read === undefined ? undefined : partsFromDecimal(read, scale);
    if (parts !== undefined && parts >= 0n && parts < AMOUNT_LIMIT) return parts;
    const isLarge = parts !== undefined && parts > 0n;
    const words = isLarge
      ? `more than can be counted: with ${scale} decimals below ${textFromParts(AMOUNT_LIMIT, scale)}`
      : `a decimal number in quotes, not negative, with at most ${scale} decimals, not ${JSON.stringify(text)}`;
    throw this.fault(`${path} is ${words}`);
  }

  /** Refuses a genesis whose total of an asset is too large to be represented. */
  funds(path: string, funds: Readonly<Record<string, string>>) {
    return Object.entries(funds).map(([asset, text]): { asset: string; parts: Amount } => {
      const parts = this.parts(`${path}.${asset}`, text, this.scaleOf(path, asset));
      const given = (this.#given.get(asset) ?? 0n) + parts;
      if (given >= AMOUNT_LIMIT) throw this.fault(`${path}.${asset}: more than can be counted`);
      this.#given.set(asset, given);
      return { asset, parts: amount(parts) };
    });
  }

  fault(words: string): Error {
    return new FileFault(this.#file, words);
  }
}

function networkFrom(
  reader: Reader,
  found: CatalogueFile['networks'][number],
  path: string,
): NetworkSpec {
  const { addressFormat, coin, assets, ...spec } = found;
  if (coin !== undefined) reader.scaleOf(`${path}.coin`, coin);
  return {
    ...spec,
    ...(addressFormat === undefined ? {} : { addressFormat }),
    ...(coin === undefined ? {} : { coin }),
    assets: assets.map((one, at) => {
      const here = `${path}.assets[${at}]`;
      const scale = reader.scaleOf(`${here}.asset`, one.asset);
      const { burnFee } = one;
      return {
        asset: one.asset,
        tokenId: one.tokenId,
        transactionPrecision: one.precision,
        minDeposit: reader.parts(`${here}.minDeposit`, one.minDeposit, scale),
        minWithdrawal: reader.parts(`${here}.minWithdrawal`, one.minWithdrawal, scale),
        ...(burnFee === undefined
          ? {}
          : { burnFee: reader.parts(`${here}.burnFee`, burnFee, scale) }),
        ...(one.feeFree === true ? { isFeeFree: true } : {}),
      };
    }),
  };
}

function marketFrom(
  reader: Reader,
  found: CatalogueFile['markets'][number],
  path: string,
): MarketSpec {
  const { tick, lot, maxOrder, band, impactNotional, tiers = [], state = 'OPEN', ...names } = found;
  // Printed in JSON as it is, and a part of the names of channels: nothing in it may need to be escaped.
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(found.code)) {
    throw reader.fault(
      `${path}.code is 1 to 40 letters, digits, dots, dashes, underscores, not ${JSON.stringify(found.code)}`,
    );
  }
  const nativeScale = reader.scaleOf(path, 'OX');
  reader.scaleOf(`${path}.base`, found.base);
  const priceScale = decimalsOf(tick);
  const quantityScale = decimalsOf(lot);
  const lotParts = reader.parts(`${path}.lot`, lot, quantityScale);
  const most = reader.parts(`${path}.maxOrder`, maxOrder, quantityScale);
  if (lotParts === 0n || most % lotParts !== 0n) {
    throw reader.fault(`${path}.maxOrder ${maxOrder} is no multiple of the lot, ${lot}`);
  }
  return {
    ...names,
    priceScale,
    tickParts: reader.parts(`${path}.tick`, tick, priceScale),
    quantityScale,
    lotParts,
    maxOrderLots: Number(most / lotParts),
    band: reader.parts(`${path}.band`, band, RATE_SCALE),
    impactNotional:
      impactNotional === undefined
        ? 0n
        : reader.parts(`${path}.impactNotional`, impactNotional, nativeScale),
    tiers: tiers.map(({ leverage, notionalCap }, at) => ({
      leverage,
      notionalCap: reader.parts(`${path}.tiers[${at}].notionalCap`, notionalCap, nativeScale),
    })),
    state,
  };
}

const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;

/** The file that would be read as this catalogue. */
export function catalogueFileOf(steps: readonly SetupCommand[]): CatalogueFile {
  const scaleByCode = new Map<string, number>();
  const file: CatalogueFile = { assets: [], networks: [], markets: [], prices: {} };
  const rate = (parts: bigint): string => textFromParts(parts, RATE_SCALE);
  const scaleOf = (code: string): number => scaleByCode.get(code) ?? 0;
  for (const step of steps) {
    if (step.kind === 'define-asset') {
      const { code, scale, loanToValue } = step.asset;
      scaleByCode.set(code, scale);
      file.assets.push({ code, decimals: scale, loanToValue: rate(loanToValue) });
    } else if (step.kind === 'define-network') {
      file.networks.push(networkFile(step.network, scaleOf));
    } else if (step.kind === 'define-market') {
      file.markets.push(marketFile(step.market, scaleOf('OX')));
    } else if (step.kind === 'set-index-prices') {
      for (const { asset, price } of step.prices) {
        file.prices[asset] = textFromParts(price, USD_SCALE);
      }
    }
  }
  return file;
}

function networkFile(
  { chain, assets, addressFormat, coin, ...spec }: NetworkSpec,
  scaleOf: (code: string) => number,
): CatalogueFile['networks'][number] {
  return {
    ...spec,
    chain: chain === 'evm' ? 'evm' : 'simulated',
    ...(addressFormat === undefined ? {} : { addressFormat }),
    ...(coin === undefined ? {} : { coin }),
    assets: assets.map((one) => {
      const text = (parts: bigint): string => textFromParts(parts, scaleOf(one.asset));
      return {
        asset: one.asset,
        ...(one.tokenId === undefined ? {} : { tokenId: one.tokenId }),
        precision: one.transactionPrecision,
        minDeposit: text(one.minDeposit),
        minWithdrawal: text(one.minWithdrawal),
        ...(one.burnFee === undefined ? {} : { burnFee: text(one.burnFee) }),
        ...(one.isFeeFree === true ? { feeFree: true } : {}),
      };
    }),
  };
}

function marketFile(spec: MarketSpec, nativeScale: number): CatalogueFile['markets'][number] {
  const { code, name, type, referencePair, base, counter, state } = spec;
  const native = (parts: bigint): string => textFromParts(parts, nativeScale);
  return {
    ...{ code, name, type, referencePair, base, counter },
    tick: textFromParts(spec.tickParts, spec.priceScale, spec.priceScale),
    lot: textFromParts(spec.lotParts, spec.quantityScale, spec.quantityScale),
    maxOrder: textFromParts(BigInt(spec.maxOrderLots) * spec.lotParts, spec.quantityScale),
    band: textFromParts(spec.band, RATE_SCALE),
    ...(spec.impactNotional === 0n ? {} : { impactNotional: native(spec.impactNotional) }),
    ...(spec.tiers.length === 0
      ? {}
      : {
          tiers: spec.tiers.map(({ leverage, notionalCap }) => ({
            leverage,
            notionalCap: native(notionalCap),
          })),
        }),
    state,
  };
}
