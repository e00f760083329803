/** What the key of commands is called where the page is open: both work everywhere. */
export const COMMAND = /Mac|iP(hone|ad|od)/.test(navigator.platform) ? '⌘' : 'Ctrl ';
