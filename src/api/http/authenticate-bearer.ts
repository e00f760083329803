import { createHash, timingSafeEqual } from 'node:crypto';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { OperatorCaller } from './authenticate-operator.ts';
import type { Claimant, Credential, SignedHead } from './signature.ts';

export type BearerAuthenticator = {
  identify(head: SignedHead): Claimant<Credential> | Refusal;
  prove(claimed: Claimant<Credential>): OperatorCaller | Refusal;
};

/**
 * One token for all, in the header `Authorization: Bearer ...`: for endpoints that are served only where
 * secrets are shown.
 */
export function createBearerAuthenticator(
  name: string,
  token: string,
  nowMs: () => number,
): BearerAuthenticator {
  const wanted = digestOf(`Bearer ${token}`);
  return {
    identify: (head) => {
      const sent = head.headers['authorization'];
      if (typeof sent !== 'string' || !timingSafeEqual(digestOf(sent), wanted)) {
        return refuse('KEY_UNKNOWN', 'Authorization: Bearer TOKEN; the token is in the handout');
      }
      const now = nowMs();
      const entry = { accessKey: name, sealedSecret: new Uint8Array(0) };
      const signed = { accessKey: name, timestamp: '', nonce: '', signature: '' };
      return { entry, nowMs: now, signedAtMs: now, head, signed };
    },
    prove: () => ({ actor: name, roles: [], coversQuery: true }),
  };
}

/** Of equal length, whatever was sent. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
