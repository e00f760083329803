import { connect, type Socket } from 'node:net';

/** A client that sends bytes as they are and keeps what comes back, for tests of HTTP itself. */
export type RawClient = {
  readonly socket: Socket;
  readonly text: () => string;
  send(bytes: string | Buffer): void;
  /** Waits until what came back holds `words`, so many times. */
  until(words: string | RegExp, times?: number): Promise<string>;
  /** Waits until the other side has closed. */
  closed: Promise<string>;
};

export async function rawClient(
  port: number,
  options: { paused?: boolean } = {},
): Promise<RawClient> {
  let text = '';
  let look = (): void => undefined;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(text));
    socket.on('end', () => {
      socket.end();
      resolve(text);
    });
  });
  socket.on('error', () => undefined);
  if (options.paused !== true) {
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      look();
    });
  }
  await new Promise((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', resolve);
  });
  return {
    socket,
    text: () => text,
    send: (bytes) => void socket.write(bytes),
    closed,
    until: (words, times = 1) => {
      const pattern = words instanceof RegExp ? words : new RegExp(escaped(words));
      const all = new RegExp(pattern.source, 'g');
      return new Promise((resolve, reject) => {
        look = () => {
          if ((text.match(all)?.length ?? 0) >= times) resolve(text);
        };
        void closed.then(() => {
          look();
          reject(new Error(`closed before ${pattern} came ${times} times: ${text}`));
        });
        look();
      });
    },
  };
}

const escaped = (words: string): string => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The statuses of the answers in a text, and the bodies that are JSON. */
export function answersIn(text: string): { readonly status: number; readonly json: unknown }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part !== '')
    .map((part) => {
      const [head = '', ...body] = part.split('\r\n\r\n');
      return { status: Number(head.slice(9, 12)), json: parsed(body.join('\r\n\r\n')) };
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
