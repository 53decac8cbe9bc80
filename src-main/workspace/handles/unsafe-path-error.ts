export type UnsafeReason =
  /** A link was found where a file or folder was expected. */
  | 'link'
  /** A file was found where a folder was expected. */
  | 'not-a-directory'
  /** A folder was found where a file was expected. */
  | 'is-a-directory'
  /** A device, FIFO or socket. */
  | 'special'
  /** The opened file is not the one that was looked at: somebody swapped it meanwhile. */
  | 'changed'
  /** Not the name of one entry. */
  | 'bad-name';

/** Refused by the walk itself. What the system refuses stays the system's own error, with its code. */
export class UnsafePathError extends Error {
  readonly reason: UnsafeReason;
  readonly entry: string;
  constructor(reason: UnsafeReason, entry: string, message: string) {
    super(message);
    this.name = 'UnsafePathError';
    this.reason = reason;
    this.entry = entry;
  }
}

export const errnoOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Whether the walk or the system refused: not a fault of the program. */
export const isRefusal = (error: unknown): boolean => error instanceof UnsafePathError || errnoOf(error) !== null;
