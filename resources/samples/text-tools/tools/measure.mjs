// One line of JSON comes in, one JSON value goes out. What is said on stderr is shown while it runs.
import { writeSync } from 'node:fs';

let line = '';
for await (const part of process.stdin) line += part;
const { parameters, context } = JSON.parse(line);
process.stderr.write(`Measuring for ${context.invocation_id}\n`);

const progress = (percent, phase) => writeSync(3, `${JSON.stringify({ type: 'progress', percent, phase })}\n`);

const { text, words_per_minute: pace = 230 } = parameters;
progress(10, 'counting');
const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu)?.length ?? 0;
const result = {
  characters: [...text].length,
  words,
  sentences: text.match(/[^.!?\s][^.!?]*(?:[.!?]+|$)/gu)?.length ?? 0,
  lines: text === '' ? 0 : text.split('\n').length,
  minutes: Math.round((words / pace) * 10) / 10,
};
progress(100, 'done');
process.stdout.write(`${JSON.stringify(result)}\n`);
