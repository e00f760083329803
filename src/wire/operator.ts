import type { Endpoint } from './endpoint.ts';
import {
  createAccount,
  createKey,
  listAccounts,
  listKeys,
  revokeKey,
  setRestrictions,
} from './operator-accounts.ts';
import { setBackstop, setMarketState, setOrderLimits } from './operator-markets.ts';
import {
  addOperator,
  confirmClock,
  disableOperator,
  getClocks,
  listOperators,
} from './operator-venue.ts';

/**
 * What operators ask of a running venue, on the management listener. Signed like /v3, with the credential of an
 * operator who has one of the roles that the endpoint names; every act is a command in the journal that names
 * who did it. All of them, in the order in which documents print them.
 */
export const OPERATOR_ENDPOINTS: readonly Endpoint[] = [
  listAccounts,
  createAccount,
  setRestrictions,
  listKeys,
  createKey,
  revokeKey,
  setMarketState,
  setOrderLimits,
  setBackstop,
  listOperators,
  addOperator,
  disableOperator,
  getClocks,
  confirmClock,
];
