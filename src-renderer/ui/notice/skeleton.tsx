import { useEffect, useState } from 'react';
import './states.css';

export interface SkeletonProps {
  /** The words for what is being fetched, said after two seconds: “Loading the history”. */
  readonly label: string;
  readonly lines?: number;
}

/** A placeholder: nothing for 150 ms, then grey lines, after two seconds words, so that quick answers never flicker. */
export function Skeleton({ label, lines = 4 }: SkeletonProps) {
  const [phase, setPhase] = useState<'hidden' | 'lines' | 'words'>('hidden');
  useEffect(() => {
    const toLines = setTimeout(() => setPhase('lines'), 150);
    const toWords = setTimeout(() => setPhase('words'), 2000);
    return () => {
      clearTimeout(toLines);
      clearTimeout(toWords);
    };
  }, []);
  return (
    <div className="gh-skeleton" aria-live="polite" aria-busy="true">
      <span className="sr-only">{label}…</span>
      {phase === 'hidden'
        ? null
        : Array.from({ length: lines }, (_, index) => <div key={index} className="gh-skeleton-line" aria-hidden />)}
      {phase === 'words' ? (
        <p className="secondary" aria-hidden>
          {label}…
        </p>
      ) : null}
    </div>
  );
}
