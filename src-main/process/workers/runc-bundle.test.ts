import { expect, it } from 'vitest';
import { PLACEHOLDER } from './own-namespaces.js';
import { bundleSpec } from './runc-bundle.js';

it('what variables come to stand for stands among variables first, whatever a Containerfile says', () => {
  const word = `,"${PLACEHOLDER}"`;
  const spec = bundleSpec({
    root: '/r',
    process: { args: ['/bin/sh', PLACEHOLDER], environment: { PATH: '/bin', X: word }, folder: '/' },
    user: 1,
    limits: { memoryMb: 64, processes: 8, cpus: 1 },
    seccomp: {},
  });
  const { process } = JSON.parse(spec.replace(word, ',"SECRET=s"')) as { process: Record<string, unknown> };
  expect(process['env']).toEqual(['PATH=/bin', `X=${word}`, 'SECRET=s']);
  expect(process['args']).toEqual(['/bin/sh', PLACEHOLDER]);
});
