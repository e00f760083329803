/** The name of the command key on this platform: both keys work everywhere. */
export const COMMAND = /Mac|iP(hone|ad|od)/.test(navigator.platform) ? '⌘' : 'Ctrl ';
