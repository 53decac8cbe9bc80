import type { DirectoryEntry, FileFacts } from '../../domain/ports/workspace/sandbox.js';

/** An entry as its folder tells it. Most of a large listing is never looked at, so what can wait is worked out when asked. */
export class RawDirectoryEntry implements DirectoryEntry {
  readonly raw: string;
  readonly kind: FileFacts['kind'] | null;

  constructor(raw: string, kind: FileFacts['kind'] | null) {
    this.raw = raw;
    this.kind = kind;
  }

  get name(): string {
    return /[\u0080-\u00ff]/.test(this.raw) ? this.nameBytes.toString('utf8') : this.raw;
  }

  get nameBytes(): Buffer {
    return Buffer.from(this.raw, 'latin1');
  }
}
