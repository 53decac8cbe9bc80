import Type from 'typebox';
import { byHand, channel, closed, id, nothing, path } from './channel.js';
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

/** Which of a client's settings are meant: those for every project, or those for one folder alone. */
export interface ClientPlace {
  readonly id: ClientId;
  /** The folder whose settings these are; null: every project of the person. */
  readonly only: string | null;
}

/** The wanted content of a client's settings. Each flag is what they say or don't. */
export interface WantedClientSettings {
  /** Gatehouse is one of its servers. */
  readonly gatehouse: boolean;
  /** Whether its own tools for files and commands are off. */
  readonly ownToolsOff: boolean;
  /** Whether it asks nothing itself before it calls Gatehouse’s tools. */
  readonly confirmationOff: boolean;
  /** The folder that it is to work in, where its entry names one. */
  readonly folder?: string;
}

/** Whether something can be set in a client's files: where it can't, why not, in words. */
export type SettableOption = { readonly can: true } | { readonly can: false; readonly why: string };

/** A truthful sentence on what a connected client can reach. */
export interface ClientReach {
  readonly kind: 'only-gatehouse' | 'also-others' | 'unknown';
  readonly text: string;
}

/** A settings file of a client, as it would be changed. */
export interface ClientFile {
  readonly path: string;
  /** The target, where it is a link. */
  readonly leadsTo: string | null;
  /** Whether who has the folder's repository gets it, too. */
  readonly sharedByGit: boolean;
}

/** A program on this computer that can be given tools, and what its settings for one place say. */
export interface ClientView extends ClientPlace {
  readonly name: string;
  readonly installed: boolean;
  /** Its settings for the folder that is shown; null where it has none of a folder, in those themselves, and without a folder. */
  readonly inFolder: ClientView | null;
  readonly files: readonly ClientFile[];
  /** The present content of its settings. */
  readonly now: WantedClientSettings;
  /** Whether its entry names a folder, as it tells neither roots nor a project's folder. */
  readonly namesFolder: boolean;
  /** The folder that its sessions are in; null where it works where it is started. */
  readonly folder: string | null;
  /** There is an entry for Gatehouse, and it starts something else. */
  readonly otherwise: boolean;
  readonly ownTools: SettableOption;
  readonly confirmation: SettableOption;
  /** Null while Gatehouse is none of its servers. */
  readonly reach: ClientReach | null;
  /** The versions that this was tried with; none where it is as its documentation says. */
  readonly tried: readonly string[];
  /** The step that it needs to take effect. */
  readonly afterwards: string;
  /** Why a file of it can't be used; null when all can. */
  readonly problem: string | null;
}

/** The files that would be written. `digest` identifies exactly this, and the present content. */
export interface ClientPreview {
  readonly digest: string;
  readonly files: readonly FileEffect[];
}

/** The steps of a test call by the configured command line. */
export interface ClientTest {
  readonly ok: boolean;
  readonly steps: readonly { readonly ok: boolean; readonly text: string }[];
  /** The tools that its model gets besides ours; null where it was not asked. */
  readonly left: readonly string[] | null;
}

const clientId = Type.Enum([...CLIENT_IDS]);
const clientWish = Type.Object(
  {
    gatehouse: Type.Boolean(),
    ownToolsOff: Type.Boolean(),
    confirmationOff: Type.Boolean(),
    folder: Type.Optional(path),
  },
  closed,
);
const clientPlace = { id: clientId, only: Type.Union([path, Type.Null()]) };

/** The channels about other programs’ settings. */
export const CLIENT_CHANNELS = {
  /** The programs on this computer that can be given tools, and what their settings say. */
  'clients.list': channel<readonly ClientView[]>()(nothing),
  'clients.preview': channel<ClientPreview>()(Type.Object({ ...clientPlace, wish: clientWish }, closed)),
  'clients.write': byHand<null>()(Type.Object({ ...clientPlace, wish: clientWish, digest: id }, closed)),
  /** Takes Gatehouse out of its settings, and puts what stood there back. */
  'clients.disconnect': byHand<null>()(Type.Object(clientPlace, closed)),
  /** Starts what its settings say, as it would, and makes one call that only reads. */
  'clients.test': byHand<ClientTest>()(Type.Object(clientPlace, closed)),
} as const;
