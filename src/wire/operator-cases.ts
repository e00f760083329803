import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { Liquidation } from './liquidations.ts';
import { READERS } from './operator-names.ts';
import { DecimalText, IdSent, IdText, PAGE, TimeText } from './scalars.ts';

/** What operators look at before they decide: everything about one withdrawal, or about a failing account. */

export const getWithdrawalCase = endpoint({
  method: 'GET',
  path: '/operator/v1/withdrawals/case',
  access: 'operator',
  roles: READERS,
  summary:
    'One withdrawal, finished or not: where it stands, what operators did to it, what its family moved in 30 days, and what the wallets hold',
  request: Type.Object({ id: IdSent, accountId: Type.Optional(IdSent) }),
  reply: Type.Object({
    id: IdText,
    accountId: IdText,
    family: Type.String(),
    name: Type.String(),
    asset: Type.String(),
    network: Type.String(),
    address: Type.String(),
    memo: Type.Optional(Type.String()),
    quantity: DecimalText,
    fee: DecimalText,
    status: Type.String(),
    requestedAt: TimeText,
    completedAt: Type.Optional(TimeText),
    txId: Type.Optional(Type.String()),
    /** Why it was canceled or failed. */
    cause: Type.Optional(Type.String()),
    /** What operators did to it, oldest first. */
    acts: Type.Array(
      Type.Object({
        time: TimeText,
        actor: Type.String(),
        act: Type.String(),
        before: Type.String(),
        after: Type.String(),
        reason: Type.String(),
      }),
    ),
    /**
     * For the whole family in the last 30 days: credited deposits, and withdrawals that have left or will
     * leave.
     */
    flows: Type.Array(Type.Object({ asset: Type.String(), in: DecimalText, out: DecimalText })),
    /** There was more than was added up. */
    flowsCut: Type.Boolean(),
    /** What the venue's wallets hold of the asset on the network according to the chain, if it has been queried. */
    onChain: Type.Optional(DecimalText),
  }),
});

export const getLiquidationsOf = endpoint({
  method: 'GET',
  path: '/operator/v1/liquidations',
  access: 'operator',
  roles: READERS,
  summary:
    'Liquidations of the venue, or with accountId of one account, step by step, newest first; without startTime from the beginning',
  request: Type.Object({ accountId: Type.Optional(IdSent), ...PAGE }),
  reply: Type.Array(
    Type.Object({
      accountId: IdText,
      family: Type.String(),
      name: Type.String(),
      ...Liquidation.properties,
    }),
  ),
  limits: { page: { default: 200, max: 500 } },
});
