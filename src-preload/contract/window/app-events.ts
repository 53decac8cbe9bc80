import type { ApprovalRequest } from './approvals.js';
import type { CallSummary } from '../vocabulary/calls.js';
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
  /** Whose token or named pipe it came with; null where there is none. */
  readonly agent: string | null;
  readonly transport: 'http' | 'stdio';
  readonly since: number;
  readonly calls: number;
}

/** What the status bar says of the machine and the app. */
export interface AppStatus {
  readonly version: string;
  readonly platform: string;
  /** Chromium's own sandbox is off (the app runs as root). */
  readonly chromiumSandboxOff: boolean;
  /** What a command would get now. */
  readonly confinement: {
    readonly mode: 'required' | 'preferred' | 'off';
    readonly available: boolean;
    readonly problem: string | null;
  };
  readonly mode: ToolsMode;
  /** The folders that tools may touch, where they are not simply the workspace. */
  readonly roots: readonly string[];
  readonly journal: JournalHealth;
  readonly gateway: GatewayStatus;
  readonly theme: 'system' | 'light' | 'dark';
}

export interface WorkspaceInfo {
  readonly path: string;
  readonly name: string;
}

/** Everything the window needs to begin; after it come events, numbered from `seq + 1` on. */
export interface AppSnapshot {
  readonly seq: number;
  readonly status: AppStatus;
  readonly workspace: WorkspaceInfo | null;
  readonly recentWorkspaces: readonly WorkspaceInfo[];
  readonly notices: readonly Notice[];
  /** In the order in which they were asked; the first is the one to show. */
  readonly approvals: readonly ApprovalRequest[];
  /** Calls that are not settled, oldest first, and those settled lately. */
  readonly calls: readonly CallSummary[];
  readonly recovery: RecoveryReport | null;
  readonly question: Question | null;
}

/** What main asks the person, one at a time; answered through `app.answer`. */
export type Question =
  { readonly kind: 'switch-workspace'; readonly path: string } | { readonly kind: 'quit'; readonly running: number };

export type AppEventBody =
  | { readonly type: 'status'; readonly status: AppStatus }
  | {
      readonly type: 'workspace';
      readonly workspace: WorkspaceInfo | null;
      readonly recentWorkspaces: readonly WorkspaceInfo[];
    }
  | { readonly type: 'call'; readonly call: CallSummary }
  | { readonly type: 'output'; readonly callId: string; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'waiting-for-input'; readonly callId: string; readonly waiting: boolean }
  | { readonly type: 'approval'; readonly approval: ApprovalRequest }
  | { readonly type: 'approval-gone'; readonly batchId: string }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'notice-gone'; readonly id: string }
  | { readonly type: 'recovery'; readonly recovery: RecoveryReport | null }
  | { readonly type: 'question'; readonly question: Question | null }
  | { readonly type: 'settings-changed' }
  | { readonly type: 'navigate'; readonly place: Place };

export type AppEvent = AppEventBody & { readonly seq: number };

export const PLACES = ['conversation', 'compose', 'history', 'tools', 'health', 'settings'] as const;
export type Place = (typeof PLACES)[number];
export const PLACE_TITLES: Readonly<Record<Place, string>> = {
  conversation: 'Conversation',
  compose: 'Compose',
  history: 'History',
  tools: 'Tools',
  health: 'Health',
  settings: 'Settings',
};
