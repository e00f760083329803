import { clockText } from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';

/** In the header of a panel whose figures are stale. */
export function OldSince({ ms }: { readonly ms: number | undefined }) {
  const zone = useStore(settings, (all) => all.zone);
  if (ms === undefined) return null;
  return (
    <span className="chip warn num" title="Nothing was heard since">
      {clockText(ms, zone)}
    </span>
  );
}
