import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createSignInReturn } from './sign-in-return.js';

async function listening(waitMs?: number) {
  const back = await createSignInReturn(waitMs === undefined ? undefined : { waitMs })('the-state');
  onTestFinished(() => back.close());
  return back;
}

/** A connection that says nothing; null where it is not taken. */
async function connected(port: number, host = '127.0.0.1'): Promise<Socket | null> {
  const socket = connect({ port, host });
  onTestFinished(() => void socket.destroy());
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return null;
  }
}

it('says nothing of what came, keeps it out of histories and other pages, and is for one answer', async () => {
  const back = await listening();
  const answer = await fetch(`${back.address}?state=the-state&code=<b>secret`);
  expect(await answer.text()).not.toContain('secret');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  expect((await back.received).get('code')).toBe('<b>secret');
  await expect.poll(() => fetch(back.address).catch(({ message }: Error) => message)).toBe('fetch failed');
});

it('does not wait for ever', async () => {
  const back = await listening(10);
  await expect(back.received).rejects.toThrow('in time');
  await expect(fetch(back.address)).rejects.toThrow('fetch failed');
});

it('is reached from this computer by its one address, by few at once, and its end is theirs', async () => {
  const back = await listening();
  const port = Number(new URL(back.address).port);
  expect(await connected(port, '127.0.0.2')).toBeNull();
  const first = await connected(port);
  if (first === null) expect.fail('Nobody listens.');
  first.on('error', () => undefined);
  await Promise.all(Array.from({ length: 15 }, () => connected(port)));
  const oneTooMany = await connected(port);
  if (oneTooMany !== null) {
    oneTooMany.on('error', () => undefined);
    if (!oneTooMany.closed) await once(oneTooMany, 'close');
  }
  expect(first.closed).toBe(false);
  const ended = once(first, 'close');
  back.close();
  await ended;
  await expect(back.received).rejects.toThrow('was stopped');
});
