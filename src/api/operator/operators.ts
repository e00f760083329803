import { assert } from '../../domain/assert.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../../domain/terms.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { addOperator, disableOperator, getMe, listOperators } from '../../wire/operator-venue.ts';
import { ADMIN_ROLE, type Operator, type Operators } from '../http/authenticate-operator.ts';
import { type Route, route } from '../http/mount.ts';
import type { KeyMaker } from '../request/key-maker.ts';
import { byOperator, eventOf } from './acting.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
/** Of those ever added: names are not reused. */
const OPERATORS_MAX = 1_000;

/**
 * The operators of the venue. The command comes first and is the record; then the list is changed. A request
 * that is repeated after a crash in between finds the record and changes the list.
 */
export const operatorsRoutes = (engine: Engine, keys: KeyMaker, operators: Operators): Route[] => [
  route(getMe, ({ caller: { actor, roles } }) => ({ data: { actor, roles: [...roles] } })),

  route(listOperators, () => ({ data: operators.all().map(shownOperator) })),

  route(addOperator, async ({ request, caller }) => {
    const { name } = request;
    const roles = OPERATOR_ROLES.filter((role) => request.roles.includes(role));
    // A repeated request finds the operator that it added.
    const change = { ...byOperator(caller), name, roles };
    const outcome = await note(engine, change, faultOfName(operators, name));
    if (isRefusal(outcome)) return outcome;
    if (find(operators, name) === undefined) {
      const pair = keys.newPair();
      const { accessKey } = pair;
      const sealedSecret = keys.seal(pair.secret);
      const one = { name, roles, accessKey, sealedSecret, isDisabled: false };
      const notKept = faultOfKeeping(() => operators.add(one));
      if (notKept !== undefined) return notKept;
    }
    const added = find(operators, name);
    assert(added !== undefined, 'an operator that was added is in the list');
    const secret = new TextDecoder().decode(keys.unseal(added.sealedSecret));
    return { data: { ...shownOperator(added), secret }, isRepeat: outcome.isRepeat };
  }),

  route(disableOperator, async ({ request, caller }) => {
    const { name } = request;
    const change = { ...byOperator(caller), name, roles: [] };
    const outcome = await note(engine, change, faultOfDisabling(operators, name));
    if (isRefusal(outcome)) return outcome;
    const notKept = faultOfKeeping(() => operators.disable(name));
    if (notKept !== undefined) return notKept;
    const disabled = find(operators, name);
    assert(disabled !== undefined, 'a disabled operator stays in the list');
    return { data: shownOperator(disabled), isRepeat: outcome.isRepeat };
  }),
];

type Note = ReturnType<typeof byOperator> & {
  readonly name: string;
  readonly roles: readonly OperatorRole[];
};

/**
 * Records the change. What is not possible is refused by the venue and not here, so that a repeated request
 * gets its first answer.
 */
async function note(
  engine: Engine,
  change: Note,
  fault: Refusal | undefined,
): Promise<{ readonly isRepeat: boolean } | (Refusal & { readonly isRepeat: boolean })> {
  const { outcome, isRepeat } = await engine.submit({
    kind: 'note-operator',
    ...change,
    ...(fault === undefined ? {} : { fault }),
  });
  const acted = eventOf(outcome, 'operator-acted');
  return isRefusal(acted) ? { ...acted, isRepeat } : { isRepeat };
}

/** The disk may be full. The record is there, so that the same request, sent again, changes the list. */
function faultOfKeeping(change: () => void): Refusal | undefined {
  try {
    change();
    return undefined;
  } catch (cause) {
    return refuse(
      'UNAVAILABLE',
      `${(cause as Error).message}; the operators stay as they were: repair this, then ask again`,
    );
  }
}

const find = (operators: Operators, name: string): Operator | undefined =>
  operators.all().find((one) => one.name === name);

function faultOfName(operators: Operators, name: string): Refusal | undefined {
  if (!NAME.test(name)) {
    return refuse(
      'PARAMETER_INVALID',
      `"${name}": the name of an operator has 1 to 40 letters, digits, dots, dashes`,
    );
  }
  if (find(operators, name) !== undefined) return refuse('ALREADY_EXISTS', `operator ${name}`);
  if (operators.all().length < OPERATORS_MAX) return undefined;
  return refuse('LIMIT_REACHED', `a venue has at most ${OPERATORS_MAX} operators`);
}

/** Somebody who can add others must remain. */
function faultOfDisabling(operators: Operators, name: string): Refusal | undefined {
  const found = find(operators, name);
  if (found === undefined) return refuse('RESULT_NOT_FOUND', `there is no operator ${name}`);
  if (found.isDisabled) return refuse('RESULT_NOT_FOUND', `operator ${name} is disabled already`);
  const isAdmin = ({ roles, isDisabled }: Operator): boolean =>
    !isDisabled && roles.includes(ADMIN_ROLE);
  if (!isAdmin(found) || operators.all().filter(isAdmin).length > 1) return undefined;
  return refuse('PARAMETER_INVALID', `${name} is the last operator with the role ${ADMIN_ROLE}`);
}

const shownOperator = (operator: Operator): ReplyOf<typeof disableOperator> => ({
  name: operator.name,
  roles: [...operator.roles],
  accessKey: operator.accessKey,
  disabled: operator.isDisabled,
});
