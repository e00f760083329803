import { Type } from 'typebox';
import { NewSession } from './access.ts';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdSent, IdText, LimitSent, NumberSent, WordSent } from './scalars.ts';

/** What developers may do around a venue started with `dev`. Not served by `serve`. */

export const sandboxDeposit = endpoint({
  method: 'POST',
  path: '/sandbox/v1/deposit',
  access: 'sandbox',
  summary:
    'Pay to the deposit address of an account on a simulated chain, in a block made for it; it is credited when it has its confirmations, a second or a few later. The account is named by accountId, or by family and account (`main` unless given)',
  request: Type.Object({
    accountId: Type.Optional(IdSent),
    family: Type.Optional(WordSent),
    account: Type.Optional(WordSent),
    asset: WordSent,
    network: Type.Optional(WordSent),
    quantity: NumberSent,
  }),
  reply: Type.Object({
    accountId: IdText,
    asset: Type.String(),
    network: Type.String(),
    address: Type.String(),
    memo: Type.Optional(Type.String()),
    quantity: DecimalText,
    txId: Type.String(),
  }),
});

const NODE_WORDS = ['well', 'down', 'slow', 'wrong-chain'] as const;

export const sandboxChain = endpoint({
  method: 'POST',
  path: '/sandbox/v1/chain',
  access: 'sandbox',
  summary:
    'Disturb a simulated chain: how its node is, what a unit of work costs, replace its newest blocks by empty ones, make blocks; in this order',
  request: Type.Object({
    network: WordSent,
    node: Type.Optional(
      Type.Enum([...NODE_WORDS], { description: `one of ${NODE_WORDS.join(', ')}` }),
    ),
    price: Type.Optional(LimitSent),
    reorganise: Type.Optional(LimitSent),
    mine: Type.Optional(LimitSent),
  }),
  reply: Type.Object({
    network: Type.String(),
    height: IdText,
    /** Transactions of the replaced blocks. */
    removed: Type.Array(Type.String()),
  }),
});

export const demoAccounts = endpoint({
  method: 'GET',
  path: '/sandbox/v1/demo-accounts',
  access: 'public',
  summary:
    'Demo accounts that a page may open with one click; to callers on the same machine only, by a loopback Host',
  request: Type.Object({}),
  reply: Type.Object({
    accounts: Type.Array(
      Type.Object({
        accountId: IdText,
        family: Type.String(),
        name: Type.String(),
        balances: Type.Array(Type.Object({ asset: Type.String(), total: DecimalText })),
      }),
    ),
    sandboxToken: Type.String({ description: 'for the calls above' }),
    market: Type.Object(
      { on: Type.Boolean(), seed: Type.Optional(Type.Number()) },
      { description: 'whether traders of its own trade here, and of which seed' },
    ),
  }),
});

export const demoSession = endpoint({
  method: 'POST',
  path: '/sandbox/v1/demo-session',
  access: 'public',
  summary: 'Open a session for a demo account, without a password; as above',
  request: Type.Object({ accountId: IdSent }),
  reply: NewSession,
});

export const SANDBOX_ENDPOINTS = [sandboxDeposit, sandboxChain, demoAccounts, demoSession];
