import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/**
 * A connection between two programs that can be cut in either direction, as by a network: nothing is closed,
 * nothing arrives, and data in transit arrives when it is restored, if the connection still exists.
 */
export type TcpProxy = {
  readonly port: number;
  /** The number of current connections. */
  readonly count: number;
  /** `out`: from the client to the server; `in`: the way back. */
  cut(directions: readonly ('out' | 'in')[]): void;
  heal(): void;
  close(): Promise<void>;
};

type Line = { readonly client: Socket; readonly upstream: Socket };

export async function startTcpProxy(port: number, to: number): Promise<TcpProxy> {
  const lines = new Set<Line>();
  let isCut = { out: false, in: false };
  const apply = ({ client, upstream }: Line): void => {
    if (isCut.out) client.pause();
    else client.resume();
    if (isCut.in) upstream.pause();
    else upstream.resume();
  };
  const server: Server = createServer((client) => {
    const upstream = dial({ host: '127.0.0.1', port: to });
    const line = { client, upstream };
    lines.add(line);
    client.on('data', (bytes) => void upstream.write(bytes));
    upstream.on('data', (bytes) => void client.write(bytes));
    const end = (): void => {
      // The other end does not notice a close while the connection is cut.
      if (isCut.out || isCut.in) return;
      lines.delete(line);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    apply(line);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port }, resolve));
  return {
    port,
    get count() {
      return lines.size;
    },
    cut: (directions) => {
      isCut = { out: directions.includes('out'), in: directions.includes('in') };
      for (const line of lines) apply(line);
    },
    heal: () => {
      isCut = { out: false, in: false };
      for (const line of [...lines]) {
        if (line.client.destroyed || line.upstream.destroyed) {
          lines.delete(line);
          line.client.destroy();
          line.upstream.destroy();
        } else apply(line);
      }
    },
    close: async () => {
      isCut = { out: false, in: false };
      for (const { client, upstream } of lines) {
        client.destroy();
        upstream.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
