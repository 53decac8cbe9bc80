export interface ReadRecord {
  readonly path: string;
  readonly sha256: string;
  readonly readAt: number;
}

/** The files that were read: one log per conversation, MCP session or Compose session. */
export interface ReadLog {
  record(canonicalPath: string, sha256: string): void;
  lookup(canonicalPath: string): ReadRecord | null;
}
