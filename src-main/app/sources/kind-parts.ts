import type { LookUpKey } from '../../domain/outside/key-destination.js';
import type { Outside } from '../../domain/ports/outside.js';
import type { ServerQuestions } from '../../domain/ports/sources/server-questions.js';
import type { Commands } from '../commands.js';
import type { Shell } from '../shell.js';

/** The dependencies that kinds of sources are made with. */
export interface KindParts {
  readonly shell: Shell;
  readonly commands: Commands;
  readonly outside: Outside;
  /** The folder that is shown, by its real path. */
  readonly shownFolder: () => string | null;
  /** Re-reads the key store after a change, so that its secrets are redacted from what others see. */
  readonly knowSecrets: () => void;
  readonly valueOf: LookUpKey;
  readonly questions: ServerQuestions;
  /** The folder that lasts and is that source’s alone. */
  readonly homeOf: (source: string) => string;
}
