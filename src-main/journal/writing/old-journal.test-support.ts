// A journal as a Gatehouse wrote it that blotted nothing out, with the output that a command of it stored. Run by Electron's own Node.
import '../reading/source-hooks.test-support.ts';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';

const { createSealer } = await import('../../platform/keys/sealing.js');
const { openJournal } = await import('../opening/open-journal.js');
const { storedFile } = await import('../outputs/output-places.js');
const { batchReceived, settled, started, systemClock } = await import('./journal-samples.test-support.js');

const [dataDir = '', secret = ''] = process.argv.slice(2);
const journal = openJournal({
  dataDir,
  clock: systemClock,
  signer: { available: false, sign: () => new Uint8Array(), verify: () => false },
  sealer: createSealer(null),
  onSideError: (error) => {
    throw error;
  },
});
const output = `line one\nDB_PASSWORD=${secret}\n`;
const sha256 = createHash('sha256').update(output).digest('hex');
const file = storedFile(dataDir, sha256);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, output);
journal.append([batchReceived('b')]);
journal.append([
  ...started({ callId: 'old-1', batchId: 'b', summary: 'Read settings.ini' }),
  settled('old-1', { content: `name=x\npassword=${secret}\n` }),
]);
journal.append([
  ...started({ callId: 'old-2', batchId: 'b', tool: 'run_command', nature: 'command', summary: 'Run command: env' }),
  settled('old-2', { content: output, storedOutputs: [{ stream: 'stdout', sha256, bytes: output.length }] }),
]);
journal.append([{ type: 'batch-closed', batchId: 'b' }]);
journal.close();
const db = new Database(join(dataDir, 'journal.db'));
db.exec("INSERT INTO marks (name, value) SELECT 'calls-from-before', max(id) FROM calls");
db.close();
