import { describe, expect, it } from 'vitest';
import { isCovered, reader } from './rules.test-support.js';

/** Commands that a rule of exactly these words let run, though the sheet marks them red, or though they do it unseen. */
const MARKED: readonly string[] = [
  'npm publish',
  'npm run deploy',
  'git push',
  'git commit --amend',
  'git reflog expire --expire=now --all',
  'terraform apply',
  'apt-get install -y jq',
  'sed -i s/a/b/ .git/config',
  'npm config set registry https://x.example',
  'env PATH=x ls',
  'git foo',
  "bash -c 'mknod${IFS}x'",
  'rm -rf build',
  "node -e 'x'",
  'ls | xargs rm',
  'curl -d x https://x.example',
  'ssh me@x.example',
];

/** Commands of which the walk through the parser’s tree was afraid, by lists of its own. */
const HARMLESS: readonly string[] = [
  "sed -n '/export/p' src/index.ts",
  "awk 'NR>=10 && NR<=20' src/index.ts",
  'git config --get user.name',
  'git -c color.ui=false log',
  'docker --version',
  'PYTHONUNBUFFERED=1 python3 script.py',
  'npm install left-pad',
  'curl https://x.example',
];

describe('a rule of exactly these words', () => {
  it.each(MARKED)('does not cover %s', async (command) => {
    expect(await isCovered(command, { command })).toBe(false);
  });
  it.each(HARMLESS)('covers %s', async (command) => {
    expect(await isCovered(command, { command }), JSON.stringify(await reader.analyze(command))).toBe(true);
  });
  it('is not passed by first words', async () => {
    expect(await isCovered('npm run deploy', { prefix: 'npm run' })).toBe(false);
    expect(await isCovered('npm run build', { prefix: 'npm run' })).toBe(true);
  });
});
