/** The only way to other machines. It never follows a redirect, asks no proxy of the environment, and tries nothing twice. */
export interface Outside {
  /** Rejects with an `OutsideProblem`; a body that breaks off throws one as it is read. */
  send(request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer>;
}

export type OutsideMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface OutsideRequest {
  readonly method: OutsideMethod;
  readonly url: string;
  /** The address that the url must lie under: the one that the person chose, with its path. */
  readonly within: string;
  /** `document`: somebody else wrote the address, so nothing on this computer or next to it can be meant. Left out: the person did. */
  readonly chosenBy?: 'document';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly keys: readonly OutsideKey[];
  /**
   * A socket of this computer on which the server is reached, whatever host the url names: for servers that Gatehouse
   * started itself.
   */
  readonly socketPath?: string;
  /** An event stream: it may be quiet, and as long as it likes; who reads it bounds it. */
  readonly endless?: true;
}

/** A key goes to the scheme, host and port that it was entered for, and nowhere else. */
export interface OutsideKey {
  readonly header: string;
  /** `Bearer `, or nothing. */
  readonly prefix: string;
  /** `secret:<name>` of the key store, or `env:<variable>`; looked up as the request leaves. */
  readonly from: string;
  /** The address that it was entered for. */
  readonly boundTo: string;
  /** The owner of the key: a source, by its name, or the model. */
  readonly asker: string;
}

export interface OutsideAnswer {
  readonly status: number;
  /** The headers with their names in lower case, in the order in which they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  header(name: string): string | null;
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body. Rejects where it is longer. */
  bytes(maxBytes: number): Promise<Uint8Array>;
  /** The whole body as text. Rejects where it is longer. */
  text(maxBytes: number): Promise<string>;
}

export const OUTSIDE_PROBLEMS = [
  'address',
  'key',
  'unsendable',
  'unreachable',
  'redirect',
  'no-answer',
  'stalled',
  'too-large',
  'not-understood',
  'broke-off',
] as const;
export type OutsideProblemKind = (typeof OUTSIDE_PROBLEMS)[number];

/** A request that failed, told in plain words. It holds no key. */
export class OutsideProblem extends Error {
  readonly kind: OutsideProblemKind;
  /** False where nothing of the request left this computer, or nobody took it. */
  readonly mayHaveArrived: boolean;

  constructor(kind: OutsideProblemKind, message: string, mayHaveArrived = true) {
    super(message);
    this.name = 'OutsideProblem';
    this.kind = kind;
    this.mayHaveArrived = mayHaveArrived;
  }
}
