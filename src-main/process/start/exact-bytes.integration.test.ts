import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openTestRunner } from '../process.test-support.js';

it('the bytes that were shown are the bytes that run, whatever they are', async () => {
  await using runner = await openTestRunner();
  /** Everything a command may hold (no NUL), in the order in which a shell would trip over it. */
  const specials = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1)).join('');
  const texts = [
    specials,
    ` leading and trailing \n\n`,
    `'"\\$\`!*?[]{}~#&|;<>()`,
    'é€🎈\u{202e}\u{feff}\u{85}\u{9b}',
    '\u{1}\u{1}\u{7f}\u{1}',
    'x'.repeat(120_000),
    ...fc
      .sample(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), 12)
      .map((text) => text.replaceAll('\0', '')),
  ];
  for (const text of texts) {
    // A quoted here-document passes its lines on untouched, so the shell gives back what it was given.
    const command = `od -An -v -tx1 <<'E_N_D'\n${text}\nE_N_D`;
    const { stdout } = await runner.run(command, { settings: { confinement: 'off' }, outputLimit: 1_000_000 });
    expect(stdout.replaceAll(/\s/gu, '')).toBe(Buffer.from(`${text}\n`).toString('hex'));
  }
});
