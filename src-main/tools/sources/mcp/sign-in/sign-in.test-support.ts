import { onTestFinished } from 'vitest';
import type { Source } from '../../../../domain/ports/sources/source.js';
import type { SourceSignIn } from '../../../../domain/ports/sources/sign-in.js';
import { ToolFailure } from '../../../../domain/tool/tool.js';
import { type Lies, openOAuth as open, type TestOAuth } from './oauth-server.test-support.js';

export async function openOAuth(lies: Lies = {}): Promise<TestOAuth> {
  const oauth = await open(lies);
  onTestFinished(() => oauth.close());
  return oauth;
}

/** When what is told of it is so. */
export function until(source: Source, is: (signIn: SourceSignIn) => boolean): Promise<void> {
  const at = signInOf(source);
  if (is(at)) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = source.onChange(() => {
      if (!is(at)) return;
      stop();
      resolve();
    });
  });
}

export function signInOf(source: Source): SourceSignIn {
  if (source.signIn === undefined || source.signIn === null) throw new Error('There is nothing to sign in at.');
  return source.signIn;
}

/** Signs in as a person does in their browser. */
export async function signIn(source: Source, oauth: TestOAuth): Promise<number> {
  const at = signInOf(source);
  await at.begin();
  const { status } = await fetch(await oauth.consent(at.address ?? ''));
  await until(source, ({ state }) => state.kind !== 'under-way');
  return status;
}

export const words = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return '';
  } catch (error) {
    return error instanceof ToolFailure ? JSON.stringify(error.failure) : (error as Error).message;
  }
};
