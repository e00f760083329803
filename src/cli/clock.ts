import { defineCommand } from 'citty';
import type { ReplyOf } from '../wire/endpoint.ts';
import { confirmClock, getClocks } from '../wire/operator-venue.ts';
import { command } from './command.ts';
import { operate, VENUE_ARGS } from './operate.ts';
import { print } from './print.ts';
import { jsonText, timeCell } from './table.ts';

const show = command({
  meta: { name: 'show', description: "The engine's time and the machine's" },
  args: VENUE_ARGS,
  run: async (args) => {
    const clocks = await operate(args, (client) => client.call(getClocks, {}));
    print(args.json ? jsonText(clocks) : clocksText(clocks));
  },
});

const CONFIRM_ARGS = {
  ...VENUE_ARGS,
  time: {
    type: 'string',
    required: true,
    description: 'the right time, e.g. 2027-01-01T00:00:00Z',
  },
} as const;

const confirm = command({
  meta: { name: 'confirm', description: "Take the machine's time as the engine's, in one step" },
  args: CONFIRM_ARGS,
  run: async (args) => {
    const timeMs = Date.parse(args.time);
    if (Number.isNaN(timeMs)) throw new Error(`--time is a date and a time, not ${args.time}`);
    const request = { time: String(timeMs) };
    const clocks = await operate(args, (client) => client.call(confirmClock, request));
    print(args.json ? jsonText(clocks) : clocksText(clocks));
  },
});

const clocksText = ({ engineTime, wallTime }: ReplyOf<typeof getClocks>): string =>
  `engine  ${timeCell(engineTime)} UTC\nmachine ${timeCell(wallTime)} UTC`;

export const clock = defineCommand({
  meta: { name: 'clock', description: "The engine's clock" },
  subCommands: { show, confirm },
});
