import { create } from 'qrcode';
import { useEffect, useState } from 'react';

const SHOWN_MS = 2_000;

/** Shows and announces that it was copied. */
export function CopyButton(props: {
  readonly text: string;
  readonly label?: string;
  readonly className?: string;
}) {
  const { text, label = 'Copy', className = 'btn s' } = props;
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text).then(
      () => setDone(true),
      () => undefined,
    );
  };
  return (
    <button type="button" className={className} onClick={() => void copy()}>
      <span aria-live="polite">{isDone ? 'Copied' : label}</span>
    </button>
  );
}

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  data.forEach((isDark, at) => {
    if (isDark !== 0) path += `M${at % size} ${Math.floor(at / size)}h1v1h-1z`;
  });
  return (
    <svg className="pg-qr" viewBox={`-2 -2 ${size + 4} ${size + 4}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
