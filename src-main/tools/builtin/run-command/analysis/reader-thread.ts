import { answerQuestions } from '../../../../platform/asked/answer-questions.js';
import { openFolderOnDisk } from '../../../../platform/files/folder-on-disk.js';
import { createCommandReader, installedGrammar } from './command-reader.js';
import { areInputsUnchanged } from './reading-inputs.js';
import type { ReaderService } from './reader-protocol.js';

// The entry of the thread that reads commands (out/main/command-reader.js).
// A parser that failed has one memory for all commands, so the thread ends with it.
const reader = createCommandReader(installedGrammar, () => process.exit());

answerQuestions<ReaderService>({
  load: async () => void (await reader.read(':')),
  read: async (command, roots, lookedAt) =>
    lookedAt !== null && areInputsUnchanged(lookedAt, openFolderOnDisk(roots)) ? 'same' : reader.read(command, roots),
});
