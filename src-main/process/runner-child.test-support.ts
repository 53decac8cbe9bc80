import { openTestRunner } from './process.test-support.js';

/** An app in small, to be killed from outside: it runs one command and says which process that is, and what came of it. */
const [, , confinement, command] = process.argv;
const runner = await openTestRunner();
const {
  ending,
  stdout,
  stderr,
  confinement: inForce,
} = await runner.run(command ?? '', {
  settings: { confinement: confinement === 'off' ? 'off' : 'required' },
  onEvent: (event) => {
    if (event.type === 'started')
      process.stdout.write(`${JSON.stringify({ ...event, workspace: runner.workspace })}\n`);
  },
});
process.stdout.write(`${JSON.stringify({ type: 'ended', ending, stdout, stderr, inForce })}\n`);
await runner[Symbol.asyncDispose]();
// The bundler drops `using` at the top of a module, so it is written out.
process.exit(0);
