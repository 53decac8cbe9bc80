import { posix } from 'node:path';
import type { JailedPath, Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';

/** Where a path leads that the person asks for themselves, or why it is not opened, in words for them. */
export type Openable = { readonly absolute: string } | { readonly problem: string };

/**
 * Endings for which desktops choose a program that shows a file. Every other kind may be run, or may be read by a
 * program that runs what is in it, as browsers do with pages and pictures in SVG.
 */
const SAFE_ENDINGS: ReadonlySet<string> = new Set(
  (
    'txt text log md mdx markdown rst adoc tex json jsonc json5 jsonl toml yaml yml ini cfg conf properties lock diff patch ' +
    'ts mts cts tsx jsx css scss sass less vue svelte astro c h cc cpp cxx hh hpp cs m mm go rs java kt kts scala swift dart ' +
    'zig nim ml hs erl ex exs clj elm lua sql graphql gql proto tf gradle cmake make mk png jpg jpeg gif webp bmp ico'
  ).split(' '),
);
/** Text here, and a program where the system runs what is opened. */
const SCRIPTS: ReadonlySet<string> = new Set(
  'js mjs cjs py rb pl php sh bash zsh fish ps1 psm1 bat cmd vbs r jl'.split(' '),
);
const NAMES: ReadonlySet<string> = new Set(['makefile', 'dockerfile', 'readme', 'license', 'changelog']);

/** A regular file of a kind that programs show. It is opened by its name, so that it may be another by then. */
export async function resolveOpenable(sandbox: Sandbox, path: string, platform: NodeJS.Platform): Promise<Openable> {
  return await catchRefusal(async () => {
    const found = await sandbox.validate(pathToValidate(sandbox, path));
    const facts = await sandbox.facts(found);
    if (facts === null) return refuseMissing(path);
    if (facts.kind !== 'file') return { problem: `${path} is not a file. Use “Show in folder” to see where it is.` };
    if ((facts.mode & 0o111) !== 0)
      return { problem: `${path} is a program, and opening it could run it. Use “Show in folder”, and open it there.` };
    return isShown(found, platform)
      ? found
      : { problem: `Gatehouse opens only text and pictures. Use “Show in folder”, and open ${path} there.` };
  });
}

/** Anything that is there: it is only pointed at. */
export async function resolveShowable(sandbox: Sandbox, path: string): Promise<Openable> {
  return await catchRefusal(async () => {
    const found = await sandbox.validate(pathToValidate(sandbox, path));
    return (await sandbox.facts(found)) === null ? refuseMissing(path) : found;
  });
}

/** The path to validate. A path below the first root is made relative: absolute paths may not be allowed. */
const pathToValidate = ({ workingDirectory: root }: Sandbox, path: string): string =>
  path === root ? '.' : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;

const refuseMissing = (path: string): Openable => ({ problem: `${path} isn’t there now.` });

function isShown({ absolute }: JailedPath, platform: NodeJS.Platform): boolean {
  const name = posix.basename(absolute.replaceAll('\\', '/')).toLowerCase();
  const ending = posix.extname(name).slice(1);
  if (ending === '') return NAMES.has(name);
  return SAFE_ENDINGS.has(ending) || (platform === 'linux' && SCRIPTS.has(ending));
}

async function catchRefusal(look: () => Promise<Openable>): Promise<Openable> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ToolFailure) return { problem: error.failure.message };
    throw error;
  }
}
