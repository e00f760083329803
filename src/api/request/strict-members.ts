import { nearest } from '../../domain/nearest.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { ALSO_SENT } from '../../wire/orders.ts';
import { membersOf } from './members.ts';

/**
 * Whether an element has an unknown member: `Price`, `timeinforce`. Such members are normally ignored,
 * because existing clients send some of their own; strict mode refuses them for developers of new clients,
 * with the name that was probably meant.
 */
export type MemberCheck = (sent: unknown, names: readonly string[]) => Refusal | undefined;

export const ignoreUnknown: MemberCheck = () => undefined;

export const refuseUnknown: MemberCheck = (sent, names) => {
  for (const [name, value] of Object.entries(membersOf(sent))) {
    // A null member counts as absent, whatever its name.
    if (value === undefined || names.includes(name) || ALSO_SENT.includes(name)) continue;
    const what = JSON.stringify(shortened(name));
    return refuse(
      'PARAMETER_INVALID',
      `there is no member ${what}; nearest ${nearest(name, names)}`,
    );
  }
  return undefined;
};
