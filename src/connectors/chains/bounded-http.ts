/**
 * One bounded POST of JSON: a time limit for headers and body, and a size limit for the response, so that a
 * peer that is slow or sends endlessly costs no more than that. Nothing is retried here.
 */
export type HttpLimits = {
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
  /** Aborts after this time; the system's timer unless a test passes its own. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
};

export type HttpFault = 'down' | 'slow' | 'too-large' | 'malformed' | 'refused';
export class HttpFailure extends Error {
  readonly fault: HttpFault;

  constructor(fault: HttpFault, reason: string) {
    super(reason);
    this.name = 'HttpFailure';
    this.fault = fault;
  }
}

/** Errors name the host only: a URL may contain a provider's key. */
export async function postJson(
  url: string,
  body: unknown,
  { timeoutMs, responseBytesMax, deadline = AbortSignal.timeout }: HttpLimits,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { host } = new URL(url);
  const signal = deadline(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // A response from another host is not a response of this node.
      redirect: 'error',
      signal,
    });
    const text = await textOf(response, responseBytesMax, host);
    const answer = parsed(text);
    if (answer === undefined) {
      const fault = response.ok ? 'malformed' : 'refused';
      throw new HttpFailure(fault, `${host} answers ${response.status} without JSON`);
    }
    return answer;
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
    if (signal.aborted) throw new HttpFailure('slow', `${host} takes more than ${timeoutMs} ms`);
    throw new HttpFailure('down', `${host} cannot be reached`);
  }
}

async function textOf(response: Response, bytesMax: number, host: string): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > bytesMax) {
      throw new HttpFailure('too-large', `${host} sends more than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
