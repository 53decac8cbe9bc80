import { answerQuestions } from '../asked/answer-questions.js';
import type { ModelService } from './model-protocol.js';
import { SentenceModel } from './sentence-model.js';

// The entry of the process that holds the sentence model (out/main/sentence-model.js). A process, because the model's runtime is
// native code that reads what others wrote, and because only the end of a process gives its memory back.

const [folder = ''] = process.argv.slice(2);
const model = SentenceModel.load(folder);
// Told to whoever asks; nobody may have yet.
model.catch(() => undefined);

answerQuestions<ModelService>({ embed: async (texts) => (await model).embed(texts) });
