import { parentPort } from 'node:worker_threads';
import { redactJson } from '../../domain/text/redact.js';
import { findSecrets, type SecretDetectors } from '../../domain/text/secrets/find.js';
import type { Span } from '../../domain/text/secrets/spans.js';
import { knownValues, NOTHING_KNOWN } from '../../domain/text/secrets/known-values.js';
import { createPresetDetector } from './preset-detector.js';
import type { RedactionAnswer, RedactionRequest } from './redaction-protocol.js';

// The entry of the thread that looks at long texts (out/main/redaction.js).
const port = parentPort;
if (port === null) throw new Error('The redaction is a worker; it does not run by itself.');
const say = (answer: RedactionAnswer): void => port.postMessage(answer);
let means: SecretDetectors = { known: NOTHING_KNOWN, detector: createPresetDetector() };

/** Packs spans as numbers: a hostile text has a hundred thousand, and the main thread has to take them. */
const packSpans = (spans: readonly Span[]): Uint32Array => {
  const places = new Uint32Array(2 * spans.length);
  for (const [at, { start, end }] of spans.entries()) places.set([start, end], 2 * at);
  return places;
};

port.on('message', (request: RedactionRequest) => {
  switch (request.kind) {
    case 'know':
      means = { ...means, known: knownValues(request.values) };
      return;
    case 'find':
      return say({ kind: 'found', id: request.id, places: packSpans(findSecrets(request.text, means)) });
    case 'json':
      return say({ kind: 'json', id: request.id, ...redactJson(request.value, { means }) });
  }
});
