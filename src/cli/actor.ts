import { userInfo } from 'node:os';

/** Who gave a command, as the journal records it: the user name of the operating system. */
export const actorName = (): string => `cli:${userInfo().username}`;
