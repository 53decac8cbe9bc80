import { expect, it } from 'vitest';
import { readPlainly } from '../../commands/reading/reading.test-support.js';
import { offerRule } from './rule-offer.js';

const offered = (command: string, dangers: readonly string[] = []) => offerRule(readPlainly(command, { dangers }));

it('suggests words that mean the same next time, and only where it is known what may follow', () => {
  expect(offered('npm run build -- --watch').prefix).toBe('npm run');
  expect(offered('git log --oneline').prefix).toBe('git log');
  expect(offered('ls -l').prefix).toBe('ls');
  expect(offered('cat ./x').prefix).toBe('cat');
  for (const command of ['awk 1', 'mytool x', 'node x.js', 'git push', 'npm exec x', 'ls; ls'])
    expect(offered(command)).toMatchObject({ prefix: null, impossible: null });
});

it('says why no rule can cover it', () => {
  expect(offered('FOO=1 make').impossible).toBe('Its words can’t be read with certainty.');
  expect(offered('rm -rf x', ['deletes x']).impossible).toBe('It asks every time: deletes x.');
});

it('says what a runner runs', () => {
  expect(offered('npm test && make lint').runs).toBe(
    'npm runs whatever the scripts in this folder’s package.json contain. make runs whatever this folder’s Makefile says.',
  );
  expect(offered('ls').runs).toBeNull();
});

it('offers none for what is never remembered, and says what it is', () => {
  const found = [
    { kind: 'notice', start: 0, end: 3, words: 'x' },
    { kind: 'host', start: 0, end: 3, words: 'contacts registry.example' },
  ] as const;
  const offer = offerRule(readPlainly('npm install', { found, neverRemembered: ['host'] }));
  expect(offer).toMatchObject({ impossible: 'It asks every time: contacts registry.example.', prefix: null });
});
