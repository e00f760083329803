import { digestText } from '../../src/bytes/digest.ts';
import { RULES_VERSION, snapshotOf } from '../../src/core/snapshot.ts';
import { hasPendingWork } from '../../src/core/venue.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { Outcome } from '../../src/domain/events.ts';
import { decodeEntry } from '../../src/engine/codec.ts';
import type { Submitted } from '../../src/engine/engine.ts';
import { overlookedAccounts } from '../support/plain-margin.ts';
import { differencesInState } from './compare.ts';
import { DiskVenue, type Followed, type Life } from './disk-venue.ts';
import { brokenInvariants } from './invariants.ts';
import { requestOf } from './model/accounts.ts';
import { eventLine } from './model/event-lines.ts';
import { type Model, newModel } from './model/state.ts';
import { differencesInPreviews } from './previews.ts';
import { Random } from './random.ts';
import { differencesAfter, type Sabotage, type Timed } from './side-by-side.ts';
import { countLine, newTally, type Tally } from './tally.ts';
import { someTheme, THEMES, type Theme, type ThemeName } from './themes.ts';
import { Traders } from './traders.ts';
import { genesisOf, START_MS } from './world.ts';

export type Options = {
  readonly seed: number;
  readonly steps: number;
  /** Its theme; drawn by the seed if none is given. */
  readonly theme?: ThemeName;
  readonly sabotage?: Sabotage;
  /** After this step there is a tick every second, this many times, and then the hour ends. */
  readonly halfAnHour?: { readonly atStep: number; readonly seconds: number };
  /** Receives everything that took effect, in order. */
  readonly onCommand?: (timed: Timed) => void;
};

export type Result = {
  readonly tally: Tally;
  readonly failure?: Failure;
};

export type Failure = {
  readonly seed: number;
  readonly step: number;
  readonly differences: readonly string[];
  /** Everything that took effect, in order, the failing command last. */
  readonly commands: readonly Timed[];
};

/** A signed request that a client may send again, and its answer, if any. */
type Sent = { readonly command: Command; answer: string | undefined };

class Diverged extends Error {
  readonly differences: readonly string[];
  constructor(differences: readonly string[]) {
    super(differences[0] ?? 'something differs');
    this.differences = differences;
  }
}

/** One run: the venue on its failing disk, and the model beside it. Same seed, same run. */
export async function simulate(options: Options): Promise<Result> {
  const run = new Run(options);
  return run.all();
}

class Run {
  readonly #options: Options;
  readonly #random: Random;
  readonly #venue: DiskVenue;
  readonly #model: Model = newModel();
  readonly #theme: Theme;
  readonly #traders: Traders;
  readonly #commands: Timed[] = [];
  readonly #sent: Sent[] = [];
  readonly #tally: Tally = newTally();
  /** By sequence, as of when it became durable. */
  readonly #digests: string[] = [''];
  /** Names of signed requests that took effect. */
  readonly #effective = new Set<string>();
  /** By account: steps of its liquidation so far. */
  readonly #steps = new Map<string, number>();
  #life: Life | undefined;
  #step = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#venue = new DiskVenue(options.seed, START_MS);
    this.#theme = THEMES[options.theme ?? someTheme(this.#random)];
    this.#traders = new Traders(this.#random, this.#theme);
  }

  async all(): Promise<Result> {
    try {
      this.#life = await this.#venue.start();
      await this.#submit([genesisOf(this.#random, this.#theme.asks.wallet > 0)]);
      for (this.#step = 1; this.#step <= this.#options.steps; this.#step++) await this.#oneStep();
      await this.#powerLoss();
      await this.#settleDown();
      return { tally: this.#tally };
    } catch (cause) {
      const differences =
        cause instanceof Diverged ? cause.differences : [(cause as Error).stack ?? String(cause)];
      const { seed } = this.#options;
      const failure = { seed, step: this.#step, differences, commands: this.#commands };
      return { tally: this.#tally, failure };
    }
  }

  /** Some time passes, a few requests arrive together, some of them for the second time. */
  async #oneStep(): Promise<void> {
    const random = this.#random;
    const pause = random.weighted({ none: 50, short: 45, minute: 4, hours: 1 });
    const pauses = { none: 0, short: random.between(1, 1_500), minute: 61_000, hours: 30_000_000 };
    this.#venue.clock.advance(pauses[pause]);
    this.#model.timeMs = this.#venue.clock.nowMs();
    const count = random.chance(0.7) ? 1 : random.between(2, 5);
    const batch = Array.from({ length: count }, () => this.#traders.next(this.#model));
    if (this.#sent.length > 0 && random.chance(0.1)) {
      batch.push(random.pick(this.#sent.slice(-40)).command);
    }
    if (random.chance(0.05)) batch.push(random.pick(batch));
    const { files } = this.#venue;
    if (random.chance(0.025)) files.stopAtCall = files.calls + random.between(1, 12);
    else if (random.chance(0.005)) {
      files.fault = { call: files.calls + random.between(1, 4), code: 'EIO' };
    }
    this.#askBefore(batch);
    await this.#submit([...this.#timePasses(), ...random.shuffled(batch)]);
    if (random.chance(0.005)) await this.#powerLoss();
    const { halfAnHour } = this.#options;
    if (this.#step === halfAnHour?.atStep) await this.#halfAnHour(halfAnHour.seconds, true);
    if (halfAnHour === undefined && random.chance(this.#theme.halfHour)) {
      await this.#halfAnHour(random.pick(HALF_HOURS), random.chance(0.8));
    }
    if (this.#traders.isTrending && random.chance(0.02)) await this.#longWay();
  }

  /** Compares previews of the orders and estimates of the accounts, by the venue and the model. */
  #askBefore(batch: readonly Command[]): void {
    const command = batch.find(({ kind }) => kind === 'place-orders');
    const { state } = this.#alive();
    if (command === undefined || hasPendingWork(state)) return;
    const differences = differencesInPreviews(state, this.#model, command);
    this.#tally.previewed++;
    if (differences.length === 0) return;
    this.#commands.push({ timeMs: state.timeMs, command });
    throw new Diverged(differences);
  }

  /** From the full hour on a tick per second, just long enough, or not, for funding to be paid at its end. */
  async #halfAnHour(seconds: number, untilFull: boolean): Promise<void> {
    const { clock } = this.#venue;
    clock.advance(HOUR_MS - (clock.nowMs() % HOUR_MS) + this.#random.between(0, 5_000));
    let left = seconds;
    while (left > 0) {
      const count = Math.min(20, left);
      const ticks = Array.from({ length: count }, (): Command => ({ kind: 'tick' }));
      // Mostly calm: with wild prices no position would be left when the hour ends.
      const isCalm = this.#random.chance(0.9);
      const traders = this.#traders;
      const prices = isCalm ? traders.sameRound(this.#model) : traders.wholeRound(this.#model);
      await this.#submit([prices, ...ticks], 1_000);
      left -= count;
    }
    if (untilFull) clock.advance(HOUR_MS - (clock.nowMs() % HOUR_MS));
    await this.#submit([{ kind: 'tick' }]);
  }

  /** A price goes far while nobody trades. */
  async #longWay(): Promise<void> {
    for (const round of this.#traders.longWay(this.#model)) {
      this.#venue.clock.advance(1_000);
      await this.#submit([round]);
    }
  }

  /** With markets open and prices fresh every liquidation comes to an end. */
  async #settleDown(): Promise<void> {
    const actor = 'simulation';
    const opened = this.#model.markets.map(
      ({ spec: { code: market } }): Command =>
        ({ kind: 'set-market-state', actor, market, state: 'OPEN', reason: 'chance' }) as const,
    );
    await this.#submit(opened);
    for (let second = 0; this.#model.liquidating.length > 0; second += 10) {
      if (second > SETTLING_SECONDS_MAX) {
        throw new Diverged([`still liquidating: ${this.#model.liquidating.join(', ')}`]);
      }
      const prices = this.#traders.sameRound(this.#model);
      const ticks = Array.from({ length: 20 }, (): Command => ({ kind: 'tick' }));
      await this.#submit([prices, ...ticks], 500);
    }
  }

  /** Prices are mostly kept fresh; the clock ticks, and more often while an account is failing. */
  #timePasses(): Command[] {
    const random = this.#random;
    const { assets, liquidating, timeMs } = this.#model;
    const isOld = assets.some(({ indexAtMs }) => timeMs - indexAtMs > PRICE_EVERY_MS);
    const commands: Command[] = [];
    if (isOld && random.chance(0.9)) {
      const isWhole = random.chance(0.8);
      commands.push(
        isWhole ? this.#traders.wholeRound(this.#model) : this.#traders.partRound(this.#model),
      );
    }
    if (random.chance(liquidating.length > 0 ? 0.8 : 0.25)) commands.push({ kind: 'tick' });
    return commands;
  }

  /** Sends a batch at once, as many connections would; then checks the result. */
  async #submit(batch: readonly Command[], tickMs = 0): Promise<void> {
    const life = this.#alive();
    const overlooked: string[] = [];
    const answers = await Promise.allSettled(
      batch.map((command) => {
        if (command.kind === 'tick') this.#venue.clock.advance(tickMs);
        const submitted = life.sequencer.submit(command);
        // It is applied, unless others are pending, and waits for the disk: now all accounts are checked.
        if (life.failure === undefined) overlooked.push(...overlookedAccounts(life.state));
        return submitted;
      }),
    );
    await workedOff(life);
    // What the venue answered must survive any crash, so it is recorded first.
    answers.forEach((answer, index) => {
      const command = batch[index] as Command;
      this.#note(command, answer.status === 'fulfilled' ? answer.value : undefined);
    });
    if (life.failure?.name === 'BrokenInvariant') {
      this.#commands.push(...batch.map((command) => this.#now(command)));
      throw new Diverged([`the venue breaks: ${life.failure.message}`]);
    }
    if (overlooked.length > 0) {
      this.#commands.push(...batch.map((command) => this.#now(command)));
      throw new Diverged(overlooked);
    }
    let followed: Followed[] | undefined;
    if (life.failure === undefined) followed = await this.#tryFollow(life);
    if (followed === undefined) await this.#restart(batch);
    else this.#check(life, followed);
  }

  /** The follower uses the same failing disk. */
  async #tryFollow(life: Life): Promise<Followed[] | undefined> {
    try {
      return await this.#venue.follow(life, this.#digests.length - 1);
    } catch (cause) {
      const { stopAtCall, fault, calls } = this.#venue.files;
      const isPowerGone = stopAtCall !== undefined && calls >= stopAtCall;
      const isFault = fault !== undefined && calls >= fault.call;
      if (isPowerGone || isFault) return undefined;
      throw cause;
    }
  }

  async #powerLoss(): Promise<void> {
    await this.#restart([]);
  }

  /** Recovers, checks that nothing acknowledged is lost, and sends unanswered requests again. */
  async #restart(batch: readonly Command[]): Promise<void> {
    this.#tally.crashes++;
    if (this.#model.liquidating.length > 0) this.#tally.crashesAmidst++;
    const acknowledged = this.#alive().sequencer.releasedSequence;
    this.#venue.crash();
    const life = await this.#venue.start();
    this.#life = life;
    if (life.journal.lastSequence < acknowledged) {
      throw new Diverged([
        `after a crash the journal ends at ${life.journal.lastSequence}, ` +
          `but ${acknowledged} was acknowledged`,
      ]);
    }
    await workedOff(life);
    await life.follower.follow(life.journal.lastSequence);
    // Before any view is read: a view caches valuations in the state.
    if (Buffer.compare(snapshotOf(life.state), snapshotOf(life.followerState)) !== 0) {
      throw new Diverged(['the recovered state is not the one the follower has']);
    }
    this.#checkDigests(life);
    this.#check(life, await this.#venue.follow(life, this.#digests.length - 1));
    // As main.ts does; earlier prices no longer count.
    const again = batch.filter((command) => requestOf(command).name !== undefined);
    await this.#submit([{ kind: 'restart' }, ...again]);
  }

  /** Replay has checked each digest; here, that they are the ones from before the crash. */
  #checkDigests(life: Life): void {
    const last = this.#digests.length - 1;
    if (last < 1) return;
    for (const entry of life.journalReader.read(last, last)) {
      const { sequence } = entry;
      const digest = digestText(decodeEntry(entry, RULES_VERSION).digest);
      if (digest !== this.#digests[sequence]) {
        throw new Diverged([
          `entry ${sequence} had digest ${this.#digests[sequence]}, has ${digest}`,
        ]);
      }
    }
  }

  /** The model follows what the journal says has happened, and both must agree on everything. */
  #check(life: Life, followed: readonly Followed[]): void {
    followed.forEach(({ entry, outcome }, index) => {
      const { command } = entry.stamped;
      const timed = { timeMs: entry.stamped.timeMs, command };
      this.#commands.push(timed);
      this.#options.onCommand?.(timed);
      this.#digests.push(digestText(entry.digest));
      this.#noteEffect(command, outcome);
      const emitted = outcome.events.map(eventLine);
      this.#count(emitted);
      // The state is that after the last of them: only then can it be compared with the model.
      const isLast = index === followed.length - 1;
      if (isLast) this.#options.sabotage?.(life.state, command, this.#step);
      const differences = differencesAfter(
        isLast ? life.state : undefined,
        this.#model,
        timed,
        emitted,
      );
      if (differences.length > 0) throw new Diverged(differences);
    });
    if (followed.length > 0) return;
    const differences = [
      ...differencesInState(life.state, this.#model),
      ...brokenInvariants(life.state),
    ];
    if (differences.length > 0) throw new Diverged(differences);
  }

  /** Every signed request takes effect at most once, however often it was repeated. */
  #noteEffect(command: Command, outcome: Outcome): void {
    const { name } = requestOf(command);
    if (name === undefined) return;
    const isRefused = outcome.events.some(({ kind }) => kind === 'refused');
    if (this.#effective.has(name) && !isRefused) {
      throw new Diverged([`the signed request ${name} took effect twice`]);
    }
    if (!isRefused) this.#effective.add(name);
  }

  /** A repeat gets the first answer, word for word, before and after a crash. */
  #note(command: Command, submitted: Submitted | undefined): void {
    const { name, expiresAtMs } = requestOf(command);
    if (name === undefined) return;
    const known = this.#sent.find((sent) => sent.command === command);
    const answer = submitted === undefined ? undefined : answerText(submitted.outcome);
    if (known === undefined) {
      this.#sent.push({ command, answer });
      return;
    }
    if (submitted?.isRepeat === true) this.#tally.repeats++;
    const isExpired = this.#venue.clock.nowMs() > expiresAtMs;
    if (answer === undefined || isExpired) return;
    if (known.answer !== undefined && known.answer !== answer) {
      throw new Diverged([
        `a repeated request was answered differently`,
        `  first: ${known.answer}`,
        `  now:   ${answer}`,
      ]);
    }
    known.answer = answer;
  }

  #count(emitted: readonly string[]): void {
    this.#tally.commands++;
    for (const line of emitted) {
      this.#countSteps(line);
      countLine(this.#tally, line);
    }
  }

  /** Every step fills something or is one of five, so their number is bounded. */
  #countSteps(line: string): void {
    const [, kind, account] = STEP_LINE.exec(line) ?? [];
    if (kind === undefined || account === undefined) return;
    const steps = kind === 'liquidation-started' ? 0 : (this.#steps.get(account) ?? 0) + 1;
    this.#steps.set(account, steps);
    if (steps > STEPS_MAX) throw new Diverged([`account ${account} has taken ${steps} steps`]);
  }

  #now(command: Command): Timed {
    return { timeMs: this.#alive().sequencer.nowMs(), command };
  }

  #alive(): Life {
    if (this.#life === undefined) throw new Error('the venue has not been started');
    return this.#life;
  }
}

/** Waits until pending consequences are executed and durable, unless the venue has stopped. */
async function workedOff({ sequencer }: Life): Promise<void> {
  await sequencer.whenIdle();
  await sequencer.view('clock', {}).catch(() => undefined);
}

const HOUR_MS = 3_600_000;
/** Measured seconds: 1,800 are enough for funding. */
const HALF_HOURS = [1_000, 1_799, 1_800, 1_860] as const;
const SETTLING_SECONDS_MAX = 600;
const STEPS_MAX = 400;
const STEP_LINE = /^(liquidation-started|liquidation-step|collateral-sold) account=(\d+) /;

/** A round of prices comes at least this often, or markets close. */
const PRICE_EVERY_MS = 20_000;

const answerText = ({ sequence, events }: Outcome): string =>
  `${sequence}: ${events.map(eventLine).join(' | ')}`;
