import { createHash } from 'node:crypto';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { SOURCE_DEFAULTS } from '#contract/vocabulary/tools/sources.js';
import { createOutside } from '../../../outside/outside-client.js';
import { createOutsideFetch } from '../../../outside/outside-fetch.js';
import { configWith } from '../../../process/process.test-support.js';
import { createMcpSource } from './mcp-source.js';

/** The client that the official suite tests: a source at the address that it is given, each of whose tools is called. */
const url = process.argv.at(-1) ?? '';
const outside = createOutside({ secret: () => null, variable: () => null });
const config = configWith({});
const situation = { config, confinement: { available: true, problem: null }, network: NOTHING_ALLOWED };
const source = createMcpSource({
  appVersion: '1.0.0',
  start: () => Promise.reject(new Error('nothing is started here')),
  packages: { known: () => null, install: () => Promise.reject(new Error('nothing is fetched here')) },
  folders: () => [],
  ownFiles: () => [],
  valueOf: () => null,
  fetchFor: (place) => createOutsideFetch(outside, () => place),
  now: () => Promise.resolve({ config, confinement: situation.confinement, folder: null }),
})({ name: 'suite', settings: { ...SOURCE_DEFAULTS, kind: 'mcp', url }, dataFolder: '/nonexistent' });
const { signal } = new AbortController();
const offer = await source.offer(signal);
for (const operation of offer.operations) {
  await source.call({
    callId: operation.operation,
    operation,
    stillAccepted: () => undefined,
    args: operation.operation === 'add_numbers' ? { a: 2, b: 3 } : {},
    config,
    folder: null,
    terms: source.gets(situation, operation),
    signal,
    timeoutMs: 20_000,
    outputLimit: 100_000,
    emit: () => Promise.resolve(),
    onProgress: () => undefined,
    keep: (bytes) =>
      Promise.resolve({
        stream: 'stdout',
        sha256: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length,
      }),
  });
}
await source.close();
outside.close();
