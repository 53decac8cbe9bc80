import type { CommandFinding } from '#contract/vocabulary/effects.js';

/** Findings on a command in the same words, once, with each place that they are about. */
export interface FindingGroup {
  readonly severity: CommandFinding['severity'];
  readonly explanation: string;
  /** Positions among the findings. */
  readonly places: readonly number[];
}

/** Groups findings: dangers first, then in the order of the command. */
export function groupFindings(findings: readonly CommandFinding[]): readonly FindingGroup[] {
  const groups = new Map<string, FindingGroup>();
  for (const [place, { severity, explanation }] of findings.entries()) {
    const key = `${severity} ${explanation}`;
    const group = groups.get(key);
    groups.set(key, { severity, explanation, places: [...(group?.places ?? []), place] });
  }
  const all = [...groups.values()];
  return [
    ...all.filter(({ severity }) => severity === 'danger'),
    ...all.filter(({ severity }) => severity !== 'danger'),
  ];
}

export const countDangers = (findings: readonly CommandFinding[]): number =>
  findings.filter(({ severity }) => severity === 'danger').length;
