import { normalize } from 'node:path/posix';
import type { Config } from '#contract/vocabulary/config.js';
import { DeniedPatterns } from './denied-patterns.js';

/** Whether the patterns of these settings deny a path to tools, as it is written: from any folder that is open, or whole. */
export function createDeniedTest(folders: () => readonly string[]): (path: string, config: Config) => boolean {
  let known: { readonly of: Config['tools']['sandbox']; readonly denied: DeniedPatterns } | null = null;
  return (path, { tools: { sandbox } }) => {
    if (known?.of !== sandbox)
      known = { of: sandbox, denied: new DeniedPatterns(sandbox.denied_patterns, sandbox.include_default_denies) };
    const plain = normalize(path.replace(/^file:\/\//iu, ''));
    const { denied } = known;
    const below = folders().find((folder) => plain.startsWith(`${folder}/`));
    const relative = below === undefined ? plain.replace(/^\/+/u, '') : plain.slice(below.length + 1);
    return relative !== '' && relative !== '.' && denied.findDenying(below ?? '', relative) !== null;
  };
}
