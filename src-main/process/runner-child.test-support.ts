import { execFileSync } from 'node:child_process';
import { openTestRunner } from './process.test-support.js';

/** An app in small, to be killed from outside: it runs one command and says which process that is, and what came of it. */
const [, , confinement, command, prepare] = process.argv;
const runner = await openTestRunner();
if (prepare !== undefined) execFileSync('sh', ['-c', prepare], { cwd: runner.workspace });
const {
  ending,
  stdout,
  stderr,
  confinement: inForce,
  putAside,
  lookComplete,
} = await runner.run(command ?? '', {
  settings: { confinement: confinement === 'off' ? 'off' : 'required' },
  onEvent: (event) => {
    if (event.type === 'started')
      process.stdout.write(`${JSON.stringify({ ...event, workspace: runner.workspace })}\n`);
  },
});
process.stdout.write(`${JSON.stringify({ type: 'ended', ending, stdout, stderr, inForce, putAside, lookComplete })}\n`);
// Who may not write in a folder can't clear it away.
execFileSync('chmod', ['-R', 'u+rwX', runner.workspace]);
await runner[Symbol.asyncDispose]();
// The bundler drops `using` at the top of a module, so it is written out.
process.exit(0);
