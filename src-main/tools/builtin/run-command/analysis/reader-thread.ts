import { parentPort } from 'node:worker_threads';
import { openFolderOnDisk } from '../../../../platform/files/folder-on-disk.js';
import { createCommandReader, installedGrammar } from './command-reader.js';
import { areInputsUnchanged } from './reading-inputs.js';
import type { ReadAnswer, ReadMessage } from './reader-protocol.js';

// The entry of the thread that reads commands (out/main/command-reader.js).
const port = parentPort;
if (port === null) throw new Error('The command reader is a worker; it does not run by itself.');
// A parser that failed has one memory for all commands, so the thread ends with it.
const reader = createCommandReader(installedGrammar, () => process.exit());
const say = (answer: ReadAnswer): void => port.postMessage(answer);

port.on('message', ({ command, roots, lookedAt }: ReadMessage) => {
  if (lookedAt !== null && areInputsUnchanged(lookedAt, openFolderOnDisk(roots))) return say({ kind: 'same' });
  void reader.read(command, roots).then((reading) => say({ kind: 'read', reading }));
});

// The parser is loaded with the first command, and loading is not part of the time that reading may take.
void reader.read(':').then(() => say({ kind: 'ready' }));
