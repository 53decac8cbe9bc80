import type { FileEffect } from '../vocabulary/effects.js';

export const CLIENT_IDS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini-cli',
  'qwen-code',
  'opencode',
  'zed',
  'cline',
  'goose',
] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** What a client's settings are to say. Each is what they say or don't. */
export interface ClientWish {
  /** Gatehouse is one of its servers. */
  readonly gatehouse: boolean;
  /** Its own tools for files and commands are off. */
  readonly ownToolsOff: boolean;
  /** It asks nothing itself before it calls Gatehouse’s tools. */
  readonly confirmationOff: boolean;
  /** Of one whose entry names it: the folder that it is to work in. */
  readonly folder?: string;
}

/** Whether something can be set in a client's files: where it can't, why not, in words. */
export type Settable = { readonly can: true } | { readonly can: false; readonly why: string };

/** What can truthfully be said of a client that is connected. */
export interface ClientReach {
  readonly kind: 'only-gatehouse' | 'also-others' | 'unknown';
  readonly text: string;
}

/** A program on this computer that can be given tools. */
export interface ClientView {
  readonly id: ClientId;
  readonly name: string;
  readonly installed: boolean;
  /** Its files as they would be changed; where one leads elsewhere, that too. */
  readonly files: readonly { readonly path: string; readonly leadsTo: string | null }[];
  /** What they say now. */
  readonly now: ClientWish;
  /** It tells neither roots nor a project's folder, so that its entry names one. */
  readonly namesFolder: boolean;
  /** The folder that its sessions are in; null where it works where it is started. */
  readonly folder: string | null;
  /** There is an entry for Gatehouse, and it starts something else. */
  readonly otherwise: boolean;
  readonly ownTools: Settable;
  readonly confirmation: Settable;
  /** Null while Gatehouse is none of its servers. */
  readonly reach: ClientReach | null;
  /** The last change can be undone to the byte. */
  readonly undoable: boolean;
  /** The versions that this was tried with; none where it is as its documentation says. */
  readonly tried: readonly string[];
  /** What has to be done for it to take effect. */
  readonly afterwards: string;
  /** Why a file of it can't be used; null when all can. */
  readonly problem: string | null;
}

/** What would be written. `digest` stands for exactly this, and for what stands there now. */
export interface ClientPreview {
  readonly digest: string;
  readonly files: readonly FileEffect[];
}

/** What a call by the configured command line came to, step by step. */
export interface ClientTest {
  readonly ok: boolean;
  readonly steps: readonly { readonly ok: boolean; readonly text: string }[];
  /** Which tools its model gets besides ours; null where it was not asked. */
  readonly left: readonly string[] | null;
}
