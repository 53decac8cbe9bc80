const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** 1 234 567 → “1.2 MB”, in steps of 1000 as files are counted on screens. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? 'B'}`;
}

/** 12 → “12 ms”, 3000 → “3 s”, 3400 → “3.4 s”, 192 000 → “3 min 12 s”. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Today only the time, otherwise the day too. */
export function formatWhen(at: number, now: number = Date.now()): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? time.format(at) : dayTime.format(at);
}

/** Formats a time: within a day how long ago it was; before that when. */
export function formatAgo(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h ago` : formatWhen(at, now);
}

export const formatFull = (at: number): string => full.format(at);

const number = new Intl.NumberFormat();
export const formatCount = (count: number): string => number.format(count);

/** “1 call”, “3 calls”. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
