import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { Directory } from '../../domain/views.ts';
import type { HandlerResult, Route } from '../http/mount.ts';
import { namedAsset, namedHolder, namedMarket } from '../request/names.ts';

/**
 * Names the market, asset, family or account that an operator probably meant, when the core has refused one
 * that does not exist. The core decides, because the directory of a cluster's node may be slightly behind.
 */
export const withLikelyNames = (route: Route, directory: Directory): Route => ({
  endpoint: route.endpoint,
  handle: (call) => {
    const result = route.handle(call);
    const explain = (one: HandlerResult<unknown>): HandlerResult<unknown> =>
      explained(directory, call.request, one);
    return result instanceof Promise ? result.then(explain) : explain(result);
  },
});

/** Members by which requests name things. */
type Naming = {
  readonly marketCode?: string;
  readonly asset?: string;
  readonly family?: string;
  readonly name?: string;
};

function explained(
  directory: Directory,
  request: Naming,
  result: HandlerResult<unknown>,
): HandlerResult<unknown> {
  if (!('rejected' in result)) return result;
  const found = lookedUp(directory, request, result.rejected);
  return typeof found === 'object' ? { ...result, message: found.message } : result;
}

function lookedUp(directory: Directory, request: Naming, rejected: string) {
  const { marketCode, asset, family, name = MAIN_ACCOUNT_NAME } = request;
  switch (rejected) {
    case 'MARKET_UNKNOWN':
      return marketCode === undefined ? undefined : namedMarket(directory, marketCode);
    case 'ASSET_UNKNOWN':
      return asset === undefined ? undefined : namedAsset(directory, asset);
    case 'SUB_ACCOUNT_INVALID':
      return family === undefined ? undefined : namedHolder(directory, { family, name });
    default:
      return undefined;
  }
}
