import { createStore } from 'zustand/vanilla';
import type { ParsedJson } from '#contract/vocabulary/text/json-text.js';
import { parseArguments } from '../../calls/arguments/arguments-text.js';
import { type BatchTextCall, formatBatch, parseBatch } from './batch-text.js';

export interface DraftCall {
  /** Stays with the call while it moves; not its id, which main gives when it runs. */
  readonly key: string;
  readonly tool: string;
  readonly text: string;
}

export interface RecentBatch {
  readonly at: number;
  readonly calls: readonly BatchTextCall[];
}

export interface ComposeDraft {
  readonly calls: readonly DraftCall[];
  /** The batch as text, while it is shown so; null while it is shown as forms. */
  readonly text: string | null;
  /** How often the text was asked for: each time it is ready to be pasted over. */
  readonly asked: number;
  readonly opened: string | null;
  readonly run: { readonly batchId: string; readonly callIds: readonly string[] } | null;
}

const RECENT_KEPT = 12;
/** Larger ones are found in History, whole. */
const RECENT_MAX_CHARACTERS = 100_000;

/** The draft outlives the page, so that a look at something else loses nothing. */
export const draftStore = createStore<ComposeDraft>(() => ({
  calls: [],
  text: null,
  asked: 0,
  opened: null,
  run: null,
}));

let keys = 0;
const createDraftCall = ({ tool, arguments: given }: BatchTextCall): DraftCall => ({
  key: `draft-${(keys += 1)}`,
  tool,
  text: JSON.stringify(given, null, 2),
});

export function addCall(tool: string): void {
  const call = createDraftCall({ tool, arguments: {} });
  draftStore.setState(({ calls }) => ({ calls: [...calls, call], opened: call.key, text: null }));
}

export function changeCall(key: string, text: string): void {
  draftStore.setState(({ calls }) => ({ calls: calls.map((call) => (call.key === key ? { ...call, text } : call)) }));
}

export function removeCall(key: string): void {
  draftStore.setState(({ calls }) => ({ calls: calls.filter((call) => call.key !== key) }));
}

export function moveCall(key: string, by: 1 | -1): void {
  draftStore.setState(({ calls }) => ({ calls: moveItem(calls, key, by) }));
}

export function moveItem(calls: readonly DraftCall[], key: string, by: 1 | -1): readonly DraftCall[] {
  const from = calls.findIndex((call) => call.key === key);
  const call = calls[from];
  const to = from + by;
  if (call === undefined || to < 0 || to >= calls.length) return calls;
  return calls.toSpliced(from, 1).toSpliced(to, 0, call);
}

export const openDraft = (key: string | null): void => draftStore.setState({ opened: key });

export function takeBatch(calls: readonly BatchTextCall[]): void {
  draftStore.setState({ calls: calls.map(createDraftCall), text: null, opened: null });
}

/** Parses the drafts into a batch, or words the problem of the first that can't be read. */
function parseDrafts(calls: readonly DraftCall[]): ParsedJson<readonly BatchTextCall[]> {
  const batch: BatchTextCall[] = [];
  for (const [index, { tool, text }] of calls.entries()) {
    const parsed = parseArguments(text);
    if (!parsed.ok) return { ok: false, message: `Call ${index + 1} (${tool}). ${parsed.message}` };
    batch.push({ tool, arguments: parsed.value });
  }
  return { ok: true, value: batch };
}

/** Shows the batch as text. An empty batch gives an empty text, ready for pasting. */
export function showAsText(): void {
  draftStore.setState(({ calls, text, asked }) => {
    if (text !== null) return { asked: asked + 1 };
    const batch = parseDrafts(calls);
    return { asked: asked + 1, text: calls.length > 0 && batch.ok ? formatBatch(batch.value) : '' };
  });
}

/** The batch as it would run now, from whichever view is shown. */
export function readCurrentBatch({ text, calls }: ComposeDraft): ParsedJson<readonly BatchTextCall[]> {
  if (text !== null && !(text.trim() === '' && calls.length > 0)) return parseBatch(text);
  return calls.length === 0 ? { ok: false, message: 'Add a call first.' } : parseDrafts(calls);
}

const buildStorageKey = (workspace: string): string => `gatehouse.recent-batches ${workspace}`;

export function readRecentBatches(workspace: string): readonly RecentBatch[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(buildStorageKey(workspace)) ?? '[]');
    return Array.isArray(stored) ? (stored as readonly RecentBatch[]) : [];
  } catch {
    return [];
  }
}

export function rememberBatch(workspace: string, calls: readonly BatchTextCall[], at: number): void {
  localStorage.setItem(buildStorageKey(workspace), JSON.stringify(addRecent(readRecentBatches(workspace), calls, at)));
}

export function addRecent(
  recent: readonly RecentBatch[],
  calls: readonly BatchTextCall[],
  at: number,
): readonly RecentBatch[] {
  const text = JSON.stringify(calls);
  if (text.length > RECENT_MAX_CHARACTERS) return recent;
  const others = recent.filter((batch) => JSON.stringify(batch.calls) !== text);
  return [{ at, calls }, ...others].slice(0, RECENT_KEPT);
}
