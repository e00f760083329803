/** One request as sent to a running venue, and its response. */
export type RecordedCall = {
  /** "GET /v3/account". */
  readonly endpoint: string;
  readonly request: object;
  readonly status: number;
  readonly answer: object;
};

/** A part of the stream: what the client sent and received. */
export type StreamTalk = {
  /** Which of the declared messages it shows. */
  readonly name: string;
  readonly lines: readonly { readonly from: 'client' | 'venue'; readonly message: object }[];
};

/** Recorded by `npm run docs` from a venue with a fixed clock: docs/recorded.json. */
export type Recording = {
  readonly calls: readonly RecordedCall[];
  readonly stream: readonly StreamTalk[];
  /** The method of the SDK that calls an endpoint. */
  readonly sdk: Readonly<Record<string, string>>;
};
