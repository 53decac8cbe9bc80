import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { ReadLog } from '../../domain/ports/workspace/read-log.js';
import { type EarlierEffects, narrowPlanContext } from '../../domain/tool/tool.js';

/** The longest wait for a call’s dry run. After it a person is asked, and sees the effect. */
const MAX_DRY_RUN_MS = 2000;

/**
 * Predicts why a call could only fail, with the failure that running it would give; null where it may work. Nobody is
 * asked about such a call. `earlier`: the calls of its batch that may still run before it, 'unknown' where that is not
 * known. Nothing is predicted about what one of these may change.
 */
export async function predictFailure(
  call: ValidatedCall,
  situation: PlanningSituation & { readonly readLog: ReadLog },
  earlier: readonly (ValidatedCall | 'unknown')[],
): Promise<Failure | null> {
  const { tool } = call;
  if (tool.foresee === undefined || earlier.some((each) => mayChange(each, call))) return null;
  const reading = new Set(
    earlier.flatMap((each) => (each === 'unknown' ? [] : each.judgement.files.map(({ path }) => path))),
  );
  const foreseen: EarlierEffects = { content: () => undefined, isRead: (path) => reading.has(path) };
  const { promise: tooLong, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), MAX_DRY_RUN_MS);
  try {
    const { config, sandbox, readLog } = situation;
    return await Promise.race([
      tool.foresee(
        call.parsed,
        narrowPlanContext(tool.declaration.nature, { config, sandbox, readLog, foreseen, shows: () => undefined }),
        call.understood,
      ),
      tooLong,
    ]);
  } catch {
    // What can't be foreseen is seen when it runs.
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function mayChange(earlier: ValidatedCall | 'unknown', call: ValidatedCall): boolean {
  if (earlier === 'unknown') return true;
  const { tool, judgement } = earlier;
  if (!tool.declaration.sideEffecting) return false;
  if (tool.declaration.nature !== 'files' || call.tool.declaration.nature === 'command') return true;
  return judgement.files.some(({ path }) => call.judgement.files.some((file) => overlap(path, file.path)));
}

const overlap = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
