import { userInfo } from 'node:os';

/** Who did it, as the journal will tell: the operating system's name for the person. */
export const actorName = (): string => `cli:${userInfo().username}`;
