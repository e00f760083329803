import type { Engine } from '../../engine/engine.ts';
import type { LastUse } from '../http/authenticate.ts';
import type { KeyMaker } from '../request/key-maker.ts';
import type { SecondFactors } from '../request/second-factors.ts';
import type { Attempts } from './attempts.ts';
import type { NewKeys } from './new-keys.ts';

/** What sign-in and users' own keys need. */
export type AccessParts = {
  readonly engine: Engine;
  readonly keys: KeyMaker;
  readonly passwords: PasswordHashes;
  readonly factors: SecondFactors;
  readonly attempts: Attempts;
  /** Why another key or session must wait. */
  readonly newKeys: NewKeys;
  readonly lastUse: LastUse;
  /** Whether anyone may open an account. */
  readonly isOpenToAll: boolean;
};

/** Slow by design. Undefined: too many are being computed at this moment. */
export type PasswordHashes = {
  hash(password: string): Promise<string | undefined>;
  /** Takes as long if there is no hash to compare with. */
  verify(password: string, hash: string | undefined): Promise<boolean | undefined>;
};
