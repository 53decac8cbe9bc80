import { createOutside } from './outside-client.js';

/** Asks a url, and says what it got. Started by a test with an environment that Node reads at its start. */
const url = process.argv[2] ?? '';
const outside = createOutside({ secret: () => null, variable: () => null });
const request = { method: 'GET', url, within: url, headers: {}, body: null, keys: [] } as const;
const answer = await outside.send(request, AbortSignal.timeout(10_000));
process.stdout.write(`${await answer.text(1000)}\n`);
outside.close();
