import { nearest } from '../../domain/nearest.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { ALSO_SENT } from '../../wire/orders.ts';
import { membersOf } from './members.ts';

/**
 * Whether an element names a member that nobody knows: `Price`, `timeinforce`. Such members are
 * ignored, because clients in the field send some of their own; who writes a new client wants to
 * hear of them, with the name that was probably meant.
 */
export type MemberCheck = (sent: unknown, names: readonly string[]) => Refusal | undefined;

export const ignoreUnknown: MemberCheck = () => undefined;

export const refuseUnknown: MemberCheck = (sent, names) => {
  for (const [name, value] of Object.entries(membersOf(sent))) {
    // Null says nothing, under whatever name.
    if (value === undefined || names.includes(name) || ALSO_SENT.includes(name)) continue;
    const what = JSON.stringify(shortened(name));
    return refuse(
      'PARAMETER_INVALID',
      `there is no member ${what}; nearest ${nearest(name, names)}`,
    );
  }
  return undefined;
};
