import type { CommandFinding } from '#contract/vocabulary/effects.js';

export interface CommandSegment {
  readonly text: string;
  readonly severity: CommandFinding['severity'] | null;
  /** 1-based numbers of the findings that cover it, as they are listed beneath. */
  readonly findings: readonly number[];
}

/**
 * Cuts a command where findings begin and end, so that overlapping ones are all marked. Findings that lie outside the
 * command are ignored rather than trusted.
 */
export function segmentCommand(command: string, findings: readonly CommandFinding[]): readonly CommandSegment[] {
  const valid = findings.map(({ start, end, severity }) => ({
    start: Math.max(0, Math.min(start, command.length)),
    end: Math.max(0, Math.min(end, command.length)),
    severity,
  }));
  const cuts = [...new Set([0, command.length, ...valid.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  const segments: CommandSegment[] = [];
  for (const [at, from] of cuts.entries()) {
    const to = cuts[at + 1];
    if (to === undefined) break;
    const covering = valid.flatMap((finding, index) =>
      finding.start <= from && finding.end >= to ? [{ number: index + 1, severity: finding.severity }] : [],
    );
    segments.push({
      text: command.slice(from, to),
      severity: covering.some(({ severity }) => severity === 'danger') ? 'danger' : (covering[0]?.severity ?? null),
      findings: covering.map(({ number }) => number),
    });
  }
  return segments;
}
