import { openTestPrograms, UNCONFINED } from './programs.test-support.js';

/** An app in small, to be killed from outside: it starts one program, and says where it lists what runs. */
const [, , confinement, script = ''] = process.argv;
const programs = await openTestPrograms();
const program = await programs.start(['sh', '-c', script], confinement === 'off' ? { process: UNCONFINED } : {});
await program.stdout[Symbol.asyncIterator]().next();
process.stdout.write(`${JSON.stringify({ running: programs.runningFolder, base: programs.runner.workspace })}\n`);
await program.ended;
