// Files of packages that are not installed but unpacked, each pinned by its SHA-256: all of them must be there, and nothing else stays.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, SetupProblem } from './project.mjs';

const pinnedFiles = () => JSON.parse(readFileSync(inProject('scripts', 'setup', 'electron-files.sha256.json'), 'utf8'));

/** Throws where a file is missing or is another one. What is not on the list is taken away: nobody looked at it. */
export async function keepPinnedFiles(directory, pinned = pinnedFiles(), what = 'Electron runtime') {
  for (const [name, expected] of Object.entries(pinned)) {
    const actual = existsSync(join(directory, name)) ? await digest(join(directory, name), 'sha256', 'hex') : 'missing';
    if (actual !== expected)
      throw new SetupProblem(`The ${what}'s ${name} is not the pinned file (${actual}). Nothing was installed.`);
  }
  removeOthers(directory, '', new Set(Object.keys(pinned)));
}

function removeOthers(directory, within, pinned) {
  for (const entry of readdirSync(join(directory, within), { withFileTypes: true })) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (!pinned.has(name)) rmSync(join(directory, name));
      continue;
    }
    removeOthers(directory, name, pinned);
    if (readdirSync(join(directory, name)).length === 0) rmdirSync(join(directory, name));
  }
}

export function digest(file, algorithm, encoding) {
  return new Promise((resolvePromise, reject) => {
    const hash = createHash(algorithm);
    createReadStream(file)
      .on('error', reject)
      .on('data', (chunk) => hash.update(chunk))
      .on('end', () => resolvePromise(hash.digest(encoding)));
  });
}
