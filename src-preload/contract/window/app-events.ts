import type { OutputStreamName } from '../vocabulary/screen/terminal-rows.js';
import type { ApprovalRequest, WithdrawnCalls } from './approvals.js';
import type { MessagePiece, UnsentMessage, WorkingConversation } from './conversation/conversation.js';
import type { ConversationMessage, ConversationSummary } from '../vocabulary/conversation/conversation.js';
import type { CallSummary } from '../vocabulary/calls.js';
import type { FolderQuestion } from './folder-questions.js';
import type { Notice } from './notices.js';
import type { RecoveryReport } from './recovery.js';

export type ToolsMode = 'disabled' | 'parse_only' | 'enabled';

export interface JournalHealth {
  readonly state: 'ok' | 'failed';
  /** Null while it is ok. */
  readonly problem: string | null;
}

export interface GatewayStatus {
  readonly enabled: boolean;
  /** The origin it serves on; null while it doesn't. */
  readonly url: string | null;
  readonly problem: string | null;
  readonly clients: readonly ConnectedClient[];
}

export interface ConnectedClient {
  readonly sessionId: string;
  readonly name: string;
  /** The agent whose token or named pipe it came with; null where there is none. */
  readonly agent: string | null;
  /** The folder that it works in, or worked in last; '' where none was open. */
  readonly folder: string;
  readonly transport: 'http' | 'stdio';
  readonly since: number;
  readonly calls: number;
}

/** The status of the machine and the app, for the status bar. */
export interface AppStatus {
  readonly version: string;
  readonly platform: string;
  /** Chromium's own sandbox is off (the app runs as root). */
  readonly chromiumSandboxOff: boolean;
  /** The confinement that a command would get now. */
  readonly confinement: {
    readonly mode: 'required' | 'preferred' | 'off';
    readonly available: boolean;
    readonly problem: string | null;
  };
  readonly mode: ToolsMode;
  /** There is a config.toml: how it should be asked was said, or was said in it. */
  readonly hasSettings: boolean;
  /** Keys of the agents that the person paused (`buildPauseKey`). */
  readonly paused: readonly string[];
  /** The folders that tools may touch in an open one, where they are not simply that one: by its path. */
  readonly roots: Readonly<Record<string, readonly string[]>>;
  /** Tainting texts that models were given, and the folders whose text the person trusts. */
  readonly given: readonly TaintView[];
  readonly trustedFolders: readonly string[];
  readonly journal: JournalHealth;
  readonly gateway: GatewayStatus;
  readonly theme: 'system' | 'light' | 'dark';
}

/** The texts that an agent, a conversation or a connection was given in a folder. */
export interface TaintView {
  readonly to: string;
  readonly workspace: string;
  /** Names of at most three of them, and how many more. */
  readonly words: string;
  /** Names of the private ones among them, in the same way; null where nothing is private. */
  readonly privates: string | null;
}

export interface WorkspaceInfo {
  readonly path: string;
  readonly name: string;
}

/** Everything the window needs to begin; after it come events, numbered from `seq + 1` on. */
export interface AppSnapshot {
  readonly seq: number;
  readonly status: AppStatus;
  /** The one that the window shows; null while none is open. */
  readonly workspace: WorkspaceInfo | null;
  /** The open workspaces, all of them, in the order of their tabs. */
  readonly workspaces: readonly WorkspaceInfo[];
  readonly recentWorkspaces: readonly WorkspaceInfo[];
  readonly notices: readonly Notice[];
  /** Approvals in the order in which they were asked; the first is the one to show. */
  readonly approvals: readonly ApprovalRequest[];
  /** Calls that are not settled, oldest first, and those settled lately. */
  readonly calls: readonly CallSummary[];
  readonly recovery: RecoveryReport | null;
  /** The conversations that work, or could go on. */
  readonly working: readonly WorkingConversation[];
  readonly question: Question | null;
  /** Folder questions in the order in which they were asked. */
  readonly folderQuestions: readonly FolderQuestion[];
}

/** A question of main to the person, one at a time; answered through `app.answer`. */
export type Question =
  | { readonly kind: 'close-workspace'; readonly path: string; readonly calls: number }
  | { readonly kind: 'quit'; readonly running: number };

/** A piece of a call's output, with what its rows are drawn by (`vocabulary/screen`). */
export interface OutputPiece {
  readonly stream: OutputStreamName;
  readonly text: string;
}

export type AppEventBody =
  | { readonly type: 'status'; readonly status: AppStatus }
  | {
      readonly type: 'workspace';
      readonly workspace: WorkspaceInfo | null;
      readonly workspaces: readonly WorkspaceInfo[];
      readonly recentWorkspaces: readonly WorkspaceInfo[];
    }
  | { readonly type: 'call'; readonly call: CallSummary }
  | { readonly type: 'output'; readonly callId: string; readonly pieces: readonly OutputPiece[] }
  | { readonly type: 'waiting-for-input'; readonly callId: string; readonly waiting: boolean }
  | { readonly type: 'approval'; readonly approval: ApprovalRequest }
  | { readonly type: 'approval-gone'; readonly batchId: string }
  | { readonly type: 'taken-back'; readonly what: WithdrawnCalls }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'notice-gone'; readonly id: string }
  | { readonly type: 'recovery'; readonly recovery: RecoveryReport | null }
  | { readonly type: 'conversation'; readonly conversation: ConversationSummary }
  | { readonly type: 'conversation-gone'; readonly id: string }
  | { readonly type: 'working'; readonly working: WorkingConversation }
  | { readonly type: 'message'; readonly message: ConversationMessage }
  | { readonly type: 'message-piece'; readonly piece: MessagePiece }
  /** A message was not sent, and is back in the Message field. */
  | { readonly type: 'given-back'; readonly conversationId: string; readonly unsent: UnsentMessage }
  | { readonly type: 'question'; readonly question: Question | null }
  | { readonly type: 'folder-questions'; readonly questions: readonly FolderQuestion[] }
  | { readonly type: 'settings-changed' }
  /** A source, or what it offers, has changed. */
  | { readonly type: 'sources-changed' }
  /** The domain's package, its policies or its workers are others. */
  | { readonly type: 'domain-changed' }
  | { readonly type: 'navigate'; readonly place: WindowPage };

export type AppEvent = AppEventBody & { readonly seq: number };

export const WINDOW_PAGES = [
  'activity',
  'conversation',
  'compose',
  'history',
  'tools',
  'agents',
  'rules',
  'health',
  'settings',
] as const;
export type WindowPage = (typeof WINDOW_PAGES)[number];
export const WINDOW_PAGE_TITLES: Readonly<Record<WindowPage, string>> = {
  activity: 'Activity',
  conversation: 'Conversation',
  compose: 'Compose',
  history: 'History',
  tools: 'Tools',
  agents: 'Agents',
  rules: 'Rules',
  health: 'Health',
  settings: 'Settings',
};
