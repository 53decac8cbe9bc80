import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSecrets, STRUCTURE_ONLY } from './find.js';
import { knownValues } from './known-values.js';
import { SECRETS } from './samples.test-support.js';

/** Runs of such characters in the samples: tokens, names, parts of addresses. */
const runs = SECRETS.flatMap(([, text]) => text.split(/[^\w./-]+/u)).filter((part) => part !== '');

it('the same is found in a single word as in a line that has it alone', () => {
  const part = fc.oneof(fc.constantFrom(...runs), fc.stringMatching(/^[\w./-]{0,24}$/u));
  const known = knownValues(runs.filter((run) => run.length < 12).slice(0, 5));
  const means = { known, detector: STRUCTURE_ONLY.detector };
  let found = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.constantFrom('', '.', '/', '-', '_'), (parts, between) => {
      const text = parts.join(between);
      const spans = findSecrets(text, means);
      found += spans.length;
      expect(spans).toEqual(findSecrets(`${text}\n`, means));
    }),
    { numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(100);
});
