/**
 * Listeners of one channel, in their own process: `listeners.ts PORT COUNT CHANNEL`. Prints "ready" when all
 * have received their first message, then once a second how many messages all of them have received.
 */
import { connect } from 'node:net';

const [port, count, channel] = process.argv.slice(2);
let receivedBytes = 0;
let ready = 0;

/** Counts bytes: parsing the messages of two thousand listeners would be the bottleneck. */
function listen(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `GET /v2/websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    let text = '';
    let isSubscribed = false;
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
      if (text === undefined) return;
      text += chunk.toString('latin1');
      if (!isSubscribed && text.includes('Welcome')) {
        isSubscribed = true;
        socket.write(masked(JSON.stringify({ op: 'subscribe', args: [channel] })));
      }
      if (text.includes('"subscribe","success":true')) {
        text = undefined as unknown as string;
        ready++;
        resolve();
      }
    });
  });
}

/** A client's frame: masked, here with zeros. */
function masked(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]);
}

for (let at = 0; at < Number(count); at += 50) {
  await Promise.all(Array.from({ length: Math.min(50, Number(count) - at) }, listen));
}
console.log('ready');
setInterval(() => console.log(`${ready} ${receivedBytes}`), 1_000);
