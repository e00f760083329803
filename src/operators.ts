import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { ADMIN_ROLE, type Operator, type Operators } from './api/server.ts';
import { OPERATOR_ROLES } from './domain/terms.ts';
import { writeAtomically } from './identity.ts';
import { textIn } from './journal/file-faults.ts';
import { newKeyPair, type Seal } from './seal.ts';

/**
 * Who may operate the venue. The venue keeps sealed credentials only (`operators.json`). The secret of the
 * first operator, which every venue has, is in `operator.json`, for commands on the same machine; it may be
 * moved elsewhere, and is not created again while `operators.json` exists.
 */
const SEALED_FILE = 'operators.json';
const CREDENTIAL_FILE = 'operator.json';
const ADDRESS_FILE = 'management.json';
const FIRST_OPERATOR = 'local';

const SealedOperators = Type.Array(
  Type.Object({
    name: Type.String(),
    accessKey: Type.String(),
    sealedSecret: Type.String({ description: 'base64' }),
    roles: Type.Array(Type.Enum([...OPERATOR_ROLES])),
    disabled: Type.Optional(Type.Boolean()),
  }),
);
const OperatorCredential = Type.Object({
  name: Type.String(),
  accessKey: Type.String(),
  secret: Type.String(),
});
export type OperatorCredential = Static<typeof OperatorCredential>;
const ManagementAddress = Type.Object({ managementUrl: Type.String(), pid: Type.Integer() });
export type ManagementAddress = Static<typeof ManagementAddress>;

const sealedOperators = Compile(SealedOperators);
const operatorCredential = Compile(OperatorCredential);
const managementAddress = Compile(ManagementAddress);

/**
 * The operators of a venue; a venue that has none gets its first. The file is read again when it was replaced: a list that is copied
 * from another node counts at once. One that cannot be read changes nothing, and `onTrouble` is told why.
 */
export function operatorsOrFirst(
  directory: string,
  seal: Seal,
  onTrouble: (words: string) => void = () => undefined,
): Operators {
  const file = join(directory, SEALED_FILE);
  if (!existsSync(file)) createFirst(directory, seal);
  let stamp = stampOf(file);
  let known = operatorsIn(file, seal);
  const all = (): readonly Operator[] => {
    const now = stampOf(file);
    if (now === stamp) return known;
    stamp = now;
    try {
      known = operatorsIn(file, seal);
    } catch (cause) {
      onTrouble(`the operators stay as they were: ${(cause as Error).message}`);
    }
    return known;
  };
  const keep = (changed: readonly Operator[]): void => {
    writeJson(file, changed.map(storedOperator));
    known = changed;
    stamp = stampOf(file);
  };
  return {
    all,
    add: (operator) => keep([...all(), operator]),
    disable: (name) =>
      keep(all().map((one) => (one.name === name ? { ...one, isDisabled: true } : one))),
  };
}

/** Refuses a list that cannot be read, or that another master key has sealed. */
export function checkOperators(directory: string, seal: Seal): void {
  const file = join(directory, SEALED_FILE);
  if (existsSync(file)) operatorsIn(file, seal);
}

/** Another one where the file was replaced or written; empty where it is missing. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

function operatorsIn(file: string, seal: Seal): readonly Operator[] {
  const found = listIn(file);
  return found.map(({ sealedSecret, disabled = false, ...named }) => {
    const sealed = new Uint8Array(Buffer.from(sealedSecret, 'base64'));
    refuseOtherSeal(file, seal, sealed);
    return { ...named, sealedSecret: sealed, isDisabled: disabled };
  });
}

function listIn(file: string): Static<typeof SealedOperators> {
  const text = textIn(file);
  try {
    const found: unknown = JSON.parse(text);
    if (sealedOperators.Check(found)) return found;
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}: ${BROUGHT_BACK}`, { cause });
  }
  throw new Error(`${file} is no list of operators: ${BROUGHT_BACK}`);
}

const BROUGHT_BACK =
  `bring it back from a copy, or remove it: a start then makes the first operator, ${FIRST_OPERATOR}, anew, ` +
  'and the others are to be added again';

const storedOperator = (operator: Operator): Static<typeof SealedOperators>[number] => ({
  name: operator.name,
  accessKey: operator.accessKey,
  sealedSecret: Buffer.from(operator.sealedSecret).toString('base64'),
  roles: [...operator.roles],
  ...(operator.isDisabled ? { disabled: true } : {}),
});

/** Their secrets were sealed with a lost key; the next start creates the first operator again. */
export function forgetOperators(directory: string): void {
  for (const name of [SEALED_FILE, CREDENTIAL_FILE]) rmSync(join(directory, name), { force: true });
}

/** The sealed file comes last: with it the first operator exists, and its secret is already stored. */
function createFirst(directory: string, seal: Seal): void {
  const { accessKey, secret } = newKeyPair();
  const credential: OperatorCredential = { name: FIRST_OPERATOR, accessKey, secret };
  const sealedSecret = seal.seal(secret);
  const first = { name: FIRST_OPERATOR, accessKey, sealedSecret, roles: [ADMIN_ROLE] };
  writeJson(join(directory, CREDENTIAL_FILE), credential);
  writeJson(join(directory, SEALED_FILE), [storedOperator({ ...first, isDisabled: false })]);
}

/** A wrong master key could not open any trader's secret either: the start is refused instead. */
function refuseOtherSeal(file: string, seal: Seal, sealed: Uint8Array): void {
  try {
    seal.unseal(sealed);
  } catch (cause) {
    throw new Error(
      `the master key does not open ${file}: give the one this venue was made with; if that is ` +
        'lost, rialto key forget-all revokes every API key and makes a new master key',
      { cause },
    );
  }
}

/**
 * The credential with which commands on this machine sign: that of the first operator, or from a given file.
 */
export function credentialIn(directory: string, named?: string): OperatorCredential {
  const file = named ?? join(directory, CREDENTIAL_FILE);
  if (!existsSync(file)) {
    throw new Error(
      `${file} is missing: the running venue takes only what an operator has signed; --as FILE names a ` +
        'credential elsewhere (operator add --to FILE writes one)',
    );
  }
  const found = jsonIn(file);
  if (!operatorCredential.Check(found)) throw new Error(`${file} is no operator's credential`);
  return found;
}

/** The address of the running venue; a killed one leaves it behind. */
export function managementAddressIn(directory: string): ManagementAddress | undefined {
  const file = join(directory, ADDRESS_FILE);
  if (!existsSync(file)) return undefined;
  const found = jsonIn(file);
  return managementAddress.Check(found) ? found : undefined;
}

export function announceManagement(directory: string, managementUrl: string): void {
  const address: ManagementAddress = { managementUrl, pid: process.pid };
  writeJson(join(directory, ADDRESS_FILE), address);
}

export const withdrawManagement = (directory: string): void =>
  rmSync(join(directory, ADDRESS_FILE), { force: true });

function writeJson(file: string, value: object): void {
  writeAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}`);
  }
}
