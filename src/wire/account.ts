import { Type } from 'typebox';
import { ACCOUNT_TYPES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdText, SubAccSent, TimeText, WINDOW, WordSent } from './scalars.ts';

export const Balance = Type.Object({
  asset: Type.String(),
  total: DecimalText,
  available: DecimalText,
  reserved: DecimalText,
  lastUpdatedAt: TimeText,
});

/** Extensions: its value, and its contribution to the collateral, in the native asset. */
const ValuedBalance = Type.Object({
  ...Balance.properties,
  value: DecimalText,
  collateralValue: DecimalText,
});

const POSITION = {
  marketCode: Type.String(),
  baseAsset: Type.String(),
  counterAsset: Type.String(),
  position: DecimalText,
  entryPrice: DecimalText,
  markPrice: DecimalText,
  positionPnl: DecimalText,
  estLiquidationPrice: DecimalText,
  lastUpdatedAt: TimeText,
};
const AccountPosition = Type.Object(POSITION);

/** The published interface has `lastUpdated`; existing clients read `lastUpdatedAt`. */
export const Position = Type.Object({ ...POSITION, lastUpdated: TimeText });

export const Account = Type.Object({
  accountId: IdText,
  name: Type.String(),
  accountType: Type.Enum([...ACCOUNT_TYPES]),
  balances: Type.Array(ValuedBalance),
  positions: Type.Optional(Type.Array(AccountPosition)),
  collateral: DecimalText,
  notionalPositionSize: DecimalText,
  portfolioVarMargin: DecimalText,
  maintenanceMargin: DecimalText,
  marginRatio: DecimalText,
  riskRatio: DecimalText,
  liquidating: Type.Boolean(),
  feeTier: Type.String(),
  createdAt: TimeText,
});

const OWNER = { accountId: IdText, name: Type.String() };

export const getAccount = endpoint({
  method: 'GET',
  path: '/v3/account',
  access: 'read',
  summary: 'The account of the key, then the requested sub-accounts, with balances and margin',
  request: Type.Object({ subAcc: Type.Optional(SubAccSent) }),
  reply: Type.Array(Account),
  limits: { subAccountsMax: 10 },
});

export const getAccountNames = endpoint({
  method: 'GET',
  path: '/v3/account/names',
  access: 'parent-read',
  summary: 'All active sub-accounts',
  request: Type.Object({}),
  reply: Type.Array(Type.Object(OWNER)),
});

export const getBalances = endpoint({
  method: 'GET',
  path: '/v3/balances',
  access: 'read',
  summary: 'Balances per account: total = available + reserved',
  request: Type.Object({
    asset: Type.Optional(WordSent),
    subAcc: Type.Optional(SubAccSent),
  }),
  reply: Type.Array(Type.Object({ ...OWNER, balances: Type.Array(Balance) })),
  limits: { subAccountsMax: 10 },
});

export const getPositions = endpoint({
  method: 'GET',
  path: '/v3/positions',
  access: 'read',
  summary: 'Open positions per account; an empty list when there are none at all',
  request: Type.Object({
    marketCode: Type.Optional(WordSent),
    subAcc: Type.Optional(SubAccSent),
  }),
  reply: Type.Array(Type.Object({ ...OWNER, positions: Type.Array(Position) })),
  limits: { subAccountsMax: 10 },
});

/** In the native asset; hours without activity have no row. */
const AccountHour = Type.Object({
  hourAt: TimeText,
  /** After the funding at the beginning of the hour, if any was due. */
  collateral: Type.Optional(DecimalText),
  unrealizedPnl: Type.Optional(DecimalText),
  realizedPnl: DecimalText,
  funding: DecimalText,
});

export const getAccountHistory = endpoint({
  method: 'GET',
  path: '/v3/account/history',
  access: 'read',
  summary:
    'Extension: per account the hours in which it realised PnL or was due funding, newest first',
  request: Type.Object({ subAcc: Type.Optional(SubAccSent), ...WINDOW }),
  reply: Type.Array(Type.Object({ ...OWNER, history: Type.Array(AccountHour) })),
  limits: { page: { default: 168, max: 500 }, subAccountsMax: 10 },
});
