import type { Page, WebSocketRoute } from 'playwright-core';

/** The page's stream, with simulated network faults. */
export type Line = {
  /** Messages of the venue do not arrive. */
  isSilent: boolean;
  /** New connections end immediately. */
  isCut: boolean;
  /** One in this many book messages is lost; 0 for none. Answers to subscriptions always arrive. */
  loses: number;
  readonly lost: number;
  cut(): void;
  /** Delivers a message to the page as if the venue had sent it. */
  say(message: object): void;
};

const BOOK = /"table":"(depthUpdate|depthUpdate-diff)/;

export async function tap(page: Page): Promise<Line> {
  const open = new Set<WebSocketRoute>();
  let received = 0;
  let lost = 0;
  const line = {
    ...{ isSilent: false, isCut: false, loses: 0 },
    get lost() {
      return lost;
    },
    cut: () => {
      for (const socket of open) void socket.close({ code: 1001 });
      open.clear();
    },
    say: (message: object) => {
      for (const socket of open) socket.send(JSON.stringify(message));
    },
  };
  await page.routeWebSocket(/\/v2\/websocket|\/stream|ws/, (socket) => {
    if (line.isCut) {
      void socket.close({ code: 1001 });
      return;
    }
    open.add(socket);
    const server = socket.connectToServer();
    server.onMessage((text) => {
      if (line.isSilent) return;
      if (line.loses > 0 && BOOK.test(String(text)) && ++received % line.loses === 0) lost++;
      else socket.send(text);
    });
  });
  return line;
}

type Levels = readonly (readonly (string | number)[])[];

/** "60001 0.5" for each of the best levels, asks first. */
export function bestOf(
  { asks, bids }: { readonly asks: Levels; readonly bids: Levels },
  count: number,
): string[] {
  return [asks, bids].flatMap((side) =>
    side.slice(0, count).map(([price, quantity]) => `${Number(price)} ${Number(quantity)}`),
  );
}

/** The same from the page's book. */
export async function shownBook(page: Page, count: number): Promise<string[]> {
  const side = async (name: 'asks' | 'bids'): Promise<string[]> => {
    const labels = await page
      .locator(`.book .side.${name} .lv`)
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
    const read = labels.map((label) => {
      const [, price, quantity] = /^\w+ ([\d.]+), size ([\d.]+)$/.exec(label) ?? [];
      return `${Number(price)} ${Number(quantity)}`;
    });
    return (name === 'asks' ? read.reverse() : read).slice(0, count);
  };
  return [...(await side('asks')), ...(await side('bids'))];
}
