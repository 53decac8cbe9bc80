import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../platform/asked/answer-questions.js';
import type { ReaderStart } from './reader-protocol.js';
import { createReaderService } from './reader-service.js';

// The entry of the reading thread (out/main/journal-reader.js).
const service = createReaderService((workerData as ReaderStart).dataDir);
answerQuestions(service, () => service.close());
