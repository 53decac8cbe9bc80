import type { Config } from '#contract/vocabulary/config.js';
import type { FileFacts } from '../../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { defineTool } from '../../define-tool.js';
import { fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { listDirectory } from './definition.js';
import { ListingText } from './listing-text.js';
import { traverse } from './traverse.js';

interface ListDirectoryArgs {
  readonly path: string;
  readonly recursive: boolean;
  /** Null: as the configuration has it. */
  readonly maxDepth: number | null;
  readonly maxEntries: number | null;
  readonly hidden: boolean;
  readonly kinds: ReadonlySet<FileFacts['kind']>;
}

const badArgs = (message: string): ToolFailure => new ToolFailure({ code: 'BadArgs', message });

/** A folder is sorted at least this far ahead: cheaper than reading it twice when some names are denied. */
const LEAST_AHEAD = 256;

export const listDirectoryTool = defineTool(listDirectory, {
  timeoutMs: fileTimeoutMs,

  parse(asked): ListDirectoryArgs {
    const { path, recursive = false, max_depth: maxDepth, max_entries: maxEntries } = asked;
    if (path.trim() === '') throw badArgs('path is blank.');
    if (!recursive && maxDepth !== undefined && maxDepth !== 1) {
      throw badArgs(`max_depth is ${maxDepth}, but only a recursive listing goes deeper than 1.`);
    }
    const { include_files = true, include_dirs = true, include_symlinks = true, include_other = false } = asked;
    if (!include_files && !include_dirs && !include_symlinks) {
      throw badArgs('include_files, include_dirs and include_symlinks are all false, so there is nothing to list.');
    }
    const kinds = new Set<FileFacts['kind']>();
    if (include_files) kinds.add('file');
    if (include_dirs) kinds.add('dir');
    if (include_symlinks) kinds.add('symlink');
    if (include_other) kinds.add('other');
    return {
      path,
      recursive,
      maxDepth: maxDepth ?? null,
      maxEntries: maxEntries ?? null,
      hidden: asked.include_hidden ?? false,
      kinds,
    };
  },

  summary({ path, recursive, maxDepth }, named) {
    const folder = named(path);
    if (!recursive) return `List ${folder}`;
    return maxDepth === null ? `List ${folder} [with its folders]` : `List ${folder} [depth ${maxDepth}]`;
  },

  async preflight(args, { sandbox, config }) {
    limitsOf(args, config);
    await sandbox.validate(args.path);
    return { risk: 'low', mustAsk: null };
  },

  effect: () => Promise.resolve({ kind: 'arguments' }),

  async execute(args, { sandbox, config, signal, outputLimit }) {
    const { depth, maxEntries } = limitsOf(args, config);
    const path = await sandbox.validate(args.path);
    const text = new ListingText(forwardSlashes(path.asked), maxEntries, outputLimit);
    if (!text.possible) {
      throw new ToolFailure({
        code: 'ExecutionFailed',
        message: `A result may have ${outputLimit} bytes now, which is too few for a listing.`,
      });
    }
    await using directory = await sandbox.openDirectory(path);
    const entries = traverse(directory, {
      wanted: { depth, hidden: args.hidden, kinds: args.kinds },
      signal,
      ahead: Math.max(LEAST_AHEAD, maxEntries + 1),
      isDenied: (below) => sandbox.isDenied(path.relative === '' ? below : `${path.relative}/${below}`, path.root),
    });
    for await (const entry of entries) {
      text.add(entry);
      if (text.full) break;
    }
    const { content, result } = text.finish();
    const names = result.entries.map((entry) => entry.path);
    return fileToolOutput(content, result, { allowTruncation: false, names });
  },
});

/** Elsewhere a backslash is a character of a name like any other. */
const forwardSlashes = (path: string): string => (process.platform === 'win32' ? path.replaceAll('\\', '/') : path);

function limitsOf(
  { recursive, maxDepth, maxEntries }: ListDirectoryArgs,
  config: Config,
): { readonly depth: number; readonly maxEntries: number } {
  const allowed = config.tools.list_directory;
  if (recursive && maxDepth !== null && maxDepth > allowed.max_depth) {
    throw badArgs(`max_depth is ${maxDepth}; at most ${allowed.max_depth} is allowed.`);
  }
  if (maxEntries !== null && maxEntries > allowed.max_entries) {
    throw badArgs(`max_entries is ${maxEntries}; at most ${allowed.max_entries} is allowed.`);
  }
  return { depth: recursive ? (maxDepth ?? allowed.max_depth) : 1, maxEntries: maxEntries ?? allowed.max_entries };
}
