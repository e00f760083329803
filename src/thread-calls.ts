/** A call to another thread, and its result. Values are those that can be copied between threads. */
export type CallMessage =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly words: string };

type Handler = (input: never) => unknown;

export type ThreadCalls<Theirs extends Record<string, Handler>> = {
  /** Rejects if the call failed in the other thread, or that thread has ended. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    input: Parameters<Theirs[Name]>[0],
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** False if the message does not belong to a call. */
  receive(message: { readonly kind: string }): boolean;
  /** From now on nobody answers. */
  end(reason: Error): void;
};

/** Calls between two threads, in both directions: `mine` are those that this one answers. */
export function threadCalls<Theirs extends Record<string, Handler>>(
  post: (message: CallMessage) => void,
  mine: Record<string, Handler>,
): ThreadCalls<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let ended: Error | undefined;
  const answer = async (id: number, name: string, input: unknown): Promise<void> => {
    try {
      const handler = mine[name] as ((input: unknown) => unknown) | undefined;
      if (handler === undefined) throw new Error(`this thread does not answer ${name}`);
      post({ kind: 'result', id, answer: await handler(input) });
    } catch (cause) {
      post({ kind: 'failed', id, words: cause instanceof Error ? cause.message : String(cause) });
    }
  };
  const taken = (id: number): PromiseWithResolvers<unknown> | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };
  return {
    call: (name, input) => {
      if (ended !== undefined) return Promise.reject(ended);
      const one = Promise.withResolvers<unknown>();
      waiting.set(++lastId, one);
      post({ kind: 'call', id: lastId, name, input });
      return one.promise as Promise<never>;
    },
    receive: (message) => {
      const call = message as CallMessage;
      if (call.kind === 'call') void answer(call.id, call.name, call.input);
      else if (call.kind === 'result') taken(call.id)?.resolve(call.answer);
      else if (call.kind === 'failed') taken(call.id)?.reject(new Error(call.words));
      else return false;
      return true;
    },
    end: (reason) => {
      ended = reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}
