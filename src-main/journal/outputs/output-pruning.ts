import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { incomingFolder, outputsFolder } from './output-places.js';

interface KeptFile {
  readonly file: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/** An output that still grows has been written to lately; it is never taken away. */
const MAYBE_GROWING_MS = 3_600_000;

/** Deletes what is past its time, then the oldest until the rest fits. The journal keeps sizes and hashes. Gives the bytes freed. */
export async function pruneOutputs(dataDir: string, quotaBytes: number, olderThan: number): Promise<number> {
  const incoming = incomingFolder(dataDir);
  const found = (await listFiles(outputsFolder(dataDir)))
    .filter(({ file, usedAt }) => !file.startsWith(incoming) || usedAt < Date.now() - MAYBE_GROWING_MS)
    .sort((a, b) => a.usedAt - b.usedAt);
  let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  let freed = 0;
  for (const { file, bytes, usedAt } of found) {
    if (usedAt >= olderThan && total <= quotaBytes) break;
    await rm(file, { force: true });
    total -= bytes;
    freed += bytes;
  }
  return freed;
}

async function listFiles(folder: string): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const facts = await stat(file).catch(() => null);
    if (facts !== null) files.push({ file, bytes: facts.size, usedAt: facts.mtimeMs });
  }
  return files;
}
