import { redactJson } from '../../domain/text/redact.js';
import { findSecrets, type SecretDetectors } from '../../domain/text/secrets/find.js';
import { knownValues, NOTHING_KNOWN } from '../../domain/text/secrets/known-values.js';
import { answerQuestions } from '../asked/answer-questions.js';
import { createPresetDetector } from './preset-detector.js';
import type { RedactionService } from './redaction-protocol.js';

// The entry of the thread that looks at long texts (out/main/redaction.js).
let means: SecretDetectors = { known: NOTHING_KNOWN, detector: createPresetDetector() };

answerQuestions<RedactionService>({
  know: (values) => {
    means = { ...means, known: knownValues(values) };
  },
  find: (text) => Uint32Array.from(findSecrets(text, means).flatMap(({ start, end }) => [start, end])),
  json: (value) => redactJson(value, { means }),
});
