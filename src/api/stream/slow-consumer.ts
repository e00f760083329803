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
