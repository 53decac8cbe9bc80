import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestRunner } from '../process.test-support.js';

const ROUNDS = 40;

/** A script in which each name is a folder, then a link, over and over. */
const swapping = (names: readonly string[], target: string): string =>
  `for n in ${names.join(' ')}; do mkdir $n.folder; ln -s ${target} $n.link; done
   touch began
   exec perl -e 'while (1) { for my $n (@ARGV) { rename "$n.folder", $n; select undef, undef, undef, rand 0.004;
     rename $n, "$n.folder"; rename "$n.link", $n; select undef, undef, undef, rand 0.004; rename $n, "$n.link" } }' ${names.join(' ')}`;

it.each([
  ['the folder above', '..', ['.vscode', '.git']],
  ['keys', '../.ssh', ['.vscode', '.idea']],
])(
  'a command that swaps paths for links to %s while another is confined there gets that one nothing',
  async (_, target, names) => {
    await using runner = await openTestRunner();
    const home = runner.outside;
    const workspace = join(home, 'ws');
    for (const folder of ['ws', '.ssh']) mkdirSync(join(home, folder));
    for (const file of ['.ssh/id_rsa', '.bashrc']) writeFileSync(join(home, file), 'secret\n');
    // The whole home folder is shown, so that it is not its cover that refuses.
    const settings = { confinement: 'required' as const, home_allowlist: ['.'] };
    const abort = new AbortController();
    const adversary = runner.run(swapping(names, target), {
      settings,
      workingDirectory: workspace,
      signal: abort.signal,
    });
    await expect.poll(() => existsSync(join(workspace, 'began')), { timeout: 20_000 }).toBe(true);
    const endings = { ran: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { ending, stdout, stderr } = await runner.run(
        `cat ~/.ssh/id_rsa ${names.map((name) => `${name}/id_rsa ${name}/.ssh/id_rsa`).join(' ')} 2>/dev/null; (echo x >>~/.bashrc) 2>/dev/null; echo ran`,
        { settings, workingDirectory: workspace },
      );
      if (ending.kind === 'unstartable') endings.refused += 1;
      else {
        endings.ran += 1;
        expect({ ending, stdout }, stderr).toEqual({ ending: { kind: 'exited', code: 0 }, stdout: 'ran\n' });
      }
    }
    abort.abort();
    await adversary;
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('secret\n');
    expect(endings.ran + endings.refused).toBe(ROUNDS);
  },
  300_000,
);
