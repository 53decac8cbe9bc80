import { sha256 } from '../../../platform/digest.js';
import { applyOperations } from '../../../domain/lp1/apply.js';
import type { ApplyResult, Patch, PatchedFile, PatchSection } from '../../../domain/lp1/patch.js';
import { formatFile, parseFile } from '../../../domain/lp1/text-file.js';
import type { JailedFile, JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import type { ReadLog } from '../../../domain/ports/workspace/read-log.js';
import { type EarlierEffects, ToolFailure } from '../../../domain/tool/tool.js';
import { LARGEST_FILE, MIB, inMib } from '../../../domain/size-bounds.js';

/** How long the applier may run before the app gets a turn. */
const TURN_MS = 15;
/** How many files are read at once. */
const AT_ONCE = 8;

/** One file before and after the patch. */
export interface PlannedFile {
  readonly path: JailedPath;
  /** The path as the result names it. */
  readonly shown: string;
  readonly before: { readonly text: string; readonly content: Uint8Array; readonly sha256: string } | null;
  readonly after: { readonly text: string; readonly content: Buffer; readonly sha256: string };
}

export interface PatchContext {
  readonly sandbox: Sandbox;
  readonly readLog: ReadLog;
  /** Changes that earlier calls will have made by then, for a preview. */
  readonly foreseen: EarlierEffects;
  readonly signal: AbortSignal | null;
}

interface PatchTarget {
  readonly path: JailedPath;
  readonly sections: PatchSection[];
}

/** What sections made of a file of these bytes: the same each time. */
interface PatchedTarget {
  readonly before: string | null;
  readonly sections: readonly PatchSection[];
  /** Null where nothing changes. */
  readonly after: PlannedFile['after'] | null;
}

/** The most that one plan keeps of what it made; past that a file is made anew each time. */
const MOST_KEPT = 4 * MIB;

/**
 * The plan of a patch, from its sheet to its run: each time the files are looked at, and only what is another by then is
 * made anew.
 */
export class PatchPlan {
  readonly patch: Patch;
  readonly #made = new Map<string, PatchedTarget>();
  #kept = 0;

  constructor(patch: Patch) {
    this.patch = patch;
  }

  /**
   * Finds what the patch makes of the files as they are now, in the patch's order; unchanged ones are left out. Reads
   * only. Throws ToolFailure for the first file that can't be patched.
   */
  async make(place: PatchContext): Promise<readonly PlannedFile[]> {
    const targets = await targetsOf(this.patch, place.sandbox);
    const planned: (PlannedFile | null)[] = [];
    for (let from = 0; from < targets.length; from += AT_ONCE) {
      // Settled, not raced: the failure that is told is that of the first file, every time.
      const outcomes = await Promise.allSettled(
        targets.slice(from, from + AT_ONCE).map((target) => this.#plan(target, place)),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') throw outcome.reason;
        planned.push(outcome.value);
      }
    }
    return planned.filter((file) => file !== null);
  }

  async #plan({ path, sections }: PatchTarget, place: PatchContext): Promise<PlannedFile | null> {
    const shown = shownPath(path);
    const before = await readBefore(path, shown, place);
    const known = this.#made.get(path.absolute);
    const isKnown =
      known !== undefined &&
      known.before === (before?.sha256 ?? null) &&
      known.sections.length === sections.length &&
      known.sections.every((section, at) => section === sections[at]);
    const after = isKnown ? known.after : await makeAfter(before?.text ?? null, sections, shown, place.signal);
    if (!isKnown) this.#keep(path.absolute, { before: before?.sha256 ?? null, sections, after });
    return after === null ? null : { path, shown, before, after };
  }

  #keep(path: string, made: PatchedTarget): void {
    const kept = this.#kept - sizeOf(this.#made.get(path)) + sizeOf(made);
    if (kept > MOST_KEPT) return;
    this.#made.set(path, made);
    this.#kept = kept;
  }
}

const sizeOf = (made: PatchedTarget | undefined): number => made?.after?.content.byteLength ?? 0;

/** Every path is judged, also of sections that do nothing; two ways to write the same file are one target. */
async function targetsOf(patch: Patch, sandbox: Sandbox): Promise<readonly PatchTarget[]> {
  const targets = new Map<string, PatchTarget>();
  for (const section of patch.sections) {
    const path = await sandbox.validate(section.path);
    const target = targets.get(path.absolute) ?? { path, sections: [] };
    if (section.operations.length > 0) target.sections.push(section);
    targets.set(path.absolute, target);
  }
  return [...targets.values()].filter(({ sections }) => sections.length > 0);
}

async function readBefore(path: JailedPath, shown: string, place: PatchContext): Promise<PlannedFile['before']> {
  const foreseen = place.foreseen.content(path.absolute);
  const content = foreseen === undefined ? await contentOf(path, shown, place.sandbox) : bytesOf(foreseen);
  const before = content === null ? null : { text: textOf(content, shown), content, sha256: sha256(content) };
  // The text comes first: what is no text was never recorded as read, and that would hide the reason.
  const isRead = foreseen !== undefined || place.foreseen.isRead(path.absolute);
  if (before !== null && !isRead) refuseStale(path, shown, before.sha256, place.readLog);
  return before;
}

/** Null where nothing changes. */
async function makeAfter(
  before: string | null,
  sections: readonly PatchSection[],
  shown: string,
  signal: AbortSignal | null,
): Promise<PlannedFile['after'] | null> {
  const text = await applySections(before, sections, shown, signal);
  if (text === null || text === before) return null;
  const content = Buffer.from(text);
  if (content.byteLength > LARGEST_FILE)
    throw patchFailed(shown, `“${shown}” would become larger than ${inMib(LARGEST_FILE)}.`);
  return { text, content, sha256: sha256(content) };
}

const bytesOf = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

async function contentOf(path: JailedPath, shown: string, sandbox: Sandbox): Promise<Buffer | null> {
  await using file = await openIfThere(path, sandbox);
  if (file === null) return null;
  if (file.facts.size > LARGEST_FILE)
    throw patchFailed(shown, `“${shown}” is larger than ${inMib(LARGEST_FILE)}, so it can’t be patched.`);
  // One byte more than it said shows that it grows.
  const buffer = Buffer.allocUnsafe(file.facts.size + 1);
  let length = 0;
  while (length < buffer.byteLength) {
    const room = buffer.byteLength - length;
    const bytes = await file.read(buffer.subarray(length), length);
    length += bytes;
    // A regular file gives less than was asked for only at its end.
    if (bytes < room) return buffer.subarray(0, length);
  }
  throw staleFile(shown, CHANGED);
}

/** Most files are there, so they are opened before they are looked for. */
async function openIfThere(path: JailedPath, sandbox: Sandbox): Promise<JailedFile | null> {
  try {
    return await sandbox.openFile(path);
  } catch (error) {
    if ((await sandbox.facts(path)) === null) return null;
    throw error;
  }
}

function textOf(content: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw patchFailed(shown, `“${shown}” is not text in UTF-8, so it can’t be patched.`);
  }
}

const NOT_READ = 'File was not read before patching';
const CHANGED = 'File content changed since last read';

function refuseStale(path: JailedPath, shown: string, hash: string, readLog: ReadLog): void {
  const read = readLog.lookup(path.absolute);
  if (read === null) throw staleFile(shown, NOT_READ);
  if (read.sha256 !== hash) throw staleFile(shown, CHANGED);
}

async function applySections(
  text: string | null,
  sections: readonly PatchSection[],
  shown: string,
  signal: AbortSignal | null,
): Promise<string | null> {
  let file: PatchedFile | null = null;
  if (text !== null) {
    const parsed = parseFile(text);
    if (!parsed.ok) throw patchFailed(shown, `“${shown}” can’t be patched: ${parsed.problem}.`);
    file = parsed.file;
  }
  for (const section of sections) {
    const result = await drive(applyOperations(file, section.operations), signal);
    if (!result.ok) {
      throw patchFailed(shown, `“${shown}”, line ${result.error.line} of the patch: ${result.error.problem}.`);
    }
    file = result.file;
  }
  return file === null ? null : formatFile(file);
}

/** Runs the applier, giving the app a turn now and then, and stopping when the call is stopped. */
async function drive(steps: Generator<void, ApplyResult>, signal: AbortSignal | null): Promise<ApplyResult> {
  let turnEnds = performance.now() + TURN_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < turnEnds) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    turnEnds = performance.now() + TURN_MS;
  }
}

/** Relative paths are shown from their root; what was asked absolutely is shown so. */
function shownPath(path: JailedPath): string {
  return path.asked.startsWith('/') || /^[A-Za-z]:/.test(path.asked) ? path.asked : path.relative;
}

export function patchFailed(file: string, message: string): ToolFailure {
  return new ToolFailure({ code: 'PatchFailed', message, file });
}

function staleFile(file: string, reason: string): ToolFailure {
  const advice = reason === NOT_READ ? 'Read it first.' : 'Read it again first.';
  return new ToolFailure({ code: 'StaleFile', message: `${reason}: “${file}”. ${advice}`, file });
}
