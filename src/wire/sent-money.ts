import { Type } from 'typebox';
import { SECOND_FACTORS } from '../domain/wallet.ts';
import { WordSent } from './scalars.ts';

/** Shared by requests about withdrawals: an address on a chain, and a code. */

/** Empty and overlong ones are refused by the rules for addresses. */
export const PLACE_SENT = {
  asset: WordSent,
  network: WordSent,
  address: Type.String({ maxLength: 256, description: 'an address of the network' }),
  memo: Type.Optional(Type.String({ maxLength: 256, description: 'a memo or tag' })),
};

export const FactorSent = Type.Enum([...SECOND_FACTORS], {
  description: `one of ${SECOND_FACTORS.join(', ')}`,
});
export const CodeSent = Type.String({
  maxLength: 128,
  description: 'a code of the second factor',
});
/** Needed if a factor is enrolled. */
export const CODE_SENT = {
  tfaType: Type.Optional(FactorSent),
  code: Type.Optional(CodeSent),
};
