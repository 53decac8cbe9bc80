import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { resolveRealPath } from '../../platform/data-folder/paths.js';
import { isFolder } from '../../platform/files/is-folder.js';
import type { RpcMessage } from './rpc-message.js';

export interface ClientFolderOptions {
  /** Where this process was started; null where that is gone. */
  readonly cwd: string | null;
  readonly write: (message: string) => void;
  readonly rootsMs?: number;
}

/** So long a client may take to say its roots. */
const ROOTS_MS = 2000;
/** No path that a system takes is longer. */
const MAX_URI = 16_384;

/**
 * Where the agent was started: at its client's first root, else where this process was. Asked once, settled once; whatever comes
 * later moves nothing.
 */
export class ClientFolder {
  readonly settled: Promise<string | null>;
  readonly #options: ClientFolderOptions;
  readonly #id = `roots-${randomUUID()}`;
  readonly #settle: (place: string | null) => void;
  #hasRoots = false;
  #asked = false;
  #done = false;

  constructor(options: ClientFolderOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.settled = promise;
    this.#settle = (place) => {
      this.#done = true;
      resolve(place);
    };
  }

  /** The client tells what it can do; false where it has no roots to be asked for. */
  introduced({ params }: RpcMessage): boolean {
    const { capabilities } = (params ?? {}) as { readonly capabilities?: { readonly roots?: unknown } };
    this.#hasRoots ||= typeof capabilities?.roots === 'object' && capabilities.roots !== null;
    if (!this.#hasRoots) this.#settle(this.#options.cwd);
    return this.#hasRoots;
  }

  /**
   * Finds out the client's folder, once the client is ready to be asked or requests something: known without a
   * question, or asked now.
   */
  wanted(): void {
    if (this.#done || this.#asked) return;
    if (!this.#hasRoots) return this.#settle(this.#options.cwd);
    this.#asked = true;
    setTimeout(() => this.#settle(this.#options.cwd), this.#options.rootsMs ?? ROOTS_MS).unref();
    this.#options.write(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method: 'roots/list' }));
  }

  /** Whether a message is the answer to our question. */
  takes(message: RpcMessage): boolean {
    if (message.method !== undefined || message.id !== this.#id) return false;
    if (!this.#done) void folderOfRoot(message.result).then((folder) => this.#settle(folder ?? this.#options.cwd));
    return true;
  }
}

/** The first of the roots, by its real path, where that is a folder of this machine. */
async function folderOfRoot(result: unknown): Promise<string | null> {
  const { roots } = (result ?? {}) as { readonly roots?: unknown };
  const [first] = Array.isArray(roots) ? (roots as readonly unknown[]) : [];
  const { uri } = (first ?? {}) as { readonly uri?: unknown };
  if (typeof uri !== 'string' || uri.length > MAX_URI || !uri.startsWith('file:')) return null;
  try {
    const real = await resolveRealPath(fileURLToPath(uri));
    return real !== null && (await isFolder(real)) ? real : null;
  } catch {
    return null;
  }
}
