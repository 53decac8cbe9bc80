import type { Config } from '#contract/vocabulary/config.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { processTerms, termsInWords, type ToolTerms } from '../../domain/tool/terms.js';
import { defaultConfig } from './default-config.test-support.js';

/** A machine that can confine what runs on it, and one that can't. */
export const CONFINES: ConfinementState = { available: true, problem: null };
export const CONFINES_NOT: ConfinementState = { available: false, problem: 'bubblewrap is not installed.' };
/** One that confines less closely, and says so. */
export const CONFINES_LESS: ConfinementState = { available: true, problem: 'Its system calls are not filtered.' };

/** What a command would get there, as a sheet says it. */
export function commandWords(
  confinement: ConfinementState,
  network = false,
  config: Config = defaultConfig(),
): string | null {
  const terms: ToolTerms = {
    nature: 'command',
    paths: 'change',
    secrets: [],
    limits: { timeMs: 0, outputBytes: 0 },
    ...processTerms({ config, confinement, network }),
  };
  return network && terms.network.by !== 'person' ? null : termsInWords(terms);
}
