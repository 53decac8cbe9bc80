import { openTestRunner } from './process.test-support.js';

/** An app in small, to be killed from outside: it runs one command and says which process that is. */
const [, , confinement, command] = process.argv;
const runner = await openTestRunner();
await runner.run(command ?? '', {
  settings: { confinement: confinement === 'off' ? 'off' : 'required' },
  onEvent: (event) => {
    if (event.type === 'started')
      process.stdout.write(`${JSON.stringify({ ...event, workspace: runner.workspace })}\n`);
  },
});
