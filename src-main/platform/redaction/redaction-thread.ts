import { parentPort } from 'node:worker_threads';
import { redactJson } from '../../domain/text/redact.js';
import { findSecrets, type Means } from '../../domain/text/secrets/find.js';
import { knownValues, NOTHING_KNOWN } from '../../domain/text/secrets/known.js';
import { keptDetector } from './kept-detector.js';
import type { RedactionAnswer, RedactionRequest } from './redaction-protocol.js';

// The entry of the thread that looks at long texts (out/main/redaction.js).
const port = parentPort;
if (port === null) throw new Error('The redaction is a worker; it does not run by itself.');
const say = (answer: RedactionAnswer): void => port.postMessage(answer);
let means: Means = { known: NOTHING_KNOWN, detector: keptDetector() };

port.on('message', (request: RedactionRequest) => {
  switch (request.kind) {
    case 'know':
      means = { ...means, known: knownValues(request.values) };
      return;
    case 'find':
      return say({ kind: 'found', id: request.id, spans: findSecrets(request.text, means) });
    case 'json':
      return say({ kind: 'json', id: request.id, ...redactJson(request.value, { means }) });
  }
});
