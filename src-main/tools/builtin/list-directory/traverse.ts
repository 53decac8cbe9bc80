import type { DirectoryEntry, FileFacts, JailedDirectory } from '../../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { ListedEntry } from './definition.js';
import { FirstSteps, type TraversalStep } from './traversal-steps.js';

interface TraversalOptions {
  readonly depth: number;
  readonly hidden: boolean;
  readonly kinds: ReadonlySet<FileFacts['kind']>;
}

export interface Traversal {
  readonly wanted: TraversalOptions;
  readonly signal: AbortSignal;
  /** How many entries are likely to be asked for: how far ahead a folder is sorted. */
  readonly ahead: number;
  /** Path from the listed folder. */
  readonly isDenied: (path: string) => boolean;
}

/**
 * The entries below a folder, in the order of their paths, found as they are asked for: who stops asking stops the work.
 * A folder is read in passes, each keeping only the next few names in order, so that a folder of a million names costs
 * the memory of few. A pass that found nothing to show makes the next one larger.
 */
export async function* traverse(
  directory: JailedDirectory,
  traversal: Traversal,
  prefix = '',
  depth = 1,
): AsyncGenerator<ListedEntry> {
  const { signal } = traversal;
  let after: TraversalStep | null = null;
  for (let room = traversal.ahead; ; room *= 2) {
    const pass = await nextSteps(directory, traversal, depth, room, after);
    const steps = pass.sorted();
    for (const step of steps) {
      signal.throwIfAborted();
      const path = prefix + step.entry.name;
      if (traversal.isDenied(path)) continue;
      if (step.enter) yield* inside(directory, step.entry, traversal, `${path}/`, depth + 1);
      else {
        const listed = await describe(directory, step.entry, path, depth);
        if (isWanted(listed.type, traversal.wanted)) yield listed;
      }
    }
    after = steps.at(-1) ?? null;
    if (!pass.overflowed || after === null) return;
  }
}

async function nextSteps(
  directory: JailedDirectory,
  { wanted, signal }: Traversal,
  depth: number,
  room: number,
  after: TraversalStep | null,
): Promise<FirstSteps> {
  const first = new FirstSteps(room, after);
  for await (const batch of directory.entries()) {
    signal.throwIfAborted();
    for (const entry of batch) {
      if (!wanted.hidden && isHidden(entry.raw)) continue;
      const kind = entry.kind ?? (await kindOf(directory, entry));
      // What can't be looked at is shown, as unknown.
      if (kind === null || wanted.kinds.has(kind)) first.offer(entry, false);
      if (kind === 'dir' && depth < wanted.depth) first.offer(entry, true);
    }
  }
  return first;
}

async function* inside(
  directory: JailedDirectory,
  entry: DirectoryEntry,
  traversal: Traversal,
  prefix: string,
  depth: number,
): AsyncGenerator<ListedEntry> {
  let child: JailedDirectory;
  try {
    child = await directory.open(entry.nameBytes);
  } catch (error) {
    // Gone, closed to us, or a link by now: there is nothing of it to list.
    if (error instanceof ToolFailure) return;
    throw error;
  }
  try {
    yield* traverse(child, traversal, prefix, depth);
  } catch (error) {
    traversal.signal.throwIfAborted();
    // The folder could be opened but not read; what was found stays.
    if (!(error instanceof ToolFailure)) throw error;
  } finally {
    await child[Symbol.asyncDispose]();
  }
}

const isHidden = (name: string): boolean => name.startsWith('.');

const isWanted = (type: ListedEntry['type'], { kinds }: TraversalOptions): boolean =>
  type === 'unknown' || kinds.has(type);

async function kindOf(directory: JailedDirectory, entry: DirectoryEntry): Promise<FileFacts['kind'] | null> {
  try {
    return (await directory.facts(entry.nameBytes)).kind;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

async function describe(
  directory: JailedDirectory,
  { name, nameBytes }: DirectoryEntry,
  path: string,
  depth: number,
): Promise<ListedEntry> {
  const known = { name, path, depth, is_hidden: isHidden(name) };
  try {
    const facts = await directory.facts(nameBytes);
    return {
      name,
      path,
      depth,
      type: facts.kind,
      size_bytes: facts.kind === 'file' ? facts.size : null,
      modified_epoch_ms: facts.modifiedMs,
      is_hidden: known.is_hidden,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return {
      name,
      path,
      depth,
      type: 'unknown',
      size_bytes: null,
      modified_epoch_ms: null,
      is_hidden: known.is_hidden,
      error: error.failure.message,
    };
  }
}
