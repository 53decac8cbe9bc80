import { createContext, Script } from 'node:vm';

/** `run` is our own code: the context is there for its time limit, which only a script can be given. */
const place: { run: (() => void) | null } = { run: null };
const context = createContext(place);
const script = new Script('run()');

/**
 * Runs code within a time: for work that can't be told beforehand to end (a pattern that backtracks, a recursion) and
 * can't wait for an answer from elsewhere. Null where it was not done in time; an error that it throws itself is
 * thrown.
 */
export function runWithinTime<T>(ms: number, run: () => T): T | null {
  const done: { readonly value: T }[] = [];
  const outer = place.run;
  place.run = () => {
    done.push({ value: run() });
  };
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  } finally {
    place.run = outer;
  }
  return done[0]?.value ?? null;
}
