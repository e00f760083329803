import { managementAddressIn } from '../operators.ts';
import { configOf, VENUE_ARGS } from './operate.ts';
import { printingCommand } from './printing.ts';

const WITHIN_MS = 5_000;
const { config, data } = VENUE_ARGS;

/** For scripts and supervisors: the exit code is 0 while the venue is ready. */
export const health = printingCommand({
  name: 'health',
  description: 'Whether a running venue is ready, and why not',
  args: { config, data: { ...data, description: 'or its data directory' } },
  find: async (named) => {
    const { data: directory } = configOf(named);
    const address = managementAddressIn(directory);
    if (address === undefined) throw new Error(`no venue runs on ${directory}`);
    const { managementUrl } = address;
    const get = async (path: string) => {
      const signal = AbortSignal.timeout(WITHIN_MS);
      return (await fetch(`${managementUrl}${path}`, { signal })).json();
    };
    try {
      const [ready, about] = await Promise.all([get('/ready'), get('/health')]);
      return { managementUrl, ...(ready as Readiness), ...(about as About) };
    } catch (cause) {
      throw new Error(`no answer from ${managementUrl}: ${(cause as Error).message}`, { cause });
    }
  },
  text: ({ managementUrl, ready, reasons, limited = [], status, history }) => {
    if (!ready) process.exitCode = 1;
    const words = ready
      ? ['ready', ...limited].join('; ')
      : `not ready: ${(reasons ?? []).join('; ')}`;
    const past = history === undefined ? '' : `, history at ${history.sequence}`;
    return `${words}\n  ${managementUrl}, engine ${status}${past}`;
  },
});

type Readiness = {
  readonly ready: boolean;
  readonly reasons?: readonly string[];
  readonly limited?: readonly string[];
};
/** A standby answers for its process alone. */
type About = { readonly status: string; readonly history?: { readonly sequence: number } };
