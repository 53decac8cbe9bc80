// npm run fresh: what a person does first, on a machine that has nothing. A bare Debian is made for each command (Node, npm and Git
// are all it has besides), the committed project is cloned into it, and the command has to pass and to leave nothing behind.
//
//   npm run fresh                                            npm start -- --demo --exit, then npm test, each alone
//   npm run fresh -- --in /tmp/clone -- npm test             one command, cloned to another place
//   npm run fresh -- --keep -- bash                          to look around in it
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeBareRoot } from './fresh/bare-root.mjs';
import { enter } from './fresh/enter.mjs';
import { projectDir, runScript, say, SetupProblem } from './setup/project.mjs';
import { run } from './setup/run.mjs';

const FIRST_COMMANDS = [
  ['npm', 'start', '--', '--demo', '--exit'],
  ['npm', 'test'],
];

await runScript(async () => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new SetupProblem('A bare machine can be made on Linux as root alone.');
  const { place, keep, commands } = parseArguments(process.argv.slice(2));
  const { output } = await run('git', ['status', '--porcelain'], { quiet: true, cwd: projectDir });
  if (output !== '') say('what is not committed is not tried.');
  // Not below /tmp, which is another there.
  const folder = mkdtempSync('/var/lib/gatehouse-fresh-');
  try {
    const bare = join(folder, 'bare');
    await makeBareRoot(bare);
    const failed = [];
    for (const command of commands) {
      const words = command.join(' ');
      say(`on a bare machine, in ${place}: ${words}`);
      const root = join(folder, 'machine');
      await must('cp', ['-a', bare, root]);
      await must('git', ['clone', '--quiet', '--no-hardlinks', projectDir, join(root, place)]);
      const began = Date.now();
      const code = await enter(root, place, command);
      say(`${words}: ${code === 0 ? 'passed' : `failed (exit code ${code})`}, ${minutes(Date.now() - began)}`);
      if (code !== 0) failed.push(words);
      if (!keep) rmSync(root, { recursive: true, force: true });
    }
    return failed.length === 0 ? 0 : 1;
  } finally {
    if (keep) say(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
});

function parseArguments(args) {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const at = options.indexOf('--in');
  const command = end === -1 ? [] : args.slice(end + 1);
  return {
    place: at === -1 ? '/root/gatehouse' : (options[at + 1] ?? '/root/gatehouse'),
    keep: options.includes('--keep'),
    commands: command.length === 0 ? FIRST_COMMANDS : [command],
  };
}

async function must(program, words) {
  const { code, output } = await run(program, words, { quiet: true });
  if (code !== 0) throw new SetupProblem(`${program} failed: ${output.trim()}`);
}

// A function, since the script above it runs before any constant below is there.
function minutes(ms) {
  return `${(ms / 60_000).toFixed(1)} min`;
}
