import type { CoreVenue } from '../../../test/support/core-venue.ts';
import { ByteWriter } from '../../bytes/pack.ts';
import { apply } from '../../core/venue.ts';
import { directoryOf, view } from '../../core/views/views.ts';
import { decodeEvents, encodeOutcome } from '../../domain/event-codec.ts';
import { sequence, timeMs } from '../../domain/units.ts';
import { type BatchPart, partsOf } from './batch.ts';
import { readChannel } from './channel-spec.ts';
import { Publisher, type StreamPast } from './publisher.ts';

const NO_PAST: StreamPast = { day: () => undefined, candle: () => undefined };

// biome-ignore lint/suspicious/noExplicitAny: a test looks into any message
type Message = any;

/** The core with a publisher behind it, without a disk, threads or clocks in between. */
export function publishing(venue: CoreVenue, past = NO_PAST) {
  const directory = directoryOf(venue.state);
  const publisher = new Publisher({
    past,
    source: {
      directory,
      get sequence() {
        return venue.state.sequence;
      },
      get timeMs() {
        return venue.state.timeMs;
      },
      view: (name, query) => view(venue.state, name, query),
    },
  });
  const out = new ByteWriter();
  const outcome = new ByteWriter();
  venue.apply = (command) => {
    out.clear();
    const at = { sequence: sequence(venue.state.sequence + 1), timeMs: timeMs(venue.nowMs) };
    apply(venue.state, { ...at, command }, out);
    outcome.clear();
    encodeOutcome(outcome, venue.nowMs, out.view());
    publisher.receive(command, outcome.view());
    return decodeEvents(out.view());
  };
  let steadyMs = 0;
  let id = 0;
  const idByName = new Map<string, number>();
  const open = (
    name: string,
    family?: string,
    more: { isCounted?: boolean; fromSeq?: number } = {},
  ): Message[] => {
    const account = family === undefined ? undefined : venue.account(family, 'main');
    const spec = readChannel(directory, name, account);
    if ('rejected' in spec) throw new Error(spec.message);
    idByName.set(name, ++id);
    publisher.open({
      ...{ kind: 'open', channel: id, spec, name, listener: 1_000 + id, afterSequence: 0 },
      isCounted: more.isCounted ?? false,
      fromSeq: more.fromSeq,
    });
    return take()
      .filter(({ kind }) => kind === 'first')
      .flatMap(messagesOf);
  };
  const take = (): BatchPart[] => {
    const batch = publisher.take();
    return batch === undefined ? [] : [...partsOf(batch)];
  };
  return {
    publisher,
    open,
    take,
    leave: (name: string, isCounted = false) =>
      publisher.leave({ kind: 'leave', channel: idByName.get(name) as number, isCounted }),
    /** Everything published after this time. */
    after: (ms: number): Message[] => {
      publisher.settle();
      steadyMs += ms;
      publisher.beat(steadyMs);
      return take().flatMap(messagesOf);
    },
  };
}

/** Decodes frames. */
export function messagesOf({ frames }: Pick<BatchPart, 'frames'>): Message[] {
  const bytes = Buffer.from(frames);
  const messages: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    const short = (bytes[at + 1] as number) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
    messages.push(JSON.parse(bytes.toString('utf8', at + head, at + head + length)));
    at += head + length;
  }
  return messages;
}
