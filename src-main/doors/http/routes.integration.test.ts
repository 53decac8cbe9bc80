import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { type Doors, openDoors } from '../doors.test-support.js';
import { answerWith, type Route, route } from './route.js';

const Said = Type.Object({ said: Type.Unknown() });
const answers = { 200: { description: 'What came.', schema: Said } };

const left: Promise<void>[] = [];

const echo = route(
  {
    method: 'POST',
    path: '/v1/echo/{name}:run',
    operationId: 'echo',
    summary: 'Says what came',
    parameters: { name: Type.String() },
    query: {
      wait: Type.Optional(Type.Number({ minimum: 0, maximum: 30 })),
      flag: Type.Optional(Type.Boolean()),
    },
    body: Type.Object({ count: Type.Integer({ minimum: 1 }) }),
    asksForCalls: true,
    answers,
  },
  ({ parameters, query, body, bearer, headers, origin }) =>
    answerWith(200, { said: { parameters, query, body, agent: bearer.agent, type: headers['content-type'], origin } }),
);
const plain = route(
  { method: 'GET', path: '/v1/echo/{name}', operationId: 'plain', summary: 'Says its name', answers },
  ({ parameters }) => answerWith(200, { said: parameters }),
);
const ownWords = route(
  {
    method: 'POST',
    path: '/v1/own',
    operationId: 'own',
    summary: 'Refuses in its own words',
    body: Type.Object({ id: Type.String() }),
    answers,
    onMalformed: ({ at, in: where, body }) => ({ status: 400, body: { where, at, body } }),
  },
  () => answerWith(200, { said: null }),
);
const waits = route(
  { method: 'GET', path: '/v1/waits', operationId: 'waits', summary: 'Waits for its caller to leave', answers },
  async (request) => {
    const gone = new Promise<void>((resolve) => request.left.addEventListener('abort', () => resolve()));
    left.push(gone);
    await gone;
    return answerWith(200, { said: null });
  },
);
const breaks = route({ method: 'GET', path: '/v1/breaks', operationId: 'breaks', summary: 'Throws', answers }, () =>
  Promise.reject(new Error('broke')),
);

const opened: Doors[] = [];
afterEach(async () => {
  for (const doors of opened.splice(0)) await doors[Symbol.asyncDispose]();
});
const open = async (limits = {}): Promise<Doors> => {
  const routes: readonly Route[] = [plain, echo, ownWords, waits, breaks];
  const doors = await openDoors({ routes, limits });
  opened.push(doors);
  return doors;
};
const post = (doors: Doors, path: string, body: string, agent?: string) =>
  doors.get(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } }, agent);

describe('a route', () => {
  it('is given what came, as its schemas have it', async () => {
    const doors = await open();
    doors.tokens.set('ada', 'token-of-ada');
    const response = await post(doors, '/v1/echo/a%20b:run?wait=2.5&flag=true&more=1', '{"count":3,"extra":1}', 'ada');
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        said: {
          parameters: { name: 'a b' },
          query: { wait: 2.5, flag: true },
          body: { count: 3, extra: 1 },
          agent: 'ada',
          type: 'application/json',
          origin: doors.url,
        },
      },
    ]);
  });

  it('is chosen by the longer literal text, and by its method', async () => {
    const doors = await open();
    expect(await (await doors.get('/v1/echo/x.y')).json()).toEqual({ said: { name: 'x.y' } });
    const wrong = await doors.get('/v1/echo/x.y:run');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await post(doors, '/v1/echo/x.y', '{}')).status).toBe(405);
    expect((await doors.get('/v1/echo/x/y')).status).toBe(404);
    expect((await doors.get('/v1/echo/%ff')).status).toBe(404);
  });

  it.each([
    ['/v1/echo/x:run', '{', 'The body is not JSON'],
    ['/v1/echo/x:run', '', 'The body is not JSON'],
    ['/v1/echo/x:run', '[]', 'The body must be object'],
    ['/v1/echo/x:run', '{"count":0}', '/count must be >= 1'],
    ['/v1/echo/x:run', '{"count":1,"__proto__":{}}', 'JavaScript treats specially'],
    ['/v1/echo/x:run?wait=31', '{"count":1}', 'wait must be a number from 0 to 30, not “31”.'],
    ['/v1/echo/x:run?wait=', '{"count":1}', 'wait must be a number from 0 to 30, not “”.'],
    ['/v1/echo/x:run?flag=1', '{"count":1}', 'flag must be true or false, not “1”.'],
  ])('refuses %s with %s', async (path, body, words) => {
    const response = await post(await open(), path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { code: 'BadRequest', message: expect.stringContaining(words) } });
  });

  it('asks for no call of an agent of which too much is recorded', async () => {
    const doors = await open();
    doors.tokens.set('greedy', 'token-of-greedy');
    const refused = await post(doors, '/v1/echo/x:run', '{"count":1}', 'greedy');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await doors.get('/v1/echo/x', {}, 'greedy')).status).toBe(200);
  });

  it('may say so in its own words', async () => {
    const doors = await open();
    expect(await (await post(doors, '/v1/own', '{"id":1}')).json()).toEqual({
      where: 'body',
      at: '/id',
      body: { id: 1 },
    });
    expect(await (await post(doors, '/v1/own', 'no')).json()).toEqual({ where: 'json', at: '', body: null });
  });

  it('reads bodies within the limits of all', async () => {
    const doors = await open({ bodyBytes: 1000 });
    const big = await post(doors, '/v1/own', JSON.stringify({ id: 'x'.repeat(1001) }));
    expect(big.status).toBe(413);
    const deep = await post(await open(), '/v1/own', `${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect([deep.status, await deep.json()]).toEqual([400, { where: 'json', at: '', body: null }]);
  });

  it('hears that its caller left, and a fault of its own is told and logged', async () => {
    const doors = await open();
    const leaving = new AbortController();
    const asked = doors.get('/v1/waits', { signal: leaving.signal }).catch(() => null);
    await expect.poll(() => left.length).toBe(1);
    leaving.abort();
    await left[0];
    expect(await asked).toBeNull();
    expect((await doors.get('/v1/breaks')).status).toBe(500);
    expect(doors.reported).toEqual([expect.stringContaining('broke')]);
  });
});
