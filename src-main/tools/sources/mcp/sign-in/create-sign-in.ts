import { parseAddress } from '../../../../domain/outside/address.js';
import type { SourceOptions } from '../../../../domain/ports/sources/source.js';
import { SignIn, type SignInDeps } from './sign-in.js';
import type { CreateFetch } from '../create-fetch.js';

type SignInContext = Omit<SignInDeps, 'source' | 'url' | 'fetch'> & { readonly fetchFor: CreateFetch };

/** Null where there is nothing to sign in at: a program, or a server whose settings give a key already. */
export function createSignIn({ name, settings }: SourceOptions, { fetchFor, ...parts }: SignInContext): SignIn | null {
  const { url, headers } = settings;
  if (url === undefined || Object.keys(headers).some((each) => each.toLowerCase() === 'authorization')) return null;
  const { origin } = new URL(url);
  // What its documents name is somebody else's choice.
  const fetch = fetchFor((asked) => ({
    within: `${asked.origin}/`,
    keys: [],
    ...(asked.origin === origin || isLoopback(origin) ? {} : { chosenBy: 'document' as const }),
  }));
  return new SignIn({ ...parts, source: name, url, fetch });
}

function isLoopback(origin: string): boolean {
  const read = parseAddress(`${origin}/`);
  return read.ok && read.address.isLoopback;
}
