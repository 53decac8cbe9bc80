// npm run fuzz: looks for a command that is read otherwise than shells run it, and for a dangerous one that is taken for
// less when it is spelled otherwise, until it finds one or the time is over.
//   npm run fuzz -- --minutes 30 --seed 7     the seed is printed, and the same seed makes the same commands
import { randomInt } from 'node:crypto';
import { ensureReady } from './setup/ensure.mjs';
import { inProject, projectDir, runScript, say } from './setup/project.mjs';
import { run } from './setup/run.mjs';
import { ensureConfinementTools, ensureTestTools } from './setup/system-packages.mjs';

const COMMANDS_A_ROUND = 3000;

await runScript(async () => {
  const args = process.argv.slice(2);
  const minutes = numberOf(args, '--minutes') ?? 10;
  const asked = numberOf(args, '--seed');
  const electron = await ensureReady();
  await ensureConfinementTools();
  await ensureTestTools();
  const until = Date.now() + minutes * 60_000;
  for (let seed = asked ?? randomInt(2 ** 31); ; seed += 1) {
    say(`seed ${seed}, ${COMMANDS_A_ROUND} commands`);
    const room = 'src-main/tools/builtin/run-command/analysis';
    const words = ['run', `${room}/shells-agree`, `${room}/spellings`];
    const { code } = await run(electron, [inProject('node_modules', 'vitest', 'vitest.mjs'), ...words], {
      cwd: projectDir,
      env: {
        ...process.env,
        ELECTRON_RUN_AS_NODE: '1',
        GATEHOUSE_FUZZ_SEED: String(seed),
        GATEHOUSE_FUZZ_COMMANDS: String(COMMANDS_A_ROUND),
      },
    });
    if (code !== 0) return code;
    // A seed that was asked for is tried once more, and no other.
    if (asked !== null || Date.now() >= until) return 0;
  }
});

function numberOf(args, name) {
  const at = args.indexOf(name);
  const value = at === -1 ? Number.NaN : Number(args[at + 1]);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
