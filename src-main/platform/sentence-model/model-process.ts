import type { EmbedAnswer, EmbedRequest } from './model-protocol.js';
import { SentenceModel } from './sentence-model.js';

// The entry of the process that holds the sentence model (out/main/sentence-model.js). A process, because the model's runtime is
// native code that reads what others wrote, and because only the end of a process gives its memory back.

const port = process.parentPort;
const [folder = ''] = process.argv.slice(2);
const model = SentenceModel.load(folder);
// Told to whoever asks; nobody may have yet.
model.catch(() => undefined);

port.on('message', ({ data }: { readonly data: unknown }) => {
  void answer(data as EmbedRequest).then((given) => port.postMessage(given));
});

async function answer({ id, texts }: EmbedRequest): Promise<EmbedAnswer> {
  try {
    return { id, ok: true, vectors: await (await model).embed(texts) };
  } catch (error) {
    return { id, ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
