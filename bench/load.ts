import { connect, type Socket } from 'node:net';

/** Requests as bytes, built before the clock starts: the generator must cost less than the server. */
export type Load = {
  /** Connections are distributed over them. */
  readonly ports: readonly number[];
  readonly requests: readonly Buffer[];
  readonly connections: number;
  /** How many requests of a connection may wait for their responses; one by default. */
  readonly pipelined?: number;
  /** Requests per second; without it, each connection sends the next as soon as it is answered. */
  readonly rate?: number;
  /** Checks every hundredth answer: a server that refuses everything is fast too. */
  readonly check: (body: string) => void;
};
export type LoadFigures = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Sends all requests over keep-alive connections; the first fifth warms up and does not count. */
export async function runLoad({
  ports,
  requests,
  connections,
  pipelined = 1,
  rate,
  check,
}: Load): Promise<LoadFigures> {
  const warm = Math.floor(requests.length / 5);
  const latenciesMs = new Float64Array(requests.length);
  let sent = 0;
  let answered = 0;
  let measuredFromMs = 0;
  const idle: Connection[] = [];
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();

  const sendNext = (connection: Connection): void => {
    const request = requests[sent];
    if (request !== undefined) connection.send(request, sent++);
  };
  const onAnswer = (connection: Connection, at: number, ms: number): void => {
    latenciesMs[at] = ms;
    if (++answered === warm) measuredFromMs = performance.now();
    if (answered % 100 === 0) {
      try {
        check(connection.lastBody());
      } catch (cause) {
        reject(cause);
        return;
      }
    }
    if (answered === requests.length) resolve();
    else if (rate === undefined) sendNext(connection);
    else idle.push(connection);
  };

  const all = await Promise.all(
    Array.from({ length: connections }, (_, at) =>
      Connection.open(ports[at % ports.length] as number, onAnswer, reject),
    ),
  );
  const startedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  if (rate === undefined) {
    for (const connection of all) for (let of = 0; of < pipelined; of++) sendNext(connection);
  } else {
    idle.push(...all);
    timer = setInterval(() => {
      const due = ((performance.now() - startedMs) / 1_000) * rate;
      while (sent < due && sent < requests.length) {
        const connection = idle.shift();
        if (connection === undefined) return;
        sendNext(connection);
      }
    }, 1);
  }
  try {
    await done;
  } finally {
    clearInterval(timer);
    for (const connection of all) connection.close();
  }
  const seconds = (performance.now() - measuredFromMs) / 1_000;
  const counted = latenciesMs.subarray(warm).toSorted();
  const at = (share: number): number => counted[Math.floor(counted.length * share)] ?? 0;
  return { perSecond: (requests.length - warm) / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('\r\nContent-Length: ');
const NOTHING = Buffer.alloc(0);
const READ_BYTES = 64 * 1_024;
const [ZERO, CR] = [0x30, 0x0d];

/**
 * One keep-alive connection, and just enough HTTP to find the end of a response. It reads into one buffer and makes
 * next to no garbage: what the generator's collector takes is missing for the server.
 */
class Connection {
  readonly #socket: Socket;
  readonly #onAnswer: (connection: Connection, at: number, ms: number) => void;
  /** Requests without a response, oldest first. */
  readonly #sent: { readonly at: number; readonly ms: number }[] = [];
  /** The beginning of a response that has not arrived whole. */
  #rest: Buffer = NOTHING;
  #body: Buffer = NOTHING;

  static open(
    port: number,
    onAnswer: (connection: Connection, at: number, ms: number) => void,
    onFailure: (reason: Error) => void,
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(
        connect({
          ...{ port, host: '127.0.0.1', noDelay: true },
          onread: {
            buffer: Buffer.allocUnsafeSlow(READ_BYTES),
            callback: (count, buffer) => {
              connection.#read((buffer as Buffer).subarray(0, count));
              return true;
            },
          },
        }),
        onAnswer,
      );
      const socket = connection.#socket;
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.on('error', onFailure);
        resolve(connection);
      });
    });
  }

  private constructor(
    socket: Socket,
    onAnswer: (connection: Connection, at: number, ms: number) => void,
  ) {
    this.#socket = socket;
    this.#onAnswer = onAnswer;
  }

  send(request: Buffer, at: number): void {
    this.#sent.push({ at, ms: performance.now() });
    this.#socket.write(request);
  }

  /** Of the response that is being reported. */
  lastBody(): string {
    return this.#body.toString('utf8');
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(arrived: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, arrived]) : arrived;
    this.#rest = NOTHING;
    for (let from = 0; from < bytes.length; ) {
      const head = bytes.indexOf(HEAD_END, from);
      const bodyFrom = head + HEAD_END.length;
      const end = head < 0 ? Number.POSITIVE_INFINITY : bodyFrom + lengthIn(bytes, from, head);
      if (bytes.length < end) {
        this.#rest = Buffer.from(bytes.subarray(from));
        return;
      }
      this.#body = bytes.subarray(bodyFrom, end);
      from = end;
      const answered = this.#sent.shift();
      if (answered === undefined) throw new Error('a response to no request');
      this.#onAnswer(this, answered.at, performance.now() - answered.ms);
    }
  }
}

function lengthIn(bytes: Buffer, from: number, head: number): number {
  let at = bytes.indexOf(LENGTH, from);
  if (at < 0 || at > head) throw new Error('a response without Content-Length');
  let length = 0;
  for (at += LENGTH.length; bytes[at] !== CR; at++) {
    length = 10 * length + (bytes[at] as number) - ZERO;
  }
  return length;
}
