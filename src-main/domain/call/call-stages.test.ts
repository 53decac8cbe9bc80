import { describe, expectTypeOf, it } from 'vitest';
import {
  toAuthorizedCall,
  toExecutingCall,
  type toValidatedCall,
  type AuthorizedCall,
  type DeclaredCall,
  type ExecutingCall,
  type ValidatedCall,
} from './call-stages.js';
import type { CommitReceipt } from '../ports/journal.js';
import type { Grant } from './journal-events.js';

/** Stands for the code that runs a call, which requires an `ExecutingCall`. */
declare function run(call: ExecutingCall): void;
declare const declared: DeclaredCall;
declare const validated: ValidatedCall;
declare const authorized: AuthorizedCall;
declare const grant: Grant;
declare const proof: CommitReceipt;

// Never called: the compiler is the test. Each marked line must not compile, or the type check of `npm test` fails.
export function mustNotCompile(): void {
  // @ts-expect-error a declared call can't be run
  run(declared);
  // @ts-expect-error a validated call can't be run
  run(validated);
  // @ts-expect-error an authorized call can't be run before the journal holds it
  run(authorized);
  // @ts-expect-error a declared call can't be granted
  toAuthorizedCall(declared, grant);
  // @ts-expect-error an authorized call does not start without the journal's proof
  toExecutingCall(authorized, 1, {});
  // @ts-expect-error stages are not made by hand
  const forged: ExecutingCall = { ...authorized, attempt: 1 };
  run(forged);
  run(toExecutingCall(toAuthorizedCall(validated, grant), 1, proof));
}

describe('the stages of a call', () => {
  it('are cumulative', () => {
    expectTypeOf<ExecutingCall>().toExtend<AuthorizedCall>();
    expectTypeOf<AuthorizedCall>().toExtend<ValidatedCall>();
    expectTypeOf<ValidatedCall>().toExtend<DeclaredCall>();
    expectTypeOf<ReturnType<typeof toValidatedCall>>().toEqualTypeOf<ValidatedCall>();
  });
});
