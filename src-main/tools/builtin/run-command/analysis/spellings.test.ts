import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { corpus, hasNoCopy, SAMPLE_FOLDER } from '../../../../domain/commands/reading/corpus.test-support.js';
import { rateRisk } from '../../../../domain/commands/reading/verdicts.js';
import { createCommandReader } from './command-reader.js';
import { spelledOtherwise } from './spellings.test-support.js';

const reader = createCommandReader(undefined, undefined, () => SAMPLE_FOLDER);
const seed = Number(process.env['GATEHOUSE_FUZZ_SEED'] ?? 7);
const numRuns = Number(process.env['GATEHOUSE_FUZZ_COMMANDS'] ?? 4000);

async function riskAs(command: string) {
  const reading = await reader.analyze(command, SAMPLE_FOLDER.roots);
  const withoutCopy = reading.files
    .filter(({ does, path }) => does === 'deletes' && hasNoCopy(path))
    .map(({ path }) => path);
  return rateRisk(reading, { confinement: 'confined', copiesKept: true, withoutCopy });
}

describe('a dangerous command', () => {
  const dangerous = corpus()
    .filter(({ risk }) => risk === 'high')
    .map(({ command }) => command);

  it('is no less for being spelled otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(spelledOtherwise(dangerous), async (command) => {
        expect(await riskAs(command)).toBe('high');
      }),
      { seed, numRuns },
    );
  }, 120_000);
});
