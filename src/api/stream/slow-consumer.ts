import { refuse } from '../../domain/rejections.ts';
import type { Session } from './session.ts';
import { TRY_LATER } from './socket.ts';

/** Closes a connection that does not read what it is sent, with a reason. */
export function cutSlow(session: Session, limitBytes: number): void {
  session.end(
    TRY_LATER,
    refuse('BUSY', `more than ${limitBytes} bytes were sent and not read: slow consumer`),
  );
}

/** While all connections together have more unread, those with the most are closed. Returns how many. */
export function cutLargest(sessions: Iterable<Session>, limitBytes: number): number {
  const open = [...sessions].filter(({ socket }) => socket.isOpen);
  let unreadBytes = open.reduce((sum, { socket }) => sum + socket.unreadBytes, 0);
  if (unreadBytes <= limitBytes) return 0;
  open.sort((a, b) => b.socket.unreadBytes - a.socket.unreadBytes);
  let cut = 0;
  for (const session of open) {
    if (unreadBytes <= limitBytes) break;
    unreadBytes -= session.socket.unreadBytes;
    cutSlow(session, limitBytes);
    cut++;
  }
  return cut;
}
