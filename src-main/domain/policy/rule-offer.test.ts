import { expect, it } from 'vitest';
import { readPlainCommand } from './plain-command.js';
import { offerOfRule } from './rule-offer.js';

const offered = (command: string, dangers: readonly string[] = []) => {
  const reading = readPlainCommand(command);
  return offerOfRule({ read: reading.understood ? reading.commands : null, obstacles: [], dangers });
};

it('suggests words that mean the same next time, and only where it is known what may follow', () => {
  expect(offered('npm run build -- --watch').prefix).toBe('npm run');
  expect(offered('git log --oneline').prefix).toBe('git log');
  expect(offered('ls -l').prefix).toBe('ls');
  expect(offered('cat ./x').prefix).toBe('cat');
  for (const command of ['awk 1', 'mytool x', 'node x.js', 'git push', 'npm exec x', 'ls; ls'])
    expect(offered(command)).toMatchObject({ prefix: null, impossible: null });
});

it('says why no rule can cover it', () => {
  expect(offered('FOO=1 make').impossible).toBe('Not understood for certain.');
  expect(offered('rm -rf x', ['deletes x']).impossible).toBe('deletes x');
});

it('says what a runner runs', () => {
  expect(offered('npm test && make lint').runs).toBe(
    'npm runs whatever the scripts in this folder’s package.json contain. make runs whatever this folder’s Makefile says.',
  );
  expect(offered('ls').runs).toBeNull();
});
