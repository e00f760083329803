import type { DemoSecrets } from '../../src/sandbox/demo.ts';

/** For a demo venue without signed requests: keys are numbered and nothing is sealed. */
export function plainSecrets(): DemoSecrets {
  let keys = 0;
  return {
    newKey: () => ({ accessKey: `k${keys++}`, sealedSecret: new Uint8Array([1]) }),
    newTotp: () => new Uint8Array([1]),
  };
}
