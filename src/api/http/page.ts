import type { Fields } from './head.ts';
import type { Served } from './mount.ts';

/** What is served beside `/v3`, for people and monitoring programs. */
export type Page = {
  /** A path that ends with `/*` matches everything below it. */
  readonly path: string;
  serve(request: PageRequest): PageServed | Promise<PageServed>;
};
type PageRequest = { readonly path: string; readonly headers: Fields };

/** Bytes are shared: they are sent as they are, and never change. */
export type PageServed = Omit<Served, 'body'> & { readonly body: Served['body'] | Buffer };
