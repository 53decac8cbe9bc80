import { parentPort, workerData } from 'node:worker_threads';
import type { AnswerMessage, ReaderStart, RequestMessage } from './reader-protocol.js';
import { createReaderService } from './reader-service.js';

// The entry of the reading thread (out/main/journal-reader.js).
const port = parentPort;
if (port === null) throw new Error('The journal reader is a worker; it does not run by itself.');
const { dataDir } = workerData as ReaderStart;
const service = createReaderService(dataDir);

port.on('message', (message: RequestMessage) => {
  void answer(message).then((reply) => {
    try {
      port.postMessage(reply);
    } catch (error) {
      // What can't be sent must not take the thread, and everybody else's questions, with it.
      const failed: AnswerMessage = { id: message.id, ok: false, name: 'Error', message: String(error) };
      port.postMessage(failed);
    }
  });
});
port.on('close', () => service.close());

async function answer({ id, name, args }: RequestMessage): Promise<AnswerMessage> {
  try {
    const handler = service[name] as (...parameters: readonly unknown[]) => unknown;
    return { id, ok: true, value: await handler(...args) };
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
    return { id, ok: false, name: kind, message };
  }
}
