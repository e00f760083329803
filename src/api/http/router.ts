import { type Refusal, refuse } from '../../domain/rejections.ts';

/**
 * No path has parameters, so a path is looked up whole: one map, one method table. A path that ends with `/*`
 * matches everything below it; those few are checked when the map has no entry.
 */
export type Router<Target> = {
  add(method: string, path: string, target: Target): void;
  find(method: string, path: string): Found<Target>;
};
export type Found<Target> =
  | { readonly target: Target }
  | { readonly refusal: Refusal; readonly allow?: string };

export function createRouter<Target>(): Router<Target> {
  const byPath = new Map<string, Map<string, { readonly target: Target }>>();
  const folders: string[] = [];
  const folderOf = (path: string): string => {
    const folder = folders.find((name) => path.startsWith(name));
    return folder === undefined ? path : `${folder}*`;
  };
  return {
    add(method, path, target) {
      const methods = byPath.get(path) ?? new Map<string, { readonly target: Target }>();
      if (methods.has(method)) throw new Error(`${method} ${path} is routed twice`);
      byPath.set(path, methods.set(method, { target }));
      if (path.endsWith('/*')) folders.push(path.slice(0, -1));
    },
    find(method, path) {
      const methods = byPath.get(path) ?? byPath.get(folderOf(path));
      if (methods === undefined) return { refusal: refuse('PATH_UNKNOWN', shortened(path)) };
      const found = methods.get(method);
      if (found !== undefined) return found;
      const allow = [...methods.keys()].join(', ');
      return { refusal: refuse('METHOD_UNKNOWN', `${path} takes ${allow}, not ${method}`), allow };
    },
  };
}

const shortened = (path: string): string => (path.length <= 80 ? path : `${path.slice(0, 77)}...`);
