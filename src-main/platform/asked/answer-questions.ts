import { parentPort } from 'node:worker_threads';
import type { AskedAnswer, AskedQuestion, Functions } from './protocol.js';

/** Answers, in a thread or a process of ours, what the app asks it, with what these functions give. */
export function answerQuestions<Service extends Functions<Service>>(
  service: Service,
  onClose: () => void = () => undefined,
): void {
  const reply = async ({ id, name, args }: AskedQuestion, post: (answer: AskedAnswer) => void): Promise<void> => {
    try {
      post({ id, ok: true, value: await service[name as keyof Service](...(args as readonly never[])) });
    } catch (error) {
      // An answer that can't be sent ends here, too: it must not take the thread, and everybody else's questions, with it.
      const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
      post({ id, ok: false, kind, message });
    }
  };
  if (parentPort !== null) {
    const port = parentPort;
    port.on('message', (question: AskedQuestion) => void reply(question, (answer) => port.postMessage(answer)));
    port.on('close', onClose);
    return;
  }
  const port = process.parentPort;
  port.on(
    'message',
    ({ data }: { readonly data: unknown }) => void reply(data as AskedQuestion, (answer) => port.postMessage(answer)),
  );
}
