/** Why money waits, in words for its owner. */

export const HOLD_WORDS = {
  'new-address': 'The address is new',
  'above-limit': 'Above what leaves without a look: two operators release it',
  review: 'An operator looks at it',
  restriction: 'Withdrawals of this account are stopped',
} as const;

export const DEPOSIT_HOLD_WORDS = {
  'below-minimum': 'below the minimum',
  'deposits-closed': 'deposits are closed',
  inactive: 'the account is frozen',
  'too-large': 'too large to credit by itself',
} as const;
