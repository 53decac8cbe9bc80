import type { KindOf } from '../given-value.js';
import type { ProgramFolders } from '../program-folders.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import type { ToolCatalog } from '../../domain/ports/gate/tool-catalog.js';
import type { ToolFinder } from '../../domain/ports/gate/tool-finder.js';
import type { Invocations } from '../../domain/ports/invocations.js';

/** The dependencies of the door for programs. */
export interface InvokeDeps {
  readonly gate: Gate;
  readonly folders: ProgramFolders;
  readonly invocations: Invocations;
  readonly catalog: ToolCatalog;
  readonly finder: ToolFinder;
  readonly kindOf: KindOf;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
  readonly syncWaitMs: () => number;
}
