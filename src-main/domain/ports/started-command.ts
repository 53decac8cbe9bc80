/** A command with pipes, as a program starts one that it speaks with in lines. */
export interface StartedCommand {
  /** One line for it. */
  readonly send: (line: string) => void;
  /** Nothing more comes for it: what reads its input to the end goes on. */
  readonly closeInput: () => void;
  /** Its lines, until it ends. */
  readonly lines: AsyncIterable<string>;
  /** The last of what it said on stderr. */
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
