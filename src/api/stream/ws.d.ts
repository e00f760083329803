/** As much of the websocket library as is used here; it comes without types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { Duplex } from 'node:stream';

  export class WebSocket extends EventEmitter {
    readonly readyState: number;
    static readonly OPEN: number;
    constructor(url: string, options?: object);
    send(data: string | Uint8Array): void;
    ping(): void;
    pong(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
    pause(): void;
    resume(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      readonly noServer: true;
      readonly maxPayload: number;
      readonly perMessageDeflate: false;
      readonly clientTracking: false;
      readonly handleProtocols?: () => false;
    });
    handleUpgrade(
      request: object,
      socket: Duplex,
      rest: Buffer,
      onOpen: (socket: WebSocket) => void,
    ): void;
  }
}
