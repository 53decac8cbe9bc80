import type { Outside } from '../../domain/ports/outside.js';
import type { Commands } from '../commands.js';
import type { Shell } from '../shell.js';

/** What kinds of sources are made with. */
export interface KindParts {
  readonly shell: Shell;
  readonly commands: Commands;
  readonly outside: Outside;
  /** The folder that is shown, by its real path. */
  readonly shownFolder: () => string | null;
}
