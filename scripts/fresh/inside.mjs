// On the bare machine: runs the command as its first, and says what it left behind.
import { lookAround, leftSince } from '../test/left-behind.mjs';
import { say } from '../setup/project.mjs';
import { run } from '../setup/run.mjs';

const before = lookAround();
const { code } = await run(process.argv[2], process.argv.slice(3));
const left = await leftSince(before);
for (const line of left) say(`left behind: ${line}`);
process.exit(code === 0 && left.length > 0 ? 1 : code);
