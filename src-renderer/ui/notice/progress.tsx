import './progress.css';

export interface ProgressProps {
  readonly label: string;
  readonly max: number;
  readonly value: number;
  /** There is little left of it. */
  readonly late?: boolean;
}

export function Progress({ label, max, value, late = false }: ProgressProps) {
  return (
    <progress
      className={late ? 'gh-progress gh-progress-late' : 'gh-progress'}
      max={max}
      value={value}
      aria-label={label}
    />
  );
}
