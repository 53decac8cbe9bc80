import type { Notice } from '#contract/window/notices.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { sha256 } from '../platform/digest.js';
import { type ConfigLayer, type ConfigProblem, EMPTY_LAYER, parseConfig } from './parse.js';
import { readConfigFile } from './read-config-file.js';
import { SETTINGS, valueAt } from './setting-keys.js';

/** The folders' settings that the person has not said yes to, kept so that a restart is no yes. By path of the file. */
export interface UnacceptedSettings {
  /** The text that counts instead: null for none. Undefined where nothing waits for a yes. */
  find(path: string): string | null | undefined;
  keep(path: string, counts: string | null): void;
  forget(path: string): void;
}

/** Settings that are in the file and do not count. */
export interface PendingSettings {
  readonly digest: string;
  /** Null: the file is gone. */
  readonly text: string | null;
}

/**
 * The settings that come with a folder. The file that was there when the folder was opened counts, and so do the
 * person's changes. A file that a call may have made or changed does not before the person says so: tightening can harm
 * as well, by switching off what they use.
 */
export class FolderSettings {
  readonly path: string;
  layer: ConfigLayer = EMPTY_LAYER;
  problem: ConfigProblem | null = null;
  pending: PendingSettings | null = null;
  /** Whether they changed since the folder was opened, and count. */
  changed = false;
  #counts: string | null = null;
  readonly #unaccepted: UnacceptedSettings;

  constructor(path: string, unaccepted: UnacceptedSettings) {
    this.path = path;
    this.#unaccepted = unaccepted;
    const kept = unaccepted.find(path);
    if (kept === undefined) this.#read((text) => this.#adopt(text));
    else {
      this.#adopt(kept);
      this.#read((text) => this.#hold(text));
    }
  }

  /** Reads the file again. `acting`: a call that runs now, or ran a moment ago, may have changed it. */
  reload(acting: boolean): void {
    this.#read((text) => {
      // A file that was not there when the folder was opened is nobody's that the person knows of.
      if (acting || this.#counts === null || this.pending !== null) return this.#hold(text);
      this.#adopt(text);
      this.changed = true;
    });
  }

  /** Accepts exactly the settings that the person was shown. False where the file is another by now. */
  accept(digest: string): boolean {
    this.reload(true);
    if (this.pending?.digest !== digest) return false;
    this.#adopt(this.pending.text);
    return true;
  }

  #read(differs: (text: string | null) => void): void {
    const read = readConfigFile(this.path, false);
    this.problem = null;
    if (read.kind === 'unreadable') {
      this.problem = { file: this.path, line: null, reason: read.reason };
      return;
    }
    const text = read.kind === 'absent' ? null : read.text;
    if (text !== this.#counts) differs(text);
    else if (this.pending !== null) {
      this.pending = null;
      this.#unaccepted.forget(this.path);
    }
    this.problem = this.#problemOf(this.pending === null ? text : null) ?? this.problem;
  }

  #problemOf(text: string | null): ConfigProblem | null {
    const parsed = text === null ? null : parseConfig(this.path, text);
    return parsed?.ok === false ? parsed.problem : null;
  }

  #adopt(text: string | null): void {
    const parsed = text === null ? null : parseConfig(this.path, text);
    // Settings that can't be used change nothing.
    if (parsed === null) this.layer = EMPTY_LAYER;
    else if (parsed.ok) this.layer = parsed.layer;
    this.#counts = text;
    this.pending = null;
    this.#unaccepted.forget(this.path);
  }

  #hold(text: string | null): void {
    // The digest is of this folder's file and no other's, though it held the same.
    this.pending = { text, digest: sha256(`${this.path}\n${text ?? ''}\n${text === null ? 'gone' : 'there'}`) };
    this.#unaccepted.keep(this.path, this.#counts);
  }
}

const PENDING_ID = 'config-pending-';

/** The digest that a press on that notice's button accepts; null where it is another notice. */
export const getPendingDigest = (noticeId: string): string | null =>
  noticeId.startsWith(PENDING_ID) ? noticeId.slice(PENDING_ID.length) : null;

/** The notices about a folder's settings. */
export function buildFolderNotices({ path, pending, changed }: FolderSettings, changedId: string): readonly Notice[] {
  if (pending !== null) {
    const { text, digest } = pending;
    return [
      {
        id: `${PENDING_ID}${digest}`,
        severity: 'warning',
        title: 'The folder’s settings were changed, perhaps by a call',
        text:
          `${path} was ${text === null ? 'removed' : 'created or changed'} while calls could run in this folder. ` +
          'The earlier settings stay in force until you decide.',
        details: text === null ? null : describeSettings(path, text),
        dismissible: true,
        action: 'Use these settings',
      },
    ];
  }
  if (!changed) return [];
  return [
    {
      id: changedId,
      severity: 'info',
      title: 'The folder’s settings changed',
      text: `${path} changed and is in force now. It can only tighten your settings.`,
      details: null,
      dismissible: true,
    },
  ];
}

function describeSettings(path: string, text: string): string {
  const parsed = parseConfig(path, text);
  if (!parsed.ok) return `It can’t be used: ${toVisibleLine(parsed.problem.reason)}`;
  const { table } = parsed.layer;
  const lines = [...SETTINGS.keys()].flatMap((key) => {
    const value = valueAt(table, key);
    return value === undefined ? [] : [`${key} = ${toVisibleLine(JSON.stringify(value))}`];
  });
  return lines.join('\n') || 'It contains no settings.';
}
