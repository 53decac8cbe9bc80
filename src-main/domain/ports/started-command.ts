/** A command with pipes that a program starts in order to talk to it in lines. */
export interface StartedCommand {
  /** Writes one line to its input. */
  readonly send: (line: string) => void;
  /** Closes its input: a command that reads its input to the end goes on. */
  readonly closeInput: () => void;
  /** The lines of its output, until it ends. */
  readonly lines: AsyncIterable<string>;
  /** The last part of its stderr. */
  readonly complaints: () => string;
  /** Why it ended, in words, or that it could not be started. */
  readonly ended: Promise<string>;
  readonly end: () => void;
}

export type StartCommand = (
  command: string,
  args: readonly string[],
  where: { readonly folder: string; readonly environment: Readonly<Record<string, string>> },
) => StartedCommand;
