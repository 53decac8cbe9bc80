/** The part of a W3C Trace Context that is passed on. */
export interface TraceParent {
  readonly traceId: string;
  readonly flags: string;
}

const LEVEL_0 = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;

/** Reads a header. Null for none, and for a broken one, which is dropped. */
export function readTraceParent(header: string | null | undefined): TraceParent | null {
  const [, version, traceId = '', parentId = '', flags = '00', more] = LEVEL_0.exec(header?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/u.test(traceId) || /^0+$/u.test(parentId)) return null;
  return { traceId, flags };
}

/** Writes the header with a parent of our own. */
export const writeTraceParent = ({ traceId, flags }: TraceParent, parentId: string): string =>
  `00-${traceId}-${parentId}-${flags}`;
