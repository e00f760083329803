/** The reference for S5: the websocket library and nothing else. Returns what it was sent. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';

const server = createServer();
const websockets = new WebSocketServer({
  noServer: true,
  maxPayload: 65_536,
  perMessageDeflate: false,
  clientTracking: false,
});
server.on('upgrade', (request, socket: Socket, rest) => {
  socket.setNoDelay(true);
  websockets.handleUpgrade(request, socket, rest, (websocket) => {
    websocket.on('message', (data: Buffer) => websocket.send(data.toString()));
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
