import type { Fields } from './head.ts';
import type { Served } from './mount.ts';

/** What is served beside `/v3`, to people and to the programs that watch this one. */
export type Page = {
  /** One that ends with `/*` stands for all below it. */
  readonly path: string;
  serve(asked: PageAsked): PageServed | Promise<PageServed>;
};
type PageAsked = { readonly path: string; readonly headers: Fields };

/** Bytes are shared: they are sent as they lie there, and never change. */
export type PageServed = Omit<Served, 'body'> & { readonly body: Served['body'] | Buffer };
