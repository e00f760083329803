import { Type } from 'typebox';
import type { OperatorRole } from '../domain/terms.ts';

/** Shared by the declarations of the operator interface. */

/** Every operator may read. */
export const READERS: readonly OperatorRole[] = ['viewer', 'support', 'treasury', 'risk'];

export const NameSent = Type.String({ minLength: 1, maxLength: 40, description: 'a name' });
export const ReasonSent = Type.String({
  minLength: 1,
  maxLength: 200,
  description: '1 to 200 characters',
});

/** The `limit` of paged lists. */
export const LIST_LIMITS = { page: { default: 1_000, max: 1_000 } };
