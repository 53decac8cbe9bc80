import { describe, expect, it } from 'vitest';
import {
  corpus,
  type CorpusLine,
  hasNoCopy,
  SAMPLE_FOLDER,
} from '../../../../domain/commands/reading/corpus.test-support.js';
import type { Reading } from '../../../../domain/commands/reading/reading.js';
import { findUnattendedObstacles, rateRisk } from '../../../../domain/commands/reading/verdicts.js';
import { createCommandReader } from './command-reader.js';

const reader = createCommandReader(undefined, undefined, () => SAMPLE_FOLDER);

const situationOf = ({ files }: Reading) => ({
  confinement: 'confined' as const,
  copiesKept: true,
  withoutCopy: files.filter(({ path, does }) => does === 'deletes' && hasNoCopy(path)).map(({ path }) => path),
});

const RANK = { low: 0, medium: 1, high: 2 } as const;

interface Judged extends CorpusLine {
  readonly got: 'low' | 'medium' | 'high';
  readonly told: string;
  readonly missing: readonly string[];
  readonly isRed: boolean;
}

async function judged(each: CorpusLine): Promise<Judged> {
  const { analysis: reading, findings } = await reader.read(each.command, SAMPLE_FOLDER.roots);
  const situation = situationOf(reading);
  const against = findUnattendedObstacles(reading, situation);
  const kinds = new Set<string>([
    ...reading.found.map(({ kind }) => kind),
    ...(situation.withoutCopy.length > 0 ? ['deletes-for-good'] : []),
  ]);
  return {
    ...each,
    got: rateRisk(reading, situation),
    told: against.join('; '),
    missing: each.kinds.filter((kind) => !kinds.has(kind)),
    isRed: findings.some(({ severity }) => severity === 'danger'),
  };
}

const said = ({ line, command, risk, got, told, missing }: Judged): string =>
  `${line}: ${JSON.stringify(command)} should be ${risk}, is ${got}${missing.length > 0 ? `, without ${missing.join(', ')}` : ''}${told === '' ? '' : ` (${told})`}`;

const lines: Judged[] = [];
for (const line of corpus()) lines.push(await judged(line));

describe('the corpus of commands', () => {
  const lower = lines.filter(({ risk, got }) => RANK[got] < RANK[risk]);
  const higher = lines.filter(({ risk, got }) => RANK[got] > RANK[risk]);

  it('holds two thousand', () => expect(lines.length).toBeGreaterThanOrEqual(2000));
  it('takes none for less than it is', () => expect(lower.map(said)).toEqual([]));
  it('finds what is to be found', () =>
    expect(lines.filter(({ missing }) => missing.length > 0).map(said)).toEqual([]));
  it('is marked red only where risk is high', () =>
    expect(lines.filter(({ got, isRed }) => isRed && got !== 'high').map(said)).toEqual([]));
  it('takes few for more than they are', () => {
    const rate = (count: number): string =>
      `${count} of ${lines.length} (${((100 * count) / lines.length).toFixed(2)} %)`;
    process.stdout.write(
      `commands: ${rate(lower.length)} taken for less than they are, ${rate(higher.length)} for more\n`,
    );
    expect(higher.length / lines.length, higher.map(said).join('\n')).toBeLessThan(0.01);
  });
});
