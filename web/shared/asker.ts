import { type Message, notify, notifyFailure, notifyQuietly, notifyRefusal } from './messages.tsx';
import { accountsInUse, type Session, sessions } from './session.ts';

/** Who has sent a request, and is told the answer. */
export type Asker = {
  /** Has not signed out since: whoever has signed in then is told nothing of it. */
  isHere(): boolean;
  /** Only in the bell's list if it is quiet. */
  notify(
    kind: Message['kind'],
    title: string,
    text?: string,
    act?: Message['act'],
    isQuiet?: boolean,
  ): void;
  notifyRefusal(title: string, reason: unknown): void;
  notifyFailure(reason: unknown, failure: Parameters<typeof notifyFailure>[1]): void;
};

/** Taken before the request is sent. What nobody has asked, such as signing in, is told to whoever is there. */
export function askerNow(session: Session | undefined = sessions.get().session): Asker {
  const isHere = (): boolean =>
    session === undefined || accountsInUse().includes(session.accountId);
  /** Names the account if another one is in view by now: there it would be missed, and sent again. */
  const titled = (words: string): string =>
    session === undefined || sessions.get().session?.accountId === session.accountId
      ? words
      : `${words}, account ${session.name}`;
  return {
    isHere,
    notify: (kind, title, text, act, isQuiet = false) => {
      const show = isQuiet ? notifyQuietly : notify;
      if (isHere()) show(kind, titled(title), text, act);
    },
    notifyRefusal: (title, reason) => {
      if (isHere()) notifyRefusal(titled(title), reason);
    },
    notifyFailure: (reason, { refused, unknown, doubt }) => {
      if (!isHere()) return;
      notifyFailure(reason, { refused: titled(refused), unknown: titled(unknown), doubt });
    },
  };
}
