import { readFileSync } from 'node:fs';

/**
 * How many connections the operating system leaves room for. Journal, history, snapshots, prices and threads
 * need descriptors too: a venue whose sockets have taken them all cannot write.
 */
export type ConnectionMaxima = {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
};

/** For files, threads, the management listener and short-lived files. */
export const DESCRIPTOR_RESERVE = 256;
/** The usual default of POSIX systems. */
const DESCRIPTORS_UNKNOWN = 1_024;
/** Unless set. A silent connection costs some 10 kB. */
const CONNECTIONS_DEFAULT = 8_192;
const CONNECTIONS_MIN = 16;

/** A setting above what the descriptors allow is reduced to it: `isCut`. */
export function connectionMaxima(
  descriptors: number | undefined,
  set: { readonly [Name in keyof ConnectionMaxima]?: number | undefined } = {},
): ConnectionMaxima & { readonly isCut: boolean } {
  const allowed = Math.max(
    CONNECTIONS_MIN,
    (descriptors ?? DESCRIPTORS_UNKNOWN) - DESCRIPTOR_RESERVE,
  );
  const wanted = set.maxConnections ?? Math.min(allowed, CONNECTIONS_DEFAULT);
  const maxConnections = Math.min(wanted, allowed);
  // Half of them, so that nobody can take them all.
  const perAddress = set.maxConnectionsPerAddress ?? Math.ceil(maxConnections / 2);
  return {
    maxConnections,
    maxConnectionsPerAddress: Math.min(perAddress, maxConnections),
    isCut: wanted > allowed,
  };
}

/** The limit of this process; undefined where the system does not report it. */
export function descriptorLimit(
  readLimits: () => string = () => readFileSync('/proc/self/limits', 'utf8'),
  readReport: () => unknown = reportedLimit,
): number | undefined {
  return fromProc(readLimits) ?? fromReport(readReport);
}

function fromProc(readLimits: () => string): number | undefined {
  try {
    const found = /^Max open files\s+(\d+|unlimited)\s/m.exec(readLimits())?.[1];
    return countOf(found);
  } catch {
    return undefined;
  }
}

function fromReport(readReport: () => unknown): number | undefined {
  try {
    return countOf(String(readReport()));
  } catch {
    return undefined;
  }
}

function countOf(text: string | undefined): number | undefined {
  if (text === 'unlimited') return Number.MAX_SAFE_INTEGER;
  const count = Number(text);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** macOS and BSD: the runtime's own report knows. */
function reportedLimit(): unknown {
  const { report } = process;
  if (report === undefined) return undefined;
  (report as { excludeNetwork?: boolean }).excludeNetwork = true;
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  return userLimits?.open_files?.soft;
}
