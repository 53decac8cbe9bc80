import { createHash } from 'node:crypto';
import { readFormDefaults } from '#contract/vocabulary/tools/form-defaults.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { SOURCE_DEFAULTS } from '#contract/vocabulary/tools/sources.js';
import type { Offer, OfferedOperation, Source } from '../../../domain/ports/sources/source.js';
import { createOutside } from '../../../outside/outside-client.js';
import { createOutsideFetch } from '../../../outside/outside-fetch.js';
import { createSignInReturn } from '../../../outside/sign-in-return.js';
import { configWith } from '../../../process/process.test-support.js';
import { systemClock } from '../../../platform/clock.js';
import { createMcpSource } from './mcp-source.js';
import { testKeeper } from './sign-in/keeper.test-support.js';

/**
 * The client that the official suite tests: a source at the address that it is given, each of whose tools is called. The person signs in
 * where that is wanted, at most as often as they would before they give up.
 */
const url = process.argv.at(-1) ?? '';
const keeper = testKeeper();
const outside = createOutside({ secret: keeper.secret, variable: () => null });
const config = configWith({});
const expectNothingStarted = (): never => {
  throw new Error('nothing is started here');
};
const situation = { config, confinement: { available: true, problem: null }, network: NOTHING_ALLOWED };
const source = createMcpSource({
  appVersion: '1.0.0',
  start: () => Promise.reject(new Error('nothing is started here')),
  find: () => null,
  code: {
    inspect: () => expectNothingStarted(),
    prepareStart: () => expectNothingStarted(),
  },
  homeOf: () => expectNothingStarted(),
  packages: {
    findInstalled: () => null,
    install: () => Promise.reject(new Error('nothing is fetched here')),
    fetchBeside: () => Promise.reject(new Error('nothing is fetched here')),
    takeBeside: () => {
      throw new Error('nothing is fetched here');
    },
    findNewestVersion: () => Promise.resolve(null),
  },
  valueOf: () => ({ problem: 'There is none' }),
  fetchFor: (placeOf) => createOutsideFetch(outside, placeOf),
  // The person takes what is filled in already.
  questions: {
    ask: (question) =>
      Promise.resolve({
        action: 'accept',
        content: question.kind === 'form' ? readFormDefaults(question.schema) : null,
      }),
    sample: () => Promise.resolve({ given: false, words: 'there is no model' }),
  },
  clock: systemClock,
  signIns: { keeper, openReturn: createSignInReturn() },
  now: () => Promise.resolve({ config, confinement: situation.confinement, folder: null }),
})({
  name: 'suite',
  settings: { ...SOURCE_DEFAULTS, kind: 'mcp', url, elicitation: true },
  dataFolder: '/nonexistent',
});
const { signal } = new AbortController();

const MOST_SIGN_INS = 3;

/** Signs in as a browser whose person says yes: it goes where it is led. */
async function signIn({ signIn: at }: Source): Promise<void> {
  if (at === undefined || at === null) throw new Error('There is nothing to sign in at.');
  await at.begin();
  const over = Promise.withResolvers<void>();
  const stop = source.onChange(() => {
    if (at.state.kind !== 'under-way') over.resolve();
  });
  await fetch(at.address ?? '');
  await over.promise;
  stop();
  if (at.state.kind !== 'signed-in') throw new Error(at.state.problem ?? 'The person is not signed in.');
}

async function signedIn<T>(work: () => Promise<T>): Promise<T> {
  for (let times = 0; ; times += 1) {
    try {
      return await work();
    } catch (error) {
      if (source.signIn?.state.kind !== 'wanted' || times === MOST_SIGN_INS) throw error;
      await signIn(source);
    }
  }
}

const called = (operation: OfferedOperation) =>
  source.call({
    callId: operation.operation,
    operation,
    stillAccepted: () => undefined,
    args: operation.operation === 'add_numbers' ? { a: 2, b: 3 } : {},
    config,
    folder: null,
    terms: source.termsFor(situation, operation),
    signal,
    timeoutMs: 20_000,
    limits: {},
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

const offer = await signedIn((): Promise<Offer> => source.offer(signal));
for (const operation of offer.operations) await signedIn(() => called(operation));
await source.close();
outside.close();
