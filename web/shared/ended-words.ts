/** How an order or a payment ended, and by which rule. */
const ENDED_WORDS: Readonly<Record<string, string>> = {
  CANCELED_BY_USER: 'Cancelled',
  CANCELED_BY_MAKER_ONLY: 'Post only, would have matched',
  CANCELED_BY_FOK: 'Fill or kill, not filled whole',
  CANCELED_ALL_BY_IOC: 'Immediate or cancel, nothing matched',
  CANCELED_PARTIAL_BY_IOC: 'Immediate or cancel, the rest',
  CANCELED_BY_AMEND: 'Cancelled by an amendment',
  CANCELED_BY_SELF_TRADE_PROTECTION: 'Self-trade prevention',
  PARTIAL_FILL: 'Partly filled',
};

export const endedWords = (status: string): string => ENDED_WORDS[status] ?? inWords(status);

/** A name of the interface as people write it: STOP_LIMIT is "Stop limit". */
export const inWords = (text: string): string => {
  const words = text.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
